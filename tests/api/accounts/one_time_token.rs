//! One-time tokens and their exchange.

use std::time::Duration;

use harness::{App, Response, User, statuses};
use serde_json::json;

use super::audit_trail;

const REFUSAL: &str = "invalid or expired token";

async fn issue(user: &User) -> String {
    let answer = user.post("/v1/auth/one-time-token", json!({})).await;
    answer.expect(201, json!({"token": "[text]", "expires_in": 300}));
    answer.text("/token")
}

async fn exchange(app: &App, token: &str) -> Response {
    let body = json!({"token": token});
    app.anonymous().post("/v1/auth/token-exchange", body).await
}

#[tokio::test]
async fn a_token_signs_in_as_its_user_to_its_organization() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.member(&owner, "viewer").await;
    let token = issue(&viewer).await;
    assert_eq!(token.len(), 64);
    assert!(token.bytes().all(|byte| byte.is_ascii_hexdigit()));

    app.clock.advance(Duration::from_secs(299));
    let answer = exchange(&app, &token).await;
    let expires_at = (app.clock.now() + Duration::from_secs(3_600)).unix_timestamp();
    answer.expect(
        200,
        json!({
            "user": {
                "id": viewer.id,
                "email": viewer.email,
                "name": "viewer",
                "email_verified": true,
                "created_at": "2026-05-04T12:00:00Z",
            },
            "tokens": {
                "access_token": "[text]",
                "refresh_token": "[text]",
                "expires_at": expires_at,
            },
        }),
    );
    let session = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    session.get("/v1/projects").await.expect_status(200);
    // Besides the session that it came from.
    viewer.get("/v1/projects").await.expect_status(200);

    let trail = audit_trail(&app, &owner.org_id).await;
    let entry = |action: &str| (action.to_owned(), viewer.id.clone());
    assert_eq!(
        trail[1..],
        [
            entry("auth.login"),
            entry("auth.one_time_token_issued"),
            entry("auth.login")
        ]
    );
}

#[tokio::test]
async fn a_token_needs_no_body_to_be_issued() {
    let (_app, owner) = App::with_owner().await;
    let request = owner.request(reqwest::Method::POST, "/v1/auth/one-time-token");
    owner.send(request).await.expect_status(201);
}

#[tokio::test]
async fn a_token_is_consumed_once() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    exchange(&app, &token).await.expect_status(200);
    exchange(&app, &token).await.expect_error(401, REFUSAL);
}

#[tokio::test]
async fn of_two_exchanges_at_once_one_succeeds() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    let (one, other) = tokio::join!(exchange(&app, &token), exchange(&app, &token));
    assert_eq!(statuses([&one, &other]), [200, 401]);
}

#[tokio::test]
async fn a_token_expires_after_five_minutes() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    app.clock.advance(Duration::from_secs(300));
    exchange(&app, &token).await.expect_error(401, REFUSAL);
}

#[tokio::test]
async fn the_token_of_a_former_member_is_401() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.member(&owner, "viewer").await;
    let token = issue(&viewer).await;
    app.execute(
        "DELETE FROM members WHERE user_id = $1::uuid",
        &[&viewer.id],
    )
    .await;
    exchange(&app, &token).await.expect_error(401, REFUSAL);
}

#[tokio::test]
async fn a_token_ends_with_the_session_that_it_came_from() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = owner.sign_in_again().await;
    let (ended, other) = (issue(&owner).await, issue(&elsewhere).await);
    owner.act("/v1/auth/logout", json!({})).await;
    exchange(&app, &ended).await.expect_error(401, REFUSAL);
    exchange(&app, &other).await.expect_status(200);
}

#[tokio::test]
async fn a_token_ends_with_a_session_that_is_revoked_for_reuse() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    let refresh = async || {
        let body = json!({"refresh_token": owner.refresh_token});
        app.anonymous().post("/v1/auth/refresh", body).await
    };
    refresh().await.expect_status(200);
    app.clock.advance(Duration::from_secs(31));
    refresh().await.expect_status(401);
    exchange(&app, &token).await.expect_error(401, REFUSAL);
}

#[tokio::test]
async fn an_exchange_that_waits_for_a_logout_is_refused() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    let mut logout = app.pool().begin().await.unwrap();
    sqlx::query("UPDATE token_families SET revoked_at = now()")
        .execute(&mut *logout)
        .await
        .unwrap();
    let waiting = async {
        app.until_waiting_for_locks(1).await;
        logout.commit().await.unwrap();
    };
    let (answer, ()) = tokio::join!(exchange(&app, &token), waiting);
    answer.expect_error(401, REFUSAL);
}

#[tokio::test]
async fn a_missing_token_is_400_and_an_unknown_one_401() {
    let app = App::start().await;
    for body in [json!({}), json!({"token": ""}), json!({"token": null})] {
        app.anonymous()
            .post("/v1/auth/token-exchange", body)
            .await
            .expect_error(400, "token is required");
    }
    let owner = app.signup("acme").await;
    let token = issue(&owner).await;
    let unknown = [
        "0".repeat(64),
        "nonsense".to_owned(),
        token.to_uppercase() + "0",
        owner.access_token.clone(),
    ];
    for token in unknown {
        exchange(&app, &token).await.expect_error(401, REFUSAL);
    }
}

#[tokio::test]
async fn only_a_hash_of_the_token_is_kept() {
    let (app, owner) = App::with_owner().await;
    let token = issue(&owner).await;
    let kept: String = app
        .value("SELECT one_time_tokens::text FROM one_time_tokens", &[])
        .await;
    assert!(!kept.contains(&token), "{kept}");
    let trail: String = app
        .value(
            "SELECT string_agg(audit_entries::text, ' ') FROM audit_entries",
            &[],
        )
        .await;
    assert!(!trail.contains(&token), "{trail}");
}
