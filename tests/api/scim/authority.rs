//! What a token may do: no more than whoever made it may do now.

use harness::scim::{USERS, user};
use harness::{IdentityProvider, User};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ADA, Scene, operations, path};
use crate::trail;

const BEYOND: &str = "the SCIM token may not handle members with this role: it may do what whoever made it may do now, so have an owner make another";

/// An admin, and a provider by a token that they made.
async fn by_admin(scene: &Scene) -> (User, IdentityProvider) {
    let admin = scene.app.member(&scene.owner, "admin").await;
    let provider = scene.app.identity_provider(&admin).await;
    (admin, provider)
}

async fn expect_hands_off(provider: &IdentityProvider, member: &User) {
    let path = path(&member.id);
    let renamed = json!([{"op": "replace", "path": "userName", "value": "somebody"}]);
    let body = user(&member.email);
    for (method, path, body) in [
        (Method::DELETE, path.as_str(), Value::Null),
        (Method::PUT, path.as_str(), json!({"active": false})),
        (Method::PUT, path.as_str(), json!({"active": true})),
        (Method::PATCH, path.as_str(), operations(renamed)),
        (Method::POST, USERS, body),
    ] {
        let refused = provider.send_scim(method, path, &body).await;
        refused.expect_scim_error(403, "", BEYOND);
    }
}

#[tokio::test]
async fn a_token_of_an_admin_handles_no_owners() {
    let scene = Scene::set().await;
    let (_, provider) = by_admin(&scene).await;
    let second = scene.app.member(&scene.owner, "owner").await;
    expect_hands_off(&provider, &second).await;
    second.get("/v1/members").await.expect_status(200);

    // Neither one who was suspended: what they were would come back.
    let suspended = scene.provider.set_active(&second.id, false).await;
    suspended.expect_status(200);
    expect_hands_off(&provider, &second).await;
    let back = scene.provider.set_active(&second.id, true).await;
    back.expect_status(200);
    assert_eq!(scene.member(&second.email).await["role"], "owner");

    let admin = scene.app.member(&scene.owner, "admin").await;
    let ended = provider.set_active(&admin.id, false).await;
    ended.expect_status(200);
}

#[tokio::test]
async fn a_token_loses_what_its_maker_loses() {
    let scene = Scene::set().await;
    let maker = scene.app.member(&scene.owner, "owner").await;
    let provider = scene.app.identity_provider(&maker).await;
    let second = scene.app.member(&scene.owner, "owner").await;
    let member = format!("/v1/members/{}", maker.member_id().await);
    let demoted = scene.owner.put(&member, json!({"role": "admin"})).await;
    demoted.expect_status(204);
    expect_hands_off(&provider, &second).await;
    let promoted = scene.owner.put(&member, json!({"role": "owner"})).await;
    promoted.expect_status(204);
    provider
        .set_active(&second.id, false)
        .await
        .expect_status(200);
}

#[tokio::test]
async fn provisioning_goes_on_for_those_without_power_when_the_maker_is_gone() {
    let scene = Scene::set().await;
    let (admin, provider) = by_admin(&scene).await;
    let other = scene.app.member(&scene.owner, "admin").await;
    let member = format!("/v1/members/{}", admin.member_id().await);
    scene.owner.remove(&member).await;

    expect_hands_off(&provider, &other).await;
    let id = provider.provision(ADA).await;
    provider.set_active(&id, false).await.expect_status(200);
    provider.set_active(&id, true).await.expect_status(200);
    assert_eq!(scene.member(ADA).await["role"], "developer");
    provider.remove(&path(&id)).await;
}

#[tokio::test]
async fn a_maker_who_may_not_manage_members_any_more_counts_as_gone() {
    let scene = Scene::set().await;
    let (admin, provider) = by_admin(&scene).await;
    let other = scene.app.member(&scene.owner, "admin").await;
    scene
        .app
        .hold_to(&scene.owner, &admin, &["flags.read"])
        .await;
    expect_hands_off(&provider, &other).await;
}

#[tokio::test]
async fn a_token_that_is_left_gives_no_role_that_handles_others() {
    let scene = Scene::set_with(&[("SCIM_DEFAULT_ROLE", "admin")]).await;
    let (admin, provider) = by_admin(&scene).await;
    provider.provision(ADA).await;
    let member = format!("/v1/members/{}", admin.member_id().await);
    scene.owner.remove(&member).await;
    let refused = provider.post(USERS, user("grace@example.com")).await;
    refused.expect_scim_error(403, "", BEYOND);
    assert_eq!(scene.member("grace@example.com").await, Value::Null);
}

#[tokio::test]
async fn the_trail_names_the_token_and_who_made_it() {
    let scene = Scene::set().await;
    scene.provider.provision(ADA).await;
    let entry = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(entry["actor_type"], "scim");
    assert_eq!(entry["actor_id"], json!(scene.provider.token_id));
    let metadata = json!({"token_made_by": scene.owner.id});
    assert_eq!(entry["metadata"], metadata);
}
