//! Changing the role of a member.

use harness::App;
use serde_json::json;

use super::{ADDRESS, entry, invited, listed, path_of};
use crate::trail;

#[tokio::test]
async fn a_role_changes_at_once_for_tokens_that_exist_on_every_replica() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let owner = app.signup("acme").await;
    let developer = app.member(&owner, "developer").await;
    let path = path_of(&developer.member_id().await);
    let before = listed(&owner, &developer.email).await;
    let shop = json!({"name": "Shop"});
    developer
        .at(&replica)
        .post("/v1/projects", shop.clone())
        .await
        .expect_status(201);

    let answer = owner.put(&path, json!({"role": "viewer"})).await;
    answer.expect(204, json!(null));
    for caller in [developer.at(&replica), developer.at(&app.url)] {
        let refused = caller.post("/v1/projects", shop.clone()).await;
        refused.expect_error(403, "insufficient permissions");
    }
    let mut after = before.clone();
    after["role"] = json!("viewer");
    assert_eq!(listed(&owner, &developer.email).await, after);
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry(
            &owner,
            "member.role_changed",
            &before["id"],
            &before,
            &after
        )
    );

    owner
        .at(&replica)
        .put(&path, json!({"role": "admin"}))
        .await
        .expect_status(204);
    let body = json!({"email": ADDRESS});
    developer.create("/v1/members/invite", body).await;
}

#[tokio::test]
async fn an_update_that_breaks_a_rule_is_400() {
    let (_app, owner) = App::with_owner().await;
    let path = invited(&owner, ADDRESS, "viewer").await;
    for role in ["", "Viewer", "editor"] {
        let refused = owner.put(&path, json!({"role": role})).await;
        refused.expect_error(400, "role must be owner, admin, developer or viewer");
    }
    let refused = owner.put(&path, json!({"role": null})).await;
    refused.expect_error(400, "role must not be null");
    let refused = owner.put(&path, json!({"role": 5})).await;
    refused.expect_status(400);
    assert_eq!(listed(&owner, ADDRESS).await["role"], "viewer");
}

#[tokio::test]
async fn only_an_owner_grants_and_changes_the_owner_role() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    let second = app.member(&owner, "owner").await;
    let viewer = invited(&owner, ADDRESS, "viewer").await;
    let second = path_of(&second.member_id().await);
    let denied = "insufficient permissions";

    let make_owner = json!({"role": "owner"});
    let grant = admin.put(&viewer, make_owner.clone()).await;
    grant.expect_error(403, denied);
    for role in ["viewer", "owner"] {
        let change = admin.put(&second, json!({"role": role})).await;
        change.expect_error(403, denied);
    }
    let promote_self = path_of(&admin.member_id().await);
    let grant = admin.put(&promote_self, make_owner.clone()).await;
    grant.expect_error(403, denied);
    // The last owner too: an admin is not told how many there are.
    let last = path_of(&owner.member_id().await);
    let change = admin.put(&last, json!({"role": "viewer"})).await;
    change.expect_error(403, denied);

    let answer = admin.put(&viewer, json!({"role": "admin"})).await;
    answer.expect_status(204);
    owner.put(&viewer, make_owner).await.expect_status(204);
    let answer = owner.put(&second, json!({"role": "admin"})).await;
    answer.expect_status(204);
}

#[tokio::test]
async fn demoting_the_last_owner_is_409() {
    let (_app, owner) = App::with_owner().await;
    let path = path_of(&owner.member_id().await);
    for role in ["admin", "developer", "viewer"] {
        let refused = owner.put(&path, json!({"role": role})).await;
        refused.expect_error(409, "an organization needs an owner");
    }
    let answer = owner.put(&path, json!({"role": "owner"})).await;
    answer.expect_status(204);

    invited(&owner, ADDRESS, "owner").await;
    let answer = owner.put(&path, json!({"role": "viewer"})).await;
    answer.expect_status(204);
    assert_eq!(listed(&owner, &owner.email).await["role"], "viewer");
}
