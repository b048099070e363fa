//! A forgotten password: the code, and what it does.

use std::time::Duration;

use harness::mails::Mail;
use harness::user::PASSWORD;
use harness::{App, Response, eventually, statuses};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{audit_trail, expect_sessions_ended, initiate, other_than, registration};

const NEW: &str = "Battery-staple-2";
const INVALID: &str = "invalid or expired otp";
const EXHAUSTED: &str = "too many wrong codes, please ask for another code";

async fn forgot(app: &App, email: &str) {
    let body = json!({"email": email});
    let answer = app.anonymous().post("/v1/auth/forgot-password", body).await;
    let message = "if the address has an account, a code was sent to it";
    answer.expect(200, json!({"message": message}));
}

async fn reset(app: &App, email: &str, otp: &str) -> Response {
    let body = json!({"email": email, "otp": otp, "new_password": NEW});
    app.anonymous().post("/v1/auth/reset-password", body).await
}

async fn login(app: &App, email: &str, password: &str) -> Response {
    let body = json!({"email": email, "password": password});
    app.anonymous().post("/v1/auth/login", body).await
}

/// Reset mails to an address, in their order.
async fn reset_mails(app: &App, email: &str) -> Vec<Mail> {
    let mut mails = app.mails().await;
    mails.retain(|mail| mail.to == email && mail.subject == "Your Halyard password reset code");
    mails
}

/// Asks for a code, which is sent after the answer, and waits for it.
pub(crate) async fn forgot_and_read(app: &App, email: &str) -> String {
    let before = reset_mails(app, email).await.len();
    forgot(app, email).await;
    eventually("a reset code was sent", async || {
        let mails = reset_mails(app, email).await;
        mails.get(before).map(|mail| mail.code().to_owned())
    })
    .await
}

/// Waits until as many codes were counted for an address, sent or not.
async fn counted(app: &App, email: &str, codes: i32) {
    eventually("the codes were counted", async || {
        let held: Option<i32> =
            sqlx::query_scalar("SELECT cardinality(sent_at) FROM sent_codes WHERE email = $1")
                .bind(email)
                .fetch_optional(app.pool())
                .await
                .unwrap();
        (held == Some(codes)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_code_sets_a_new_password_and_ends_every_session() {
    let (app, owner) = App::with_owner().await;
    let token = owner
        .post("/v1/auth/one-time-token", json!({}))
        .await
        .text("/token");
    let code = forgot_and_read(&app, &owner.email).await;
    app.clock.advance(Duration::from_secs(899));
    let answer = reset(&app, " OWNER@acme.test", &code).await;
    answer.expect(200, json!({"message": "password reset"}));

    expect_sessions_ended(&app, &owner, &token).await;

    login(&app, &owner.email, PASSWORD)
        .await
        .expect_error(401, "invalid credentials");
    login(&app, &owner.email, NEW).await.expect_status(200);
    let trail = audit_trail(&app, &owner.org_id).await;
    let entry = ("auth.password_reset".to_owned(), owner.id.clone());
    assert!(trail.contains(&entry), "{trail:?}");
}

#[tokio::test]
async fn a_code_resets_once() {
    let (app, owner) = App::with_owner().await;
    let code = forgot_and_read(&app, &owner.email).await;
    let (one, other) = tokio::join!(
        reset(&app, &owner.email, &code),
        reset(&app, &owner.email, &code)
    );
    assert_eq!(statuses([&one, &other]), [200, 400]);
    reset(&app, &owner.email, &code)
        .await
        .expect_error(400, INVALID);
}

#[tokio::test]
async fn a_code_expires_after_fifteen_minutes() {
    let (app, owner) = App::with_owner().await;
    let code = forgot_and_read(&app, &owner.email).await;
    app.clock.advance(Duration::from_secs(900));
    reset(&app, &owner.email, &code)
        .await
        .expect_error(400, INVALID);
    login(&app, &owner.email, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn after_five_wrong_codes_the_right_one_is_429_until_the_next() {
    let (app, owner) = App::with_owner().await;
    let code = forgot_and_read(&app, &owner.email).await;
    for _ in 0..5 {
        reset(&app, &owner.email, &other_than(&code))
            .await
            .expect_error(400, INVALID);
    }
    let refused = reset(&app, &owner.email, &code).await;
    refused.expect_error(429, EXHAUSTED);
    assert_eq!(refused.header("retry-after"), "900");

    let code = forgot_and_read(&app, &owner.email).await;
    reset(&app, &owner.email, &code).await.expect_status(200);
}

#[tokio::test]
async fn an_unknown_address_and_a_stub_look_like_an_account_and_get_no_mail() {
    let (app, owner) = App::with_owner().await;
    sqlx::query(
        "INSERT INTO users (id, email, name, created_at, updated_at)
         VALUES ($1, 'stub@acme.test', 'stub', $2, $2)",
    )
    .bind(Uuid::now_v7())
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();

    for email in [&owner.email, "nobody@acme.test", "stub@acme.test"] {
        reset(&app, email, "000000")
            .await
            .expect_error(400, INVALID);
        forgot(&app, email).await;
        counted(&app, email, 1).await;
        let wrong = match &*reset_mails(&app, email).await {
            [] => "000000".to_owned(),
            [mail, ..] => other_than(mail.code()),
        };
        for _ in 0..5 {
            reset(&app, email, &wrong).await.expect_error(400, INVALID);
        }
        reset(&app, email, &wrong)
            .await
            .expect_error(429, EXHAUSTED);
    }
    let mails = app.mails().await;
    assert!(mails.iter().all(|mail| mail.to == owner.email));
}

#[tokio::test]
async fn forgot_password_counts_for_the_codes_an_hour_silently() {
    let (app, owner) = App::with_owner().await;
    for codes in 1..=6 {
        forgot(&app, &owner.email).await;
        counted(&app, &owner.email, codes.min(5)).await;
    }
    assert_eq!(reset_mails(&app, &owner.email).await.len(), 5);

    for codes in 1..=5 {
        forgot(&app, "ada@example.com").await;
        counted(&app, "ada@example.com", codes).await;
    }
    let refused = initiate(&app, registration()).await;
    assert_eq!(refused.expect_status(429).header("retry-after"), "3600");
}

#[tokio::test]
async fn missing_and_weak_fields_are_400() {
    const WEAK: &str = "new_password must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special";
    let app = App::start().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"email": "owner@acme.test", "otp": "123456", "new_password": NEW});
        body[field] = value;
        body
    };
    for (body, message) in [
        (json!({}), "email, otp and new_password are required"),
        (with("email", Value::Null), "email is required"),
        (with("otp", json!(" ")), "otp is required"),
        (
            with("new_password", Value::Null),
            "new_password is required",
        ),
        (with("new_password", json!("weak")), WEAK),
    ] {
        app.anonymous()
            .post("/v1/auth/reset-password", body)
            .await
            .expect_error(400, message);
    }
    for (body, message) in [
        (json!({}), "email is required"),
        (json!({"email": "a"}), "invalid email"),
    ] {
        app.anonymous()
            .post("/v1/auth/forgot-password", body)
            .await
            .expect_error(400, message);
    }
}
