//! Sign-ups of addresses that somebody invited, or that got an account in another way meanwhile.

use harness::user::PASSWORD;
use harness::{App, User};
use serde_json::json;
use uuid::Uuid;

use super::{initiate, registration, signup_code};

const ADDRESS: &str = "ada@example.com";

/// The account and the membership that an invitation makes.
async fn invite(app: &App, host: &User) -> Uuid {
    let user_id = Uuid::now_v7();
    sqlx::query(
        "WITH stub AS (
             INSERT INTO users (id, email, name, email_verified, created_at, updated_at)
             VALUES ($1, $2, $2, false, $5, $5)
         )
         INSERT INTO members (id, org_id, user_id, role, created_at) VALUES ($3, $4::uuid, $1, 'viewer', $5)",
    )
    .bind(user_id)
    .bind(ADDRESS)
    .bind(Uuid::now_v7())
    .bind(&host.org_id)
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();
    user_id
}

#[tokio::test]
async fn an_invited_address_claims_its_account_and_keeps_its_memberships() {
    let app = App::start().await;
    let host = app.signup("host").await;
    let user_id = invite(&app, &host).await;

    initiate(&app, registration()).await.expect_status(200);
    let body = json!({"email": ADDRESS, "otp": signup_code(&app, ADDRESS).await});
    let answer = app.anonymous().post("/v1/auth/complete-signup", body).await;
    answer.expect_status(201);
    assert_eq!(answer.text("/user/id"), user_id.to_string());
    assert_eq!(answer.text("/user/name"), "Ada Lovelace");
    assert_eq!(answer.body["user"]["email_verified"], true);
    assert_ne!(answer.text("/organization/id"), host.org_id);

    for org_id in [answer.text("/organization/id"), host.org_id.clone()] {
        let body = json!({"email": ADDRESS, "password": PASSWORD, "org_id": org_id});
        let answer = app.anonymous().post("/v1/auth/login", body).await;
        answer.expect_status(200);
    }
    let joined: i64 = sqlx::query_scalar(
        "SELECT COUNT(*)
         FROM audit_entries
         JOIN members ON members.id::text = resource_id AND members.org_id = audit_entries.org_id
         WHERE action = 'member.joined' AND actor_id = $1 AND audit_entries.org_id = $2::uuid",
    )
    .bind(user_id)
    .bind(&host.org_id)
    .fetch_one(app.pool())
    .await
    .unwrap();
    assert_eq!(joined, 1);
}

#[tokio::test]
async fn register_does_not_claim_an_invited_address() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&app, &host).await;
    app.anonymous()
        .post("/v1/auth/register", registration())
        .await
        .expect_error(409, "email already registered");
}

#[tokio::test]
async fn an_address_that_got_registered_meanwhile_is_400() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    let code = signup_code(&app, ADDRESS).await;
    let registered = app
        .anonymous()
        .post("/v1/auth/register", registration())
        .await;
    registered.expect_status(201);
    let body = json!({"email": ADDRESS, "otp": code});
    app.anonymous()
        .post("/v1/auth/complete-signup", body)
        .await
        .expect_error(400, "email already registered");
}
