//! Accounts: registering, signing in, staying signed in, signing out.

mod change_password;
mod command;
mod disposable;
mod forged;
mod lockout;
mod login;
mod one_time_token;
pub(crate) mod password_reset;
mod rates;
mod register;
mod sessions;
mod signup;
mod signup_claims;
mod signup_codes;
mod signup_invited;
mod signup_policy;
mod unproven;
mod unreachable;
mod verification;

use harness::app::START;
use harness::{App, Response, User};
use serde_json::{Value, json};
use sqlx::Row;

/// The fields of a registration that is accepted.
fn registration() -> Value {
    json!({
        "email": "ada@example.com",
        "password": "Correct-horse-1",
        "name": "Ada Lovelace",
        "org_name": "Analytical Engines",
    })
}

/// The same with one field replaced, or taken out by `null`.
fn registration_with(field: &str, value: Value) -> Value {
    let mut body = registration();
    body[field] = value;
    body
}

/// Begins a sign-up.
async fn initiate(app: &App, registration: Value) -> Response {
    let path = "/v1/auth/initiate-signup";
    app.anonymous().post(path, registration).await
}

/// The newest sign-up code mailed to an address.
async fn signup_code(app: &App, address: &str) -> String {
    let mail = app.mail_to(address).await;
    assert_eq!(mail.subject, "Your Halyard sign-up code");
    mail.code().to_owned()
}

/// Begins a sign-up of [`registration`]'s address, which must be possible; the code that is mailed.
async fn begin(app: &App, registration: Value) -> String {
    initiate(app, registration).await.expect_status(200);
    signup_code(app, "ada@example.com").await
}

/// What somebody is answered who has an account now, and an organization of this id, name and slug.
fn admitted(email_verified: bool, [id, name, slug]: [&str; 3]) -> Value {
    json!({
        "user": {
            "id": "[uuid]",
            "email": "ada@example.com",
            "name": "Ada Lovelace",
            "email_verified": email_verified,
            "created_at": "[time]",
        },
        "organization": {
            "id": id,
            "name": name,
            "slug": slug,
            "plan": "trial",
            "trial_expires_at": "2026-05-18T12:00:00Z",
            "created_at": "[time]",
            "updated_at": "[time]",
        },
        "tokens": {
            "access_token": "[text]",
            "refresh_token": "[text]",
            "expires_at": (START + time::Duration::minutes(60)).unix_timestamp(),
        },
    })
}

/// The organization of [`registration`].
const ENGINES: [&str; 3] = ["[uuid]", "Analytical Engines", "analytical-engines"];

/// Ends the sign-up of [`registration`]'s address with a code.
async fn complete(app: &App, otp: &str) -> Response {
    let body = json!({"email": "ada@example.com", "otp": otp});
    app.anonymous().post("/v1/auth/complete-signup", body).await
}

/// The rows of a table.
async fn count(app: &App, table: &str) -> i64 {
    let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(query)
        .fetch_one(app.pool())
        .await
        .unwrap()
}

/// A code that is not this one.
fn other_than(code: &str) -> String {
    let other = if code == "123456" { "654321" } else { "123456" };
    other.to_owned()
}

/// Actions of the audit trail in their order, each with the user it is about.
pub async fn audit_trail(app: &App, org_id: &str) -> Vec<(String, String)> {
    sqlx::query(
        "SELECT action, resource_id FROM audit_entries
         WHERE org_id = $1::uuid AND actor_id::text = resource_id AND ip_address = '127.0.0.1'
         ORDER BY created_at, id",
    )
    .bind(org_id)
    .fetch_all(app.pool())
    .await
    .unwrap()
    .iter()
    .map(|row| (row.get(0), row.get(1)))
    .collect()
}

/// Proves that the tokens of a user open nothing any more, and a one-time token neither.
pub async fn expect_sessions_ended(app: &App, user: &User, one_time_token: &str) {
    let refused = user.get("/v1/projects").await;
    refused.expect_error(401, "invalid or expired token");
    let anonymous = app.anonymous();
    let refresh = json!({"refresh_token": user.refresh_token});
    let refused = anonymous.post("/v1/auth/refresh", refresh).await;
    refused.expect_status(401);
    let exchange = json!({"token": one_time_token});
    let refused = anonymous.post("/v1/auth/token-exchange", exchange).await;
    refused.expect_status(401);
}
