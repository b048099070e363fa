//! Logins keep an organization, and restore one that was deleted.

use std::time::Duration;

use harness::{App, User};
use serde_json::json;
use time::OffsetDateTime;

use super::{
    DAY, DELETED, LONG_TOKENS, free, is_deleted, login, refresh, soft_delete, with_free_owner,
};
use crate::trail;

async fn last_login(app: &App, user: &User) -> OffsetDateTime {
    app.value(
        "SELECT last_login_at FROM org_activity WHERE org_id = $1::uuid",
        &[&user.org_id],
    )
    .await
}

async fn assert_restored_by(app: &App, owner: &User, by: &User) {
    assert!(!is_deleted(app, owner).await);
    assert_eq!(last_login(app, owner).await, app.clock.now());
    assert_eq!(
        trail::of_action(app, owner, "organization.restored").await,
        [json!({
            "action": "organization.restored",
            "actor_type": "user",
            "actor_id": by.id,
            "resource_type": "organization",
            "resource_id": owner.org_id,
            "project_id": null,
            "before_state": null,
            "after_state": null,
            "metadata": null,
        })]
    );
    // Tokens from before work again too.
    owner.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_login_within_90_days_restores_the_organization() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    app.clock.advance(89 * DAY);
    login(&app, &owner.email).await.expect_status(200);
    assert_restored_by(&app, &owner, &owner).await;
}

#[tokio::test]
async fn a_login_of_any_member_restores_the_organization() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    let viewer = app.member(&owner, "viewer").await;
    soft_delete(&app).await;
    login(&app, &viewer.email).await.expect_status(200);
    assert_restored_by(&app, &owner, &viewer).await;
}

#[tokio::test]
async fn a_refresh_restores_the_organization_like_a_login() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    refresh(&app, &owner).await.expect_status(200);
    assert_restored_by(&app, &owner, &owner).await;
}

#[tokio::test]
async fn a_token_exchange_restores_the_organization_like_a_login() {
    let settings = [
        LONG_TOKENS[0],
        LONG_TOKENS[1],
        ("ONE_TIME_TOKEN_TTL", "200d"),
    ];
    let app = App::start_with(&settings).await;
    let owner = free(&app, "acme").await;
    let issued = owner.create("/v1/auth/one-time-token", json!({})).await;
    soft_delete(&app).await;
    let token = json!({"token": issued.text("/token")});
    app.anonymous().act("/v1/auth/token-exchange", token).await;
    assert_restored_by(&app, &owner, &owner).await;
}

#[tokio::test]
async fn what_is_refused_restores_nothing_and_keeps_nothing() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    let before = last_login(&app, &owner).await;
    let stale = owner.clone();
    app.clock.advance(DAY);
    refresh(&app, &owner).await.expect_status(200);
    let refreshed = last_login(&app, &owner).await;
    assert!(refreshed > before);
    soft_delete(&app).await;
    let wrong = json!({"email": owner.email, "password": "Wrong-horse-1"});
    let wrong = app.anonymous().post("/v1/auth/login", wrong).await;
    wrong.expect_error(401, "invalid credentials");
    // A token that was replaced: a copy. Its family ends.
    refresh(&app, &stale)
        .await
        .expect_error(401, "invalid or expired token");
    assert!(is_deleted(&app, &owner).await);
    assert_eq!(last_login(&app, &owner).await, refreshed);
    let revoked: bool = app
        .value(
            "SELECT bool_and(revoked_at IS NOT NULL) FROM token_families WHERE user_id = $1::uuid",
            &[&owner.id],
        )
        .await;
    assert!(revoked);
}

#[tokio::test]
async fn every_way_to_sign_in_counts_as_a_login() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    assert_eq!(last_login(&app, &owner).await, app.clock.now());
    app.clock.advance(DAY);
    login(&app, &owner.email).await.expect_status(200);
    assert_eq!(last_login(&app, &owner).await, app.clock.now());
    app.clock.advance(DAY);
    refresh(&app, &owner).await.expect_status(200);
    assert_eq!(last_login(&app, &owner).await, app.clock.now());
    let issued = owner.post("/v1/auth/one-time-token", json!({})).await;
    app.clock.advance(Duration::from_secs(60));
    let token = json!({"token": issued.text("/token")});
    app.anonymous().act("/v1/auth/token-exchange", token).await;
    assert_eq!(last_login(&app, &owner).await, app.clock.now());
}

#[tokio::test]
async fn logins_within_a_second_are_noted_once_and_do_not_wait_for_each_other() {
    let (app, owner) = App::with_owner().await;
    let noted = last_login(&app, &owner).await;
    let mut holder = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM org_activity WHERE org_id = $1::uuid FOR UPDATE")
        .bind(&owner.org_id)
        .execute(&mut *holder)
        .await
        .unwrap();
    app.clock.advance(Duration::from_millis(999));
    login(&app, &owner.email).await.expect_status(200);
    refresh(&app, &owner).await.expect_status(200);
    drop(holder);
    assert_eq!(last_login(&app, &owner).await, noted);
    app.clock.advance(Duration::from_millis(1));
    login(&app, &owner.email).await.expect_status(200);
    assert_eq!(last_login(&app, &owner).await, app.clock.now());
}

#[tokio::test]
async fn a_deleted_organization_is_chosen_last_unless_it_is_asked_for() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    let other = app.signup("globex").await;
    let invite = json!({"email": owner.email, "role": "viewer"});
    other.create("/v1/members/invite", invite).await;
    soft_delete(&app).await;
    let answer = login(&app, &owner.email).await;
    answer.expect_status(200);
    assert!(is_deleted(&app, &owner).await);
    let elsewhere = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    let members = elsewhere.get("/v1/members").await;
    assert_eq!(members.text("/data/0/email"), other.email);
    owner.get("/v1/projects").await.expect_error(403, DELETED);

    let asked_for = owner.sign_in_again().await;
    assert!(!is_deleted(&app, &owner).await);
    asked_for.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn of_logins_at_once_one_restores_the_organization() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    let (one, two, three) = tokio::join!(
        login(&app, &owner.email),
        login(&app, &owner.email),
        refresh(&app, &owner),
    );
    for answer in [one, two, three] {
        answer.expect_status(200);
    }
    let restored = trail::of_action(&app, &owner, "organization.restored").await;
    assert_eq!(restored.len(), 1);
}
