//! Sign-ins by a provider while somebody else changes the member.

use std::time::Duration;

use harness::{
    Response,
    scim::{USERS, user},
};
use serde_json::json;
use sqlx::Connection as _;

use super::Scene;

/// Signs ada in, and lets `meanwhile` begin when the sign-in has the lock of the account and waits for that of the organization's
/// activity. Both wait for a lock before they go on.
async fn during_a_sign_in(
    scene: &Scene,
    meanwhile: impl Future<Output = Response>,
) -> (Response, Response) {
    let begun = scene.begin().await;
    // Logins of one second are written down once.
    scene.app.clock.advance(Duration::from_secs(2));
    let mut session = scene.app.session().await;
    let mut held = session.begin().await.unwrap();
    sqlx::query("SELECT FROM org_activity FOR UPDATE")
        .execute(&mut *held)
        .await
        .unwrap();
    let (signed_in, changed, ()) = tokio::join!(
        scene.finish(&begun),
        async {
            scene.app.until_waiting_for_locks(1).await;
            meanwhile.await
        },
        async {
            scene.app.until_waiting_for_locks(2).await;
            held.rollback().await.unwrap();
        },
    );
    (signed_in, changed)
}

#[tokio::test]
async fn the_end_of_a_members_sessions_waits_for_the_one_that_is_being_opened() {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    scene.sign_in().await.expect_status(200);
    let ada = scene.ada().await;
    let path = format!("/v1/members/{}/sessions", ada["id"].as_str().unwrap());
    let (signed_in, ended) = during_a_sign_in(&scene, scene.owner.delete(&path)).await;
    signed_in.expect_status(200);
    ended.expect_status(204);
    let opened = scene.app.anonymous();
    let opened = opened.with_token(&signed_in.text("/tokens/access_token"));
    let refused = opened.get("/v1/me").await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn a_user_of_scim_is_changed_after_the_session_that_is_being_opened() {
    let scene = Scene::start().await;
    let scim = scene.app.identity_provider(&scene.owner).await;
    let id = scim.provision("ada@acme.test").await;
    scene.sign_in().await.expect_status(200);
    let mut ada = user("ada@acme.test");
    ada["name"] = json!({"givenName": "Ada", "familyName": "King"});
    let path = format!("{USERS}/{id}");
    let (signed_in, changed) = during_a_sign_in(&scene, scim.put(&path, ada)).await;
    signed_in.expect_status(200);
    changed.expect_status(200);
    assert_eq!(scene.ada().await["name"], "Ada King");
}
