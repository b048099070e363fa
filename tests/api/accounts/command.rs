//! `halyard account create`.

use control_plane::accounts::{AccountCommand, NewAccount, run};
use harness::user::PASSWORD;
use harness::{App, User};
use serde_json::{Value, json};

use crate::trail;

const ADDRESS: &str = "ada@example.com";
const API: &str = "https://flags.example.com";
const CLOSED: [(&str, &str); 1] = [("SIGNUP", "closed")];

fn account() -> NewAccount {
    NewAccount {
        email: ADDRESS.to_owned(),
        name: "Ada".to_owned(),
        org_name: Some("Engines".to_owned()),
        data_region: None,
        password_stdin: false,
    }
}

async fn create(
    app: &App,
    settings: &[(&str, &str)],
    new: NewAccount,
    password: Option<&str>,
) -> Result<String, String> {
    let accounts = app.accounts_with(settings);
    let command = AccountCommand::Create(new);
    let password = password.map(str::to_owned);
    let done = run(command, password, app.db(), &accounts, API, &app.clock).await;
    done.map_err(|refusal| refusal.to_string())
}

/// Somebody who signs in with this password.
async fn login(app: &App, password: &str) -> harness::Response {
    let body = json!({"email": ADDRESS, "password": password});
    app.anonymous().post("/v1/auth/login", body).await
}

#[tokio::test]
async fn an_account_is_opened_where_sign_up_is_closed_and_its_password_is_told_once() {
    let app = App::start_with(&CLOSED).await;
    let told = create(&app, &CLOSED, account(), None).await.unwrap();
    let password = told
        .split_whitespace()
        .find(|word| word.starts_with("Hy1-"));
    let password = password.expect(&told).to_owned();

    let answer = login(&app, &password).await;
    answer.expect_status(200);
    assert_eq!(answer.body["user"]["email_verified"], true);
    let ada = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    let me = ada.get("/v1/me").await;
    assert_eq!(me.text("/role"), "owner");
    let org_id = me.text("/organization/id");
    let expected = format!(
        "\
email         ada@example.com
organization  engines ({org_id}), on trial, until 2026-05-18T12:00:00Z
password      {password}   (not shown again)
sign in       POST https://flags.example.com/v1/auth/login
"
    );
    assert_eq!(told, expected);
    let project = me.text("/projects/0/id");
    let environments = format!("/v1/projects/{project}/environments");
    assert_eq!(ada.get(&environments).await.body["total"], 3);
    assert!(app.mails().await.is_empty(), "the operator tells them");

    let owner = User::login_with(&app.anonymous(), ADDRESS, &org_id, &password).await;
    let told = trail::of_action(&app, &owner, "auth.registered").await;
    let user = &answer.body["user"];
    let state = json!({"user": user, "organization": me.body["organization"]});
    assert_eq!(
        told,
        [json!({
            "action": "auth.registered", "actor_type": "system", "actor_id": null, "resource_type": "auth",
            "resource_id": user["id"], "project_id": null, "before_state": null, "after_state": state,
            "metadata": {"by": "operator"},
        })]
    );
}

#[tokio::test]
async fn a_password_that_is_given_is_not_printed() {
    let app = App::start().await;
    let told = create(&app, &[], account(), Some(PASSWORD)).await.unwrap();
    assert!(
        !told.contains("password") && !told.contains(PASSWORD),
        "{told}"
    );
    login(&app, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn an_invited_address_needs_no_organization_of_its_own() {
    let app = App::start().await;
    let host = app.signup("host").await;
    let body = json!({"email": ADDRESS, "role": "viewer"});
    host.create("/v1/members/invite", body).await;
    let new = NewAccount {
        org_name: None,
        ..account()
    };
    let told = create(&app, &CLOSED, new, Some(PASSWORD)).await.unwrap();
    assert!(told.contains(&format!("host ({})", host.org_id)), "{told}");
    let ada = User::login(&app.anonymous(), ADDRESS, &host.org_id).await;
    assert_eq!(ada.get("/v1/me").await.text("/role"), "viewer");
    let organizations: i64 = app.value("SELECT count(*) FROM organizations", &[]).await;
    assert_eq!(organizations, 1);
    let joined = trail::of_action(&app, &host, "member.joined").await;
    assert_eq!(joined.len(), 1);
    assert_eq!(joined[0]["actor_type"], "system");
}

#[tokio::test]
async fn what_sign_up_refuses_is_refused_and_leaves_nothing() {
    const WEAK: &str = "password must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special";
    let (app, owner) = App::with_owner().await;
    let with = |change: fn(&mut NewAccount)| {
        let mut new = account();
        change(&mut new);
        new
    };
    let taken = NewAccount {
        email: owner.email.clone(),
        ..account()
    };
    for (new, password, message) in [
        (taken, PASSWORD, "email already registered"),
        (account(), "short", WEAK),
        (account(), "", "password is required"),
        (
            with(|new| new.email = "ada@mailinator.com".to_owned()),
            PASSWORD,
            "disposable email addresses are not accepted",
        ),
        (
            with(|new| new.email = "ada".to_owned()),
            PASSWORD,
            "invalid email",
        ),
        (
            with(|new| new.name = "A\nB".to_owned()),
            PASSWORD,
            "name must not contain control characters",
        ),
        (
            with(|new| new.data_region = Some("mars".to_owned())),
            PASSWORD,
            "unknown data_region",
        ),
        (
            with(|new| new.org_name = None),
            PASSWORD,
            "no organization invites this address: name one of its own, or have it invited first",
        ),
    ] {
        let refused = create(&app, &[], new, Some(password)).await;
        assert_eq!(refused.unwrap_err(), message);
    }
    let counts: (i64, i64) =
        sqlx::query_as("SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM organizations)")
            .fetch_one(app.pool())
            .await
            .unwrap();
    assert_eq!(counts, (1, 1));
}

#[tokio::test]
async fn of_two_commands_at_once_for_one_address_one_succeeds() {
    let app = App::start().await;
    let create = || create(&app, &[], account(), Some(PASSWORD));
    let (one, other) = tokio::join!(create(), create());
    let refused = match (one, other) {
        (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
        both => panic!("{both:?}"),
    };
    assert_eq!(refused, "email already registered");
}

#[tokio::test]
async fn a_sign_up_that_waits_for_its_code_is_too_late_then() {
    let app = App::start().await;
    let body = super::registration_with("email", Value::from(ADDRESS));
    super::initiate(&app, body).await.expect_status(200);
    let otp = super::signup_code(&app, ADDRESS).await;
    create(&app, &[], account(), Some(PASSWORD)).await.unwrap();
    let body = json!({"email": ADDRESS, "otp": otp});
    app.anonymous()
        .post("/v1/auth/complete-signup", body)
        .await
        .expect_error(400, "email already registered");
}
