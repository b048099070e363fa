//! Sign-ups of addresses that somebody invited, or that got an account in another way meanwhile. What a claim brings is in
//! `members::claims`.

use harness::{App, User};
use serde_json::json;

use super::{begin, registration};

const ADDRESS: &str = "ada@example.com";

/// Invites the address to an organization.
async fn invite(host: &User) {
    let body = json!({"email": ADDRESS, "role": "viewer"});
    host.create("/v1/members/invite", body).await;
}

#[tokio::test]
async fn register_does_not_claim_an_invited_address() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&host).await;
    app.anonymous()
        .post("/v1/auth/register", registration())
        .await
        .expect_error(409, "email already registered");
}

#[tokio::test]
async fn an_address_that_got_registered_meanwhile_is_400() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    app.anonymous()
        .create("/v1/auth/register", registration())
        .await;
    let body = json!({"email": ADDRESS, "otp": code});
    app.anonymous()
        .post("/v1/auth/complete-signup", body)
        .await
        .expect_error(400, "email already registered");
}
