//! Signing up by a mailed code: what one has then, and what is left when it fails.

use std::time::Duration;

use domain::accounts::{expiry, settings::LockoutSettings};
use harness::user::PASSWORD;
use harness::{App, statuses};
use serde_json::{Value, json};

use super::{
    ENGINES, admitted, audit_trail, begin, complete, count, initiate, other_than, registration,
    registration_with, signup_code,
};

#[tokio::test]
async fn initiate_signup_mails_a_code_and_opens_no_account() {
    let app = App::start().await;
    let body = registration_with("email", json!(" Ada@Example.COM"));
    let answer = app.anonymous().post("/v1/auth/initiate-signup", body).await;
    answer.expect(200, json!({"message": "[text]", "expires_in": 600}));

    let code = signup_code(&app, "ada@example.com").await;
    assert_eq!(count(&app, "users").await, 0);
    let hash: Vec<u8> = app
        .value("SELECT code_hash FROM pending_signups", &[])
        .await;
    assert_eq!(hash.len(), 32, "{code} is kept as a keyed hash");
    let login = json!({"email": "ada@example.com", "password": PASSWORD});
    app.anonymous()
        .post("/v1/auth/login", login)
        .await
        .expect_error(401, "invalid credentials");
}

#[tokio::test]
async fn complete_signup_answers_a_verified_owner_of_a_new_organization() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    let answer = complete(&app, &format!(" {code} ")).await;

    let mut expected = admitted(true, ENGINES);
    expected["onboarding_completed"] = json!(false);
    answer.expect(201, expected);

    let owner = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    let project = owner.get("/v1/projects").await.text("/data/0/id");
    let environments = owner
        .get(&format!("/v1/projects/{project}/environments"))
        .await;
    assert_eq!(environments.body["total"], 3);
    let new_project = json!({"name": "Another"});
    owner.create("/v1/projects", new_project).await;

    let trail = audit_trail(&app, &answer.text("/organization/id")).await;
    let registered = ("auth.registered".to_owned(), answer.text("/user/id"));
    assert_eq!(trail[0], registered);
    let welcome = app.mail_to("ada@example.com").await;
    assert_eq!(welcome.subject, "Welcome to Halyard");
    assert!(welcome.text.contains("Ada Lovelace"), "{}", welcome.text);

    let login = json!({"email": "ada@example.com", "password": PASSWORD});
    app.anonymous().act("/v1/auth/login", login).await;
}

#[tokio::test]
async fn initiate_signup_with_a_registered_email_is_409() {
    let (app, owner) = App::with_owner().await;
    let body = registration_with("email", json!(owner.email));
    initiate(&app, body)
        .await
        .expect_error(409, "email already registered");
}

#[tokio::test]
async fn initiate_signup_again_replaces_data_code_and_attempts() {
    let app = App::start().await;
    let first = begin(&app, registration()).await;
    for _ in 0..5 {
        complete(&app, &other_than(&first))
            .await
            .expect_error(400, "invalid otp");
    }

    let again = registration_with("org_name", json!("Difference Engines"));
    initiate(&app, again).await.expect_status(200);
    let second = signup_code(&app, "ada@example.com").await;
    if first != second {
        complete(&app, &first)
            .await
            .expect_error(400, "invalid otp");
    }
    let answer = complete(&app, &second).await;
    answer.expect_status(201);
    assert_eq!(answer.text("/organization/name"), "Difference Engines");
}

#[tokio::test]
async fn a_code_opens_no_account_with_the_password_of_somebody_else() {
    let app = App::start().await;
    initiate(&app, registration()).await.expect_status(200);
    signup_code(&app, "ada@example.com").await;
    let stranger = registration_with("password", json!("Str4nger's-own"));
    initiate(&app, stranger).await.expect_status(200);
    let code = signup_code(&app, "ada@example.com").await;

    let body = json!({"email": "ada@example.com", "otp": code, "password": PASSWORD});
    let refused = app.anonymous().post("/v1/auth/complete-signup", body).await;
    let words = "the sign-up that waits for this code began with another password: begin again";
    refused.expect_error(400, words);
    assert_eq!(count(&app, "users").await, 0);

    // With a wrong code nothing is told of the password.
    let body = json!({"email": "ada@example.com", "otp": other_than(&code), "password": PASSWORD});
    let answer = app.anonymous().post("/v1/auth/complete-signup", body).await;
    answer.expect_error(400, "invalid otp");

    let code = begin(&app, registration()).await;
    let body = json!({"email": "ada@example.com", "otp": code, "password": PASSWORD});
    app.anonymous()
        .create("/v1/auth/complete-signup", body)
        .await;
}

#[tokio::test]
async fn a_code_is_used_once() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    complete(&app, &code).await.expect_status(201);
    complete(&app, &code)
        .await
        .expect_error(400, "no pending sign-up for this email");
}

#[tokio::test]
async fn of_two_completions_at_once_one_succeeds() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    let (one, other) = tokio::join!(complete(&app, &code), complete(&app, &code));
    assert_eq!(statuses([&one, &other]), [201, 400]);
    assert_eq!(count(&app, "organizations").await, 1);
}

#[tokio::test]
async fn a_taken_slug_does_not_stop_signups_at_once() {
    let app = App::start().await;
    let mut bodies = Vec::new();
    for email in ["ada@example.com", "eve@example.com"] {
        initiate(&app, registration_with("email", json!(email)))
            .await
            .expect_status(200);
        bodies.push(json!({"email": email, "otp": signup_code(&app, email).await}));
    }
    let caller = app.anonymous();
    let post = |body: &Value| caller.post("/v1/auth/complete-signup", body.clone());
    let (one, other) = tokio::join!(post(&bodies[0]), post(&bodies[1]));
    one.expect_status(201);
    other.expect_status(201);
    assert_ne!(
        one.text("/organization/slug"),
        other.text("/organization/slug")
    );
}

#[tokio::test]
async fn a_failure_at_any_step_leaves_nothing_behind() {
    const TABLES: [&str; 9] = [
        "users",
        "organizations",
        "members",
        "projects",
        "environments",
        "audit_entries",
        "token_families",
        "refresh_tokens",
        "mails",
    ];
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    sqlx::raw_sql(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'injected'; END $$",
    )
    .execute(app.pool())
    .await
    .unwrap();
    for broken in TABLES {
        let change = |sql: String| sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(app.pool());
        change(format!(
            "CREATE TRIGGER injected AFTER INSERT ON {broken}
             FOR EACH ROW EXECUTE FUNCTION fail()"
        ))
        .await
        .unwrap();
        complete(&app, &code)
            .await
            .expect_error(500, "internal server error");
        for table in TABLES {
            assert_eq!(count(&app, table).await, 0, "{table} after {broken} failed");
        }
        change(format!("DROP TRIGGER injected ON {broken}"))
            .await
            .unwrap();
    }
    complete(&app, &code).await.expect_status(201);
}

/// Does what the control plane does every hour.
async fn forget(app: &App) {
    let lockout = LockoutSettings {
        failures: 10,
        window: Duration::from_secs(900),
    };
    expiry::forget(app.db(), lockout, app.clock.now())
        .await
        .unwrap();
}

#[tokio::test]
async fn what_nobody_completed_is_forgotten() {
    let app = App::start().await;
    let code = begin(&app, registration()).await;
    app.clock.advance(Duration::from_secs(599));
    forget(&app).await;
    assert_eq!(count(&app, "pending_signups").await, 1);

    app.clock.advance(Duration::from_secs(1));
    forget(&app).await;
    assert_eq!(count(&app, "pending_signups").await, 0);
    assert_eq!(
        count(&app, "sent_codes").await,
        1,
        "still counts for the hour"
    );
    complete(&app, &code)
        .await
        .expect_error(400, "no pending sign-up for this email");

    app.clock.advance(Duration::from_secs(3_000));
    forget(&app).await;
    assert_eq!(count(&app, "sent_codes").await, 0);
}
