//! Tags that would bring a flag under a grant.

use harness::{Caller, Response};
use serde_json::{Value, json};

use super::{Stage, roll};

/// A stage with a grant of the developer for `mobile`, which the flag is not tagged with.
async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.give(json!({"tags": ["mobile"]})).await;
    stage
}

/// The body of a change that tags the flag `mobile`.
fn tagged() -> Value {
    json!({"tags": ["mobile", "web"]})
}

#[track_caller]
fn expect_guarded(refused: &Response) {
    refused.expect_status(403);
    assert_eq!(refused.body["error"], "environment_protected");
    let message = "by its new tags the flag would come under grants in protected environments; let somebody add them who may give \
                   grants and holds none of these, or add them in a change set that others approve";
    assert_eq!(refused.body["message"], message);
    assert_eq!(refused.body["environments"][0]["slug"], "production");
}

#[tokio::test]
async fn whoever_may_not_give_grants_brings_no_flag_under_one_by_a_tag() {
    let stage = stage().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let flag = format!("{}/shop", setup.flags());
    expect_guarded(&developer.put(&flag, tagged()).await);
    let content = format!("/v1/projects/{}/content", setup.project.id);
    let body = json!({"flags": [{"key": "shop", "tags": ["mobile", "web"]}]});
    expect_guarded(&developer.post(&content, body).await);
    let bulk = format!("/v1/projects/{}/bulk", setup.project.id);
    let body = json!({"action": "tag", "tag": "mobile", "keys": ["shop"]});
    let edited = developer.post(&bulk, body).await;
    assert_eq!(
        edited.body["results"][0]["status"], 403,
        "{:#}",
        edited.body
    );
    stage.roll(1_100).await.expect_status(403);

    // A tag that no grant names, and one that the flag goes without, give nobody more.
    let other = json!({"tags": ["shop"]});
    developer.change(&flag, other).await;
    setup.owner.change(&flag, tagged()).await;
    stage.roll(1_100).await.expect_status(200);
}

#[tokio::test]
async fn a_holder_who_may_give_grants_does_not_widen_their_own() {
    let stage = stage().await;
    let Stage { setup, .. } = &stage;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let holder = json!({"kind": "member", "id": admin.member_id().await});
    stage
        .give(json!({"holder": holder, "tags": ["shop"]}))
        .await;
    let flag = format!("{}/shop", setup.flags());
    let refused = admin.put(&flag, json!({"tags": ["shop", "web"]})).await;
    expect_guarded(&refused);
    // That of another is theirs to widen, but not by a token with a lower role.
    let token = json!({"name": "deploy", "role": "developer"});
    let token = admin.create("/v1/me/tokens", token).await.text("/token");
    let by_token: Caller = setup.app.anonymous().with_token(&token);
    expect_guarded(&by_token.put(&flag, tagged()).await);
    admin.change(&flag, tagged()).await;
}

#[tokio::test]
async fn a_flag_without_a_state_there_is_tagged_freely() {
    let stage = stage().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let body = json!({"key": "new", "name": "New", "tags": ["mobile"]});
    developer.create(&setup.flags(), body).await;
    let flag = format!("{}/new", setup.flags());
    developer.change(&flag, json!({"tags": ["web"]})).await;
    developer.change(&flag, tagged()).await;
    let state = format!("{flag}/environments/production");
    roll(developer, &state, 100).await.expect_status(403);
}

#[tokio::test]
async fn a_change_set_adds_such_a_tag_with_the_approval_of_others() {
    let stage = stage().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let sets = format!("/v1/projects/{}/change-sets", setup.project.id);
    let changes = json!({"flags": [{"key": "shop", "tags": ["mobile", "web"]}]});
    let body = json!({"name": "Mobile", "changes": changes});
    let drafted = developer.create(&sets, body).await;
    let set = format!("{sets}/{}", drafted.text("/id"));
    let refused = developer.post(&format!("{set}/apply"), json!({})).await;
    refused.expect_status(403);
    assert_eq!(refused.body["error"], "approval_required");
    let request = format!("{set}/request");
    let requested = developer.post(&request, Value::Null).await;
    assert_eq!(requested.body["protected"], json!(["production"]));
    let approve = json!({"action": "approve"});
    let approved = setup.owner.post(&format!("{set}/review"), approve).await;
    approved.expect_status(200);
    let applied = developer.post(&format!("{set}/apply"), json!({})).await;
    applied.expect_status(200);
    stage.roll(1_100).await.expect_status(200);
}
