//! `active`: ending a membership and restoring it.

use harness::scim::USERS;
use harness::user::PASSWORD;
use harness::{App, User};
use serde_json::{Value, json};

use super::{ADA, Scene, path};
use crate::accounts::expect_sessions_ended;
use crate::trail;

/// A member with a password, and their id as a user.
async fn signed_in(scene: &Scene, role: &str) -> (User, String) {
    let user = scene.app.member(&scene.owner, role).await;
    let id = user.id.clone();
    (user, id)
}

/// What a login with the password of tests leads to.
async fn login(app: &App, email: &str) -> u16 {
    let body = json!({"email": email, "password": PASSWORD});
    app.anonymous().post("/v1/auth/login", body).await.status
}

#[tokio::test]
async fn deactivation_ends_membership_and_sessions_at_once() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let (user, id) = signed_in(&scene, "developer").await;
    let token = user
        .post("/v1/auth/one-time-token", Value::Null)
        .await
        .text("/token");
    user.get("/v1/projects").await.expect_status(200);
    let before = provider.get(&path(&id)).await.body;

    let answer = provider.set_active(&id, false).await;
    let mut after = before.clone();
    after["active"] = json!(false);
    after["meta"]["lastModified"] = json!("[time]");
    answer.expect(200, after.clone());
    provider.get(&path(&id)).await.expect(200, after);
    assert_eq!(scene.member(&user.email).await, Value::Null);
    expect_sessions_ended(app, &user, &token).await;
    assert_eq!(login(app, &user.email).await, 401);
    let entry = trail::newest(app, owner).await;
    assert_eq!(entry["action"], "scim.user_deactivated");
    assert_eq!(entry["before_state"]["active"], true);
    assert_eq!(entry["after_state"]["active"], false);
    assert!(
        trail::of_action(app, owner, "member.removed")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn other_memberships_and_the_account_stay() {
    let scene = Scene::set().await;
    let elsewhere = scene.app.signup("elsewhere").await;
    let id = scene.provider.provision(&elsewhere.email).await;
    scene
        .provider
        .set_active(&id, false)
        .await
        .expect_status(200);
    elsewhere.get("/v1/projects").await.expect_status(200);
    assert_eq!(login(&scene.app, &elsewhere.email).await, 200);
}

#[tokio::test]
async fn reactivation_restores_the_role_and_old_sessions_stay_ended() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let (user, id) = signed_in(&scene, "admin").await;
    let role_id = app.hold_to(owner, &user, &["flags.read"]).await;
    provider.set_active(&id, false).await.expect_status(200);
    let answer = provider.set_active(&id, true).await;
    answer.expect_status(200);
    assert_eq!(answer.body["active"], true);
    let member = scene.member(&user.email).await;
    assert_eq!(
        (&member["role"], &member["custom_role_id"]),
        (&json!("admin"), &json!(role_id))
    );
    user.get("/v1/projects").await.expect_status(401);
    assert_eq!(login(app, &user.email).await, 200);
    let entry = trail::newest(app, owner).await;
    assert_eq!(entry["action"], "auth.login");
    let provisioned = trail::of_action(app, owner, "scim.user_provisioned").await;
    assert_eq!(provisioned[0]["before_state"]["active"], false);
}

#[tokio::test]
async fn reactivation_restores_environment_permissions() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let (user, id) = signed_in(&scene, "developer").await;
    let project = owner.default_project().await;
    let row = |env: &str| json!({"env_id": env, "can_toggle": false, "can_edit_rules": true});
    let permissions = format!("/v1/members/{}/permissions", user.member_id().await);
    let body = json!({"permissions": [row(&project.dev), row(&project.staging)]});
    owner.change(&permissions, body).await;
    provider.set_active(&id, false).await.expect_status(200);
    let staging = format!(
        "/v1/projects/{}/environments/{}",
        project.id, project.staging
    );
    owner.remove(&staging).await;
    provider.set_active(&id, true).await.expect_status(200);

    let permissions = format!(
        "/v1/members/{}/permissions",
        owner.member_id_of(&user.email).await
    );
    let held = owner.get(&permissions).await;
    let of_dev = &held.body;
    assert_eq!(of_dev.as_array().map(Vec::len), Some(1), "{}", held.body);
    assert_eq!(of_dev[0]["env_id"], project.dev);
    assert_eq!(
        (&of_dev[0]["can_toggle"], &of_dev[0]["can_edit_rules"]),
        (&json!(false), &json!(true))
    );
}

#[tokio::test]
async fn somebody_whose_custom_role_is_gone_comes_back_as_a_viewer() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let (user, id) = signed_in(&scene, "admin").await;
    let role_id = app.hold_to(owner, &user, &["flags.read"]).await;
    provider.set_active(&id, false).await.expect_status(200);
    let role = format!("/v1/roles/{role_id}");
    owner.remove(&role).await;
    provider.set_active(&id, true).await.expect_status(200);
    let member = scene.member(&user.email).await;
    assert_eq!(
        (&member["role"], member.get("custom_role_id")),
        (&json!("viewer"), None)
    );
}

#[tokio::test]
async fn what_somebody_was_is_forgotten_when_a_person_invites_them() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let (user, id) = signed_in(&scene, "owner").await;
    provider.set_active(&id, false).await.expect_status(200);
    let invite = json!({"email": user.email, "role": "viewer"});
    owner.create("/v1/members/invite", invite).await;
    let shown = provider.get(&path(&id)).await;
    assert_eq!(shown.body["active"], true);
    let member = format!("/v1/members/{}", owner.member_id_of(&user.email).await);
    owner.remove(&member).await;
    let shown = provider.get(&path(&id)).await;
    assert_eq!(shown.body["active"], false);
    provider.set_active(&id, true).await.expect_status(200);
    assert_eq!(scene.member(&user.email).await["role"], "developer");
}

#[tokio::test]
async fn the_last_owner_is_neither_deactivated_nor_removed() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let words = "an organization needs an owner";
    let patch = json!({"Operations": [{"op": "replace", "value": {"active": false}}]});
    let post = json!({"userName": owner.email, "active": false});
    for refused in [
        provider.set_active(&owner.id, false).await,
        provider.patch(&path(&owner.id), patch).await,
        provider.post(USERS, post).await,
        provider.delete(&path(&owner.id)).await,
    ] {
        refused.expect_scim_error(409, "", words);
    }
    owner.get("/v1/projects").await.expect_status(200);
    let (other, _) = signed_in(&scene, "owner").await;
    provider
        .set_active(&owner.id, false)
        .await
        .expect_status(200);
    // The token of an owner who is one no longer handles no owners.
    let provider = scene.app.identity_provider(&other).await;
    let refused = provider.set_active(&other.id, false).await;
    refused.expect_scim_error(409, "", words);
}

#[tokio::test]
async fn deactivating_twice_changes_nothing_more() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    let first = scene.provider.set_active(&id, false).await;
    let second = scene.provider.set_active(&id, false).await;
    second.expect(200, first.body.clone());
    let entries = trail::of_action(&scene.app, &scene.owner, "scim.user_deactivated").await;
    assert_eq!(entries.len(), 1);
    let newest = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(newest["action"], "scim.user_deactivated");
}

#[tokio::test]
async fn every_restored_membership_takes_a_seat() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    provider.set_active(&id, false).await.expect_status(200);
    for _ in 0..2 {
        app.member(owner, "viewer").await;
    }
    // SCIM is on a plan without a limit of seats; what a lower one allows is asked all the same when it comes back.
    app.set_plan(owner, "free").await;
    let refused = provider.set_active(&id, true).await;
    refused.expect_scim_error(402, "", "scim requires the enterprise plan");
    app.set_plan(owner, "enterprise").await;
    provider.set_active(&id, true).await.expect_status(200);
    let usage = owner.get("/v1/billing/usage").await;
    assert_eq!(usage.body["seats_used"], 4, "{}", usage.body);
}
