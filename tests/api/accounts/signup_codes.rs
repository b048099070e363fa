//! Codes of sign-ups: how long they live, how often they are tried and sent.

use std::time::Duration;

use futures_util::future::join_all;
use harness::{App, Response, statuses};
use serde_json::{Value, json};

use super::{begin, complete, initiate, other_than, registration, registration_with, signup_code};

const ADDRESS: &str = "ada@example.com";

async fn resend(app: &App) -> Response {
    let body = json!({"email": ADDRESS});
    app.anonymous()
        .post("/v1/auth/resend-signup-otp", body)
        .await
}

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[tokio::test]
async fn a_code_is_good_for_ten_minutes() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    app.clock.advance(seconds(599));
    complete(&app, &code).await.expect_status(201);
}

#[tokio::test]
async fn expiry_is_checked_before_the_code() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    app.clock.advance(seconds(600));
    for otp in [other_than(&code), code] {
        complete(&app, &otp).await.expect_error(400, "expired otp");
    }
}

#[tokio::test]
async fn after_five_wrong_codes_the_right_one_is_429_until_a_resend() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    app.clock.advance(seconds(60));
    for _ in 0..5 {
        complete(&app, &other_than(&code))
            .await
            .expect_error(400, "invalid otp");
    }
    for otp in [&other_than(&code), &code] {
        let refused = complete(&app, otp).await;
        refused.expect_error(429, "too many wrong codes, please ask for another code");
        assert_eq!(refused.header("retry-after"), "540");
    }

    resend(&app).await.expect_status(200);
    let code = signup_code(&app, ADDRESS).await;
    complete(&app, &other_than(&code))
        .await
        .expect_error(400, "invalid otp");
    complete(&app, &code).await.expect_status(201);
}

#[tokio::test]
async fn of_ten_wrong_codes_at_once_five_are_compared() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    let wrong = other_than(&signup_code(&app, ADDRESS).await);
    let answers = join_all((0..10).map(|_| complete(&app, &wrong))).await;
    let mut statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [[400; 5], [429; 5]].concat());
}

#[tokio::test]
async fn a_resend_within_sixty_seconds_is_429() {
    let app = App::start().await;
    let first = begin(&app, registration()).await;
    app.clock.advance(seconds(18));
    let refused = resend(&app).await;
    refused.expect_error(
        429,
        "a code was sent just now, please wait before asking for another",
    );
    assert_eq!(refused.header("retry-after"), "42");

    app.clock.advance(seconds(42));
    let answer = resend(&app).await;
    answer.expect(200, json!({"message": "[text]", "expires_in": 600}));
    let second = signup_code(&app, ADDRESS).await;
    if first != second {
        complete(&app, &first)
            .await
            .expect_error(400, "invalid otp");
    }
    app.clock.advance(seconds(599));
    complete(&app, &second).await.expect_status(201);
}

#[tokio::test]
async fn a_resend_after_the_code_expired_sends_another() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    signup_code(&app, ADDRESS).await;
    app.clock.advance(seconds(600));
    resend(&app).await.expect_status(200);
    let code = signup_code(&app, ADDRESS).await;
    complete(&app, &code).await.expect_status(201);
}

#[tokio::test]
async fn of_two_resends_at_once_one_is_429() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    app.clock.advance(seconds(60));
    let (one, other) = tokio::join!(resend(&app), resend(&app));
    assert_eq!(statuses([&one, &other]), [200, 429]);
}

#[tokio::test]
async fn without_a_pending_signup_resend_and_complete_are_400() {
    let app = App::start().await;
    app.signup("acme").await;
    for email in [ADDRESS, "owner@acme.test"] {
        for path in ["resend-signup-otp", "complete-signup"] {
            let body = json!({"email": email, "otp": "123456"});
            app.anonymous()
                .post(&format!("/v1/auth/{path}"), body)
                .await
                .expect_error(400, "no pending sign-up for this email");
        }
    }
}

#[tokio::test]
async fn the_sixth_code_within_an_hour_is_429_whatever_asks_for_it() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    for _ in 0..2 {
        app.clock.advance(seconds(60));
        resend(&app).await.expect_status(200);
        initiate(&app, registration()).await.expect_status(200);
    }
    app.clock.advance(seconds(60));
    const REFUSAL: &str = "too many codes sent to this address, please try again later";
    for refused in [resend(&app).await, initiate(&app, registration()).await] {
        refused.expect_error(429, REFUSAL);
        assert_eq!(refused.header("retry-after"), "3420");
    }
    // Refused, so the code before is still good; another address is not concerned.
    let code = signup_code(&app, ADDRESS).await;
    let other = registration_with("email", json!("eve@example.com"));
    initiate(&app, other).await.expect_status(200);
    complete(&app, &code).await.expect_status(201);

    app.clock.advance(seconds(3_420));
    let codes: i64 =
        sqlx::query_scalar("SELECT cardinality(sent_at) FROM sent_codes WHERE email = $1")
            .bind(ADDRESS)
            .fetch_one(app.pool())
            .await
            .map(i32::into)
            .unwrap();
    assert_eq!(codes, 5);
}

#[tokio::test]
async fn a_code_that_left_the_hour_makes_room_for_another() {
    let app = App::start_with(&[("MAIL_CODES_PER_HOUR", "2")]).await;
    initiate(&app, registration()).await.expect_status(200);
    app.clock.advance(seconds(1_800));
    initiate(&app, registration()).await.expect_status(200);
    let refused = initiate(&app, registration()).await;
    assert_eq!(refused.expect_status(429).header("retry-after"), "1800");
    app.clock.advance(seconds(1_799));
    initiate(&app, registration()).await.expect_status(429);
    app.clock.advance(seconds(1));
    initiate(&app, registration()).await.expect_status(200);
    initiate(&app, registration()).await.expect_status(429);
}

#[tokio::test]
async fn missing_fields_are_400() {
    let app = App::start().await;
    let cases: [(Value, &str); 5] = [
        (json!({}), "email and otp are required"),
        (json!({"email": "ada", "otp": "123456"}), "invalid email"),
        (json!({"email": ADDRESS}), "otp is required"),
        (json!({"email": ADDRESS, "otp": " "}), "otp is required"),
        (json!({"email": ADDRESS, "otp": null}), "otp is required"),
    ];
    for (body, message) in cases {
        app.anonymous()
            .post("/v1/auth/complete-signup", body)
            .await
            .expect_error(400, message);
    }
    for (field, value, message) in [
        ("email", Value::Null, "email is required"),
        (
            "name",
            json!("Ada\nBcc: eve"),
            "name must not contain control characters",
        ),
        (
            "org_name",
            json!("A\u{2028}B"),
            "org_name must not contain control characters",
        ),
        (
            "org_name",
            json!("n".repeat(256)),
            "org_name must have at most 255 characters",
        ),
        ("data_region", json!("mars"), "unknown data_region"),
        (
            "password",
            json!("short"),
            "password must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special",
        ),
    ] {
        initiate(&app, registration_with(field, value))
            .await
            .expect_error(400, message);
    }
}
