//! Replacing one's own password.

use std::time::Duration;

use harness::user::PASSWORD;
use harness::{App, Response, User, statuses};
use serde_json::{Value, json};

use super::expect_sessions_ended;
use crate::{mfa, trail};

const NEW: &str = "Battery-staple-2";
const INVALID: &str = "invalid credentials";
const LOCKED: &str = "too many failed login attempts, please try again later";
const RULES: &str = "new_password must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special";

async fn change(user: &User, current: &str, new: &str) -> Response {
    let body = json!({"current_password": current, "new_password": new});
    user.post("/v1/auth/change-password", body).await
}

async fn login(app: &App, user: &User, password: &str) -> Response {
    let body = json!({"email": user.email, "password": password});
    app.anonymous().post("/v1/auth/login", body).await
}

#[tokio::test]
async fn the_new_password_signs_in_and_the_other_sessions_end() {
    let (app, owner) = App::with_owner().await;
    let other = owner.sign_in_again().await;
    let handoff = other.post("/v1/auth/one-time-token", Value::Null).await;
    handoff.expect_status(201);

    let answer = change(&owner, PASSWORD, NEW).await;
    answer.expect(200, json!({"message": "password changed"}));
    owner.get("/v1/projects").await.expect_status(200);
    expect_sessions_ended(&app, &other, &handoff.text("/token")).await;
    assert_eq!(
        trail::newest(&app, &owner).await,
        json!({
            "action": "auth.password_changed", "actor_type": "user", "actor_id": owner.id, "resource_type": "auth",
            "resource_id": owner.id, "project_id": null, "before_state": null, "after_state": null, "metadata": null,
        })
    );
    login(&app, &owner, PASSWORD)
        .await
        .expect_error(401, INVALID);
    login(&app, &owner, NEW).await.expect_status(200);
    // The session that stays can be refreshed.
    let body = json!({"refresh_token": owner.refresh_token});
    let refreshed = app.anonymous().post("/v1/auth/refresh", body).await;
    refreshed.expect_status(200);
}

#[tokio::test]
async fn sessions_in_other_organizations_end_too() {
    let app = App::start().await;
    let (host, guest) = (app.signup("host").await, app.signup("guest").await);
    let body = json!({"email": guest.email, "role": "viewer"});
    host.create("/v1/members/invite", body).await;
    let there = User::login(&app.anonymous(), &guest.email, &host.org_id).await;
    change(&guest, PASSWORD, NEW).await.expect_status(200);
    let refused = there.get("/v1/projects").await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn a_wrong_current_password_is_401_and_changes_nothing() {
    let (app, owner) = App::with_owner().await;
    let other = owner.sign_in_again().await;
    let length = trail::length(&app, &owner).await;
    for wrong in ["Wrong-password-1", &"x".repeat(2000)] {
        change(&owner, wrong, NEW).await.expect_error(401, INVALID);
    }
    assert_eq!(trail::length(&app, &owner).await, length);
    other.get("/v1/projects").await.expect_status(200);
    login(&app, &owner, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn wrong_current_passwords_lock_the_address() {
    let (app, owner) = App::with_owner().await;
    for _ in 0..10 {
        let answer = change(&owner, "Wrong-password-1", NEW).await;
        answer.expect_error(401, INVALID);
    }
    for current in [PASSWORD, "Wrong-password-1"] {
        change(&owner, current, NEW).await.expect_error(429, LOCKED);
    }
    login(&app, &owner, PASSWORD)
        .await
        .expect_error(429, LOCKED);
    app.clock.advance(Duration::from_secs(15 * 60));
    let again = owner.sign_in_again().await;
    change(&again, PASSWORD, NEW).await.expect_status(200);
}

#[tokio::test]
async fn both_passwords_are_required_and_the_new_one_follows_the_rules() {
    let (_app, owner) = App::with_owner().await;
    for (body, message) in [
        (json!({}), "current_password and new_password are required"),
        (
            json!({"current_password": " ", "new_password": NEW}),
            "current_password is required",
        ),
        (
            json!({"current_password": PASSWORD}),
            "new_password is required",
        ),
        (
            json!({"current_password": PASSWORD, "new_password": "weak"}),
            RULES,
        ),
    ] {
        let answer = owner.post("/v1/auth/change-password", body).await;
        answer.expect_error(400, message);
    }
}

#[tokio::test]
async fn of_two_changes_at_once_from_the_same_password_one_succeeds() {
    let (app, owner) = App::with_owner().await;
    let replica = app.another_replica().await;
    let there = owner.at(&replica);
    let body = json!({"current_password": PASSWORD, "new_password": "Second-password-3"});
    let (one, other) = tokio::join!(
        change(&owner, PASSWORD, NEW),
        there.post("/v1/auth/change-password", body)
    );
    let mut both = statuses([&one, &other]);
    both.sort_unstable();
    assert_eq!(both, [200, 401]);
}

#[tokio::test]
async fn the_second_factor_stays_and_an_unproven_password_stays_unproven() {
    let (app, owner) = App::with_owner().await;
    mfa::activate(&app, &owner).await;
    change(&owner, PASSWORD, NEW).await.expect_status(200);
    login(&app, &owner, NEW)
        .await
        .expect_error(403, "mfa_required");

    let unproven = User::register(&app.anonymous(), "globex").await;
    change(&unproven, PASSWORD, NEW).await.expect_status(200);
    let refused = unproven.post("/v1/auth/mfa/enable", Value::Null).await;
    refused.expect_status(403);
}
