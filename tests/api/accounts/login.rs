//! Signing in with e-mail and password.

use std::time::Duration;

use harness::app::START;
use harness::user::PASSWORD;
use harness::{App, Caller, Response, User, eventually};
use serde_json::{Value, json};
use uuid::Uuid;

use super::audit_trail;

async fn login(caller: &Caller, email: &str, password: &str) -> Response {
    let body = json!({"email": email, "password": password});
    caller.post("/v1/auth/login", body).await
}

#[tokio::test]
async fn login_answers_user_and_tokens() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(Duration::from_secs(90));

    let answer = login(&app.anonymous(), " OWNER@acme.test ", PASSWORD).await;
    let expires_at = (START + time::Duration::seconds(90 + 3_600)).unix_timestamp();
    answer.expect(
        200,
        json!({
            "user": {
                "id": owner.id,
                "email": "owner@acme.test",
                "name": "Owner",
                "email_verified": false,
                "created_at": "2026-05-04T12:00:00Z",
            },
            "tokens": {
                "access_token": "[text]",
                "refresh_token": "[text]",
                "expires_at": expires_at,
            },
        }),
    );
    let token = answer.text("/tokens/access_token");
    let signed_in = app.anonymous().with_token(&token);
    signed_in.get("/v1/projects").await.expect_status(200);
    // The session of the registration goes on beside the new one.
    owner.get("/v1/projects").await.expect_status(200);

    let trail = audit_trail(&app, &owner.org_id).await;
    let entry = |action: &str| (action.to_owned(), owner.id.clone());
    assert_eq!(trail, [entry("auth.registered"), entry("auth.login")]);
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_get_the_same_answer() {
    let (app, owner) = App::with_owner().await;
    for (email, password) in [
        ("owner@acme.test", "Correct-horse-2"),
        ("owner@acme.test", "correct-horse-1"),
        ("nobody@acme.test", PASSWORD),
        ("nobody@acme.test", "no account has this password"),
    ] {
        let answer = login(&app.anonymous(), email, password).await;
        answer.expect_error(401, "invalid credentials");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
    }

    eventually("both failures are in the audit trail", async || {
        let trail = audit_trail(&app, &owner.org_id).await;
        let failures = trail
            .iter()
            .filter(|(action, _)| action == "auth.login_failed");
        (failures.count() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_account_without_a_password_or_a_membership_cannot_sign_in() {
    let (app, owner) = App::with_owner().await;
    app.execute("DELETE FROM members WHERE user_id = $1::uuid", &[&owner.id])
        .await;
    login(&app.anonymous(), &owner.email, PASSWORD)
        .await
        .expect_error(401, "invalid credentials");

    let invited = app.signup("other").await;
    app.execute(
        "UPDATE users SET password_hash = NULL WHERE id = $1::uuid",
        &[&invited.id],
    )
    .await;
    login(&app.anonymous(), &invited.email, PASSWORD)
        .await
        .expect_error(401, "invalid credentials");
}

#[tokio::test]
async fn missing_and_malformed_fields_are_refused() {
    let app = App::start().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"email": "owner@acme.test", "password": PASSWORD});
        body[field] = value;
        body
    };
    for (body, message) in [
        (json!({}), "email and password are required"),
        (with("email", Value::Null), "email is required"),
        (with("email", json!("owner")), "invalid email"),
        (with("password", Value::Null), "password is required"),
        (with("password", json!(" ")), "password is required"),
        (with("org_id", json!("")), "org_id is required"),
    ] {
        app.anonymous()
            .post("/v1/auth/login", body)
            .await
            .expect_error(400, message);
    }
    for body in [
        with("password", json!(1)),
        with("org_id", json!(1)),
        json!([]),
    ] {
        let answer = app.anonymous().post("/v1/auth/login", body).await;
        answer.expect_status(400);
    }
}

/// Makes the user of `guest` a member of the organization of `host` too.
async fn join(app: &App, guest: &User, host: &User) {
    sqlx::query(
        "INSERT INTO members (id, org_id, user_id, role, created_at)
         VALUES ($1, $2::uuid, $3::uuid, 'viewer', $4)",
    )
    .bind(Uuid::now_v7())
    .bind(&host.org_id)
    .bind(&guest.id)
    .bind(app.clock.now())
    .execute(app.pool())
    .await
    .unwrap();
}

#[tokio::test]
async fn the_organization_asked_for_is_remembered_for_the_next_login() {
    let app = App::start().await;
    let (ada, host) = (app.signup("ada").await, app.signup("host").await);
    join(&app, &ada, &host).await;

    let login_to = async |org_id: Option<&str>| {
        app.clock.advance(Duration::from_secs(1));
        let body = json!({"email": ada.email, "password": PASSWORD, "org_id": org_id});
        app.anonymous().post("/v1/auth/login", body).await
    };
    let projects_of = async |answer: &Response| {
        let token = answer.expect_status(200).text("/tokens/access_token");
        let projects = app.anonymous().with_token(&token).get("/v1/projects").await;
        projects.expect_status(200).text("/data/0/id")
    };
    let (own, foreign) = (
        ada.default_project().await.id,
        host.default_project().await.id,
    );

    assert_eq!(projects_of(&login_to(None).await).await, own);
    assert_eq!(
        projects_of(&login_to(Some(&host.org_id)).await).await,
        foreign
    );
    assert_eq!(projects_of(&login_to(None).await).await, foreign);
    assert_eq!(projects_of(&login_to(Some(&ada.org_id)).await).await, own);
    assert_eq!(projects_of(&login_to(None).await).await, own);
}

#[tokio::test]
async fn an_organization_that_the_user_does_not_belong_to_is_forbidden() {
    let app = App::start().await;
    let (ada, host) = (app.signup("ada").await, app.signup("host").await);
    let ask = async |org_id: &str, password: &str| {
        let body = json!({"email": ada.email, "password": password, "org_id": org_id});
        app.anonymous().post("/v1/auth/login", body).await
    };
    for org_id in [host.org_id.as_str(), &Uuid::new_v4().to_string(), "acme"] {
        ask(org_id, PASSWORD)
            .await
            .expect_error(403, "not a member of the organization");
        ask(org_id, "Wrong-password-1")
            .await
            .expect_error(401, "invalid credentials");
    }
}

async fn stored_hash(app: &App, user: &User) -> String {
    app.value(
        "SELECT password_hash FROM users WHERE id = $1::uuid",
        &[&user.id],
    )
    .await
}

#[tokio::test]
async fn by_default_a_password_is_hashed_with_19_mib_and_two_passes() {
    let app = App::start_with(&[("ARGON2_MEMORY_KIB", ""), ("ARGON2_ITERATIONS", "")]).await;
    let owner = app.signup("acme").await;
    let stored = stored_hash(&app, &owner).await;
    assert!(
        stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
        "{stored}"
    );

    login(&app.anonymous(), &owner.email, PASSWORD)
        .await
        .expect_status(200);
    login(&app.anonymous(), &owner.email, "Wrong-password-1")
        .await
        .expect_error(401, "invalid credentials");
}

#[tokio::test]
async fn a_login_hashes_the_password_anew_when_the_parameters_rose() {
    let app = App::start_with(&[("ARGON2_MEMORY_KIB", "64"), ("ARGON2_ITERATIONS", "1")]).await;
    let raised = [("ARGON2_MEMORY_KIB", "256"), ("ARGON2_ITERATIONS", "3")];
    let replica = app.another_replica_with(&raised).await;
    let owner = app.signup("acme").await;
    let stored = async || stored_hash(&app, &owner).await;
    let before = stored().await;
    assert!(before.contains("$m=64,t=1,p=1$"), "{before}");

    let elsewhere = app.anonymous().at(&replica);
    login(&elsewhere, &owner.email, "Wrong-password-1")
        .await
        .expect_status(401);
    assert_eq!(stored().await, before);
    login(&elsewhere, &owner.email, PASSWORD)
        .await
        .expect_status(200);
    let after = eventually("the hash is as strong as asked for", async || {
        let stored = stored().await;
        stored.contains("$m=256,t=3,p=1$").then_some(stored)
    })
    .await;

    // Where less is asked for, the password still opens the account, and the hash stays.
    login(&app.anonymous(), &owner.email, PASSWORD)
        .await
        .expect_status(200);
    login(&elsewhere, &owner.email, PASSWORD)
        .await
        .expect_status(200);
    assert_eq!(stored().await, after);
}

#[tokio::test]
async fn a_password_that_is_changed_meanwhile_signs_nobody_in() {
    let (app, owner) = App::with_owner().await;
    let other = json!({
        "email": "other@example.com", "password": "Another-horse-2", "name": "Other", "org_name": "Other",
    });
    let anonymous = app.anonymous();
    anonymous.create("/v1/auth/register", other).await;

    let mut reset = app.pool().begin().await.unwrap();
    sqlx::query(
        "UPDATE users
         SET password_hash = (SELECT password_hash FROM users WHERE email = 'other@example.com')
         WHERE email = $1",
    )
    .bind(&owner.email)
    .execute(&mut *reset)
    .await
    .unwrap();
    let body = json!({"email": owner.email, "password": PASSWORD});
    let login = tokio::spawn(async move { anonymous.post("/v1/auth/login", body).await });
    app.until_waiting_for_locks(1).await;
    reset.commit().await.unwrap();
    let answer = login.await.unwrap();
    answer.expect_error(401, "invalid credentials");
}

#[tokio::test]
async fn a_password_longer_than_any_that_may_be_set_is_a_wrong_one() {
    let (app, owner) = App::with_owner_and(&[("LOCKOUT_FAILURES", "2")]).await;
    let long = "Aa1!".repeat(200_000);
    for _ in 0..2 {
        let refused = login(&app.anonymous(), &owner.email, &long).await;
        refused.expect_error(401, "invalid credentials");
    }
    let words = "too many failed login attempts, please try again later";
    let locked = login(&app.anonymous(), &owner.email, PASSWORD).await;
    locked.expect_error(429, words);
}
