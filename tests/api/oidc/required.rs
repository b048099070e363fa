//! Where members sign in by a provider alone.

use harness::{User, user::PASSWORD};
use serde_json::{Value, json};

use super::Scene;

const RULES: &str = "/v1/organization/sign-in";
const WORDS: &str =
    "members of the organization sign in by its provider: begin at POST /v1/auth/oidc/start";

/// A scene in which a member with a password works, and Ada has signed in by the provider.
async fn scene() -> (Scene, User) {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    scene.sign_in().await.expect_status(200);
    let member = scene.app.member(&scene.owner, "developer").await;
    (scene, member)
}

async fn require(scene: &Scene, is_required: bool) {
    let rules = json!({"only_by_provider": is_required});
    let changed = scene.owner.patch(RULES, rules.clone()).await;
    changed.expect(200, rules);
}

async fn log_in(scene: &Scene, user: &User, more: Value) -> harness::Response {
    let mut body = json!({"email": user.email, "password": PASSWORD});
    for (name, value) in more.as_object().expect("fields") {
        body[name] = value.clone();
    }
    scene.app.anonymous().post("/v1/auth/login", body).await
}

#[tokio::test]
async fn passwords_of_members_open_nothing_and_their_sessions_end_at_once() {
    let (scene, member) = scene().await;
    member.get("/v1/me").await.expect_status(200);
    require(&scene, true).await;
    let ended = member.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    let refresh = json!({"refresh_token": member.refresh_token});
    let refreshed = scene
        .app
        .anonymous()
        .post("/v1/auth/refresh", refresh)
        .await;
    refreshed.expect_error(401, "invalid or expired token");
    log_in(&scene, &member, json!({}))
        .await
        .expect_error(403, WORDS);
    let asked = json!({"org_id": scene.owner.org_id});
    log_in(&scene, &member, asked)
        .await
        .expect_error(403, WORDS);
    // The provider goes on.
    let signed_in = scene.sign_in().await;
    let ada = scene.app.anonymous();
    let ada = ada.with_token(&signed_in.text("/tokens/access_token"));
    ada.get("/v1/me").await.expect_status(200);
    let changed = &scene.entries("sign_in.rules_changed").await[0];
    assert_eq!(changed["before_state"], json!({"only_by_provider": false}));
    assert_eq!(changed["after_state"], json!({"only_by_provider": true}));
    // A session that has ended does not come back.
    require(&scene, false).await;
    let ended = member.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    log_in(&scene, &member, json!({})).await.expect_status(200);
}

#[tokio::test]
async fn owners_keep_their_password_so_that_nobody_is_locked_out() {
    let (scene, _) = scene().await;
    require(&scene, true).await;
    scene.owner.get("/v1/me").await.expect_status(200);
    log_in(&scene, &scene.owner, json!({}))
        .await
        .expect_status(200);
    require(&scene, false).await;
}

#[tokio::test]
async fn a_member_of_several_organizations_is_signed_in_to_another_one() {
    let (scene, member) = scene().await;
    let globex = scene.app.signup("globex").await;
    let body = json!({"email": member.email, "role": "viewer"});
    globex.create("/v1/members/invite", body).await;
    require(&scene, true).await;
    let signed_in = log_in(&scene, &member, json!({})).await;
    signed_in.expect_status(200);
    let token = signed_in.text("/tokens/access_token");
    let elsewhere = scene.app.anonymous().with_token(&token);
    let me = elsewhere.get("/v1/me").await;
    assert_eq!(me.text("/organization/id"), globex.org_id);
}

#[tokio::test]
async fn somebody_invited_does_not_sign_up_with_a_password() {
    let (scene, _) = scene().await;
    require(&scene, true).await;
    let email = "grace@acme.test";
    let body = json!({"email": email, "role": "viewer"});
    scene.owner.create("/v1/members/invite", body).await;
    scene.app.mails().await;
    let body = json!({"email": email, "password": PASSWORD, "name": "Grace"});
    let anonymous = scene.app.anonymous();
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let mails = scene.app.mails().await;
    let code = mails.last().expect("a mail").code();
    let body = json!({"email": email, "otp": code});
    let refused = anonymous.post("/v1/auth/complete-signup", body).await;
    refused.expect_error(403, WORDS);
}

#[tokio::test]
async fn a_demoted_owner_loses_the_session_of_their_password() {
    let (scene, member) = scene().await;
    let id = scene.owner.member_id_of(&member.email).await;
    let path = format!("/v1/members/{id}");
    let promoted = scene.owner.put(&path, json!({"role": "owner"})).await;
    promoted.expect_status(204);
    require(&scene, true).await;
    member.get("/v1/me").await.expect_status(200);
    let demoted = scene.owner.put(&path, json!({"role": "admin"})).await;
    demoted.expect_status(204);
    let ended = member.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
}
