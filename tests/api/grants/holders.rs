//! Who uses a grant: a member, those with a custom role together, an access token.

use harness::Caller;
use serde_json::json;

use super::{Stage, expect_clause, roll};

#[tokio::test]
async fn others_than_the_holder_have_nothing_of_a_grant() {
    let stage = Stage::new().await;
    stage.give(json!({})).await;
    let other = stage
        .setup
        .app
        .member(&stage.setup.owner, "developer")
        .await;
    for caller in [&other, &stage.setup.owner] {
        let refused = roll(caller, &stage.state, 1_100).await;
        refused.expect_status(403);
        assert!(refused.body.get("grants").is_none(), "{:#}", refused.body);
    }
}

#[tokio::test]
async fn a_grant_stands_for_an_approval_and_not_for_a_permission() {
    let stage = Stage::new().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    stage.give(json!({})).await;
    let row =
        json!({"env_id": setup.project.production, "can_toggle": true, "can_edit_rules": false});
    let permissions = format!("/v1/members/{}/permissions", developer.member_id().await);
    let rows = json!({"permissions": [row]});
    setup.owner.change(&permissions, rows).await;
    let denied = stage.roll(1_100).await;
    denied.expect_error(403, "insufficient permissions for this environment");
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let holder = json!({"kind": "member", "id": viewer.member_id().await});
    stage.give(json!({"holder": holder})).await;
    let denied = roll(&viewer, &stage.state, 1_100).await;
    denied.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn those_with_a_role_share_its_grant_and_its_giver_has_none_of_it() {
    let stage = Stage::new().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let (app, owner) = (&setup.app, &setup.owner);
    app.set_plan(owner, "enterprise").await;
    let keys = [
        "flags.read",
        "flags.edit_rules",
        "approvals.read",
        "approvals.review",
    ];
    let role_id = app.hold_to(owner, developer, &keys).await;
    let admin = app.member(owner, "admin").await;
    app.assign(owner, &admin, Some(&role_id)).await;
    let holder = json!({"kind": "role", "id": role_id});
    let body = stage.body(json!({"holder": holder})).await;
    admin.create(&stage.grants, body).await;
    let colleague = app.member(owner, "developer").await;
    app.assign(owner, &colleague, Some(&role_id)).await;
    stage.roll(1_600).await.expect_status(200);
    let second = roll(&colleague, &stage.state, 2_200).await;
    let message = "this raises by 6 points; 4 are left of 10 in 600 seconds";
    expect_clause(&second, "max_raise", message);
    let third = roll(&colleague, &stage.state, 2_000).await;
    third.expect_status(200);
    let giver = roll(&admin, &stage.state, 2_001).await;
    expect_clause(
        &giver,
        "given_by",
        "nobody uses a grant of their own giving",
    );
}

#[tokio::test]
async fn a_token_uses_its_grant_as_long_as_it_lasts() {
    let stage = Stage::new().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let token = |name: &str| developer.create("/v1/me/tokens", json!({"name": name}));
    let [made, other] = [token("deploy").await, token("other").await];
    let acting = |token: &harness::Response| -> Caller {
        setup.app.anonymous().with_token(&token.text("/token"))
    };
    let holder = json!({"kind": "access_token", "id": made.text("/id")});
    let grant = stage.give(json!({"holder": holder})).await;
    roll(&acting(&made), &stage.state, 1_100)
        .await
        .expect_status(200);
    for caller in [&acting(&other), &**developer] {
        let refused = roll(caller, &stage.state, 1_200).await;
        refused.expect_status(403);
        assert!(refused.body.get("grants").is_none());
    }
    let revoke = format!("/v1/me/tokens/{}", made.text("/id"));
    developer.remove(&revoke).await;
    roll(&acting(&made), &stage.state, 1_200)
        .await
        .expect_status(401);
    let closed = setup.owner.get(&grant).await.body["closed"].clone();
    let message = "the access token that holds it has ended";
    assert_eq!(closed, json!({"clause": "holder", "message": message}));
}

#[tokio::test]
async fn a_grant_goes_with_its_holder_and_its_environment() {
    let stage = Stage::new().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let of_member = stage.give(json!({})).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let holder = json!({"kind": "member", "id": admin.member_id().await});
    let in_dev = json!({"holder": holder, "env_id": setup.project.dev});
    let in_dev = stage.give(in_dev).await;
    let member = format!("/v1/members/{}", developer.member_id().await);
    setup.owner.remove(&member).await;
    setup.owner.get(&of_member).await.expect_status(404);
    let dev = format!("/v1/projects/{}/environments/dev", setup.project.id);
    setup.owner.remove(&dev).await;
    setup.owner.get(&in_dev).await.expect_status(404);
}
