//! DELETE.

use harness::scim::USERS;
use serde_json::{Value, json};

use super::{ADA, Scene, path};
use crate::trail;

#[tokio::test]
async fn a_removed_user_is_a_member_no_longer_and_gone() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    let before = provider.get(&path(&id)).await.body;
    provider.delete(&path(&id)).await.expect(204, Value::Null);
    assert_eq!(scene.member(ADA).await, Value::Null);
    let gone = "SCIM user not found";
    let body = json!({"active": true});
    for answer in [
        provider.get(&path(&id)).await,
        provider.delete(&path(&id)).await,
        provider.put(&path(&id), body).await,
    ] {
        answer.expect_scim_error(404, "", gone);
    }
    let list = provider.get(USERS).await;
    assert_eq!(list.body["totalResults"], 1);
    let entry = trail::newest(app, owner).await;
    assert_eq!(entry["action"], "scim.user_removed");
    assert_eq!(entry["before_state"]["userName"], before["userName"]);
    assert_eq!(entry["after_state"], Value::Null);
}

#[tokio::test]
async fn the_account_stays_with_its_other_memberships() {
    let scene = Scene::set().await;
    let elsewhere = scene.app.signup("elsewhere").await;
    let id = scene.provider.provision(&elsewhere.email).await;
    scene.provider.remove(&path(&id)).await;
    elsewhere.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_member_of_whom_nothing_was_ever_said_is_removed_too() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let user = app.member(owner, "viewer").await;
    provider.remove(&path(&user.id)).await;
    user.get("/v1/projects").await.expect_status(401);
    provider.get(&path(&user.id)).await.expect_status(404);
}

#[tokio::test]
async fn an_inactive_user_is_removed() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    scene
        .provider
        .set_active(&id, false)
        .await
        .expect_status(200);
    scene.provider.remove(&path(&id)).await;
    scene.provider.get(&path(&id)).await.expect_status(404);
}

#[tokio::test]
async fn a_removed_user_whom_a_person_invites_is_a_user_again() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    provider.remove(&path(&id)).await;
    let invite = json!({"email": ADA, "role": "viewer"});
    owner.create("/v1/members/invite", invite).await;
    let shown = provider.get(&path(&id)).await;
    shown.expect_status(200);
    assert_eq!(
        (shown.text("/userName"), &shown.body["active"]),
        (ADA.to_owned(), &json!(true))
    );
}
