//! Signing up with an address that was invited, and without an organization of one's own.

use std::time::Duration;

use harness::user::PASSWORD;
use harness::{App, Response, User};
use serde_json::{Value, json};

use super::{admitted, audit_trail, complete, count, initiate, registration_with, signup_code};
use crate::trail;

const ADDRESS: &str = "ada@example.com";
const WITHDRAWN: &str = "no organization invites this address any more: begin again, with org_name for an organization of your own";

/// Invites the address; the path of the membership.
async fn invite(host: &User) -> String {
    let body = json!({"email": ADDRESS, "role": "viewer"});
    let answer = host.create("/v1/members/invite", body).await;
    format!("/v1/members/{}", answer.text("/id"))
}

/// Begins a sign-up without an organization; the code that is mailed.
async fn begin(app: &App) -> String {
    initiate(app, registration_with("org_name", Value::Null))
        .await
        .expect(200, json!({"message": "[text]", "expires_in": 600}));
    signup_code(app, ADDRESS).await
}

#[track_caller]
fn expect_joined(answer: &Response, host: &User) {
    answer.expect_status(201);
    assert_eq!(answer.text("/organization/id"), host.org_id);
}

#[tokio::test]
async fn an_invited_address_joins_without_an_organization_of_its_own() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&host).await;
    let code = begin(&app).await;
    let answer = complete(&app, &code).await;
    let mut expected = admitted(true, [&host.org_id, "host", "host"]);
    expected["onboarding_completed"] = json!(false);
    answer.expect(201, expected);
    assert_eq!(count(&app, "organizations").await, 1);
    assert_eq!(count(&app, "projects").await, 1);

    let ada = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    let me = ada.get("/v1/me").await;
    assert_eq!(me.text("/organization/id"), host.org_id);
    assert_eq!(me.text("/role"), "viewer");
    ada.post("/v1/projects", json!({"name": "Shop"}))
        .await
        .expect_error(403, "insufficient permissions");
    let refresh = json!({"refresh_token": answer.text("/tokens/refresh_token")});
    app.anonymous().act("/v1/auth/refresh", refresh).await;
    User::login(&app.anonymous(), ADDRESS, &host.org_id).await;

    let registered = ("auth.registered".to_owned(), answer.text("/user/id"));
    assert!(audit_trail(&app, &host.org_id).await.contains(&registered));
    let told = trail::of_action(&app, &host, "auth.registered").await;
    assert_eq!(told[1]["after_state"], json!({"user": answer.body["user"]}));
    assert_eq!(
        trail::of_action(&app, &host, "member.joined").await.len(),
        1
    );
    let welcome = app.mail_to(ADDRESS).await;
    assert_eq!(welcome.subject, "Welcome to Halyard");
    let words = "You are a member of host now.";
    assert!(welcome.text.contains(words), "{}", welcome.text);
}

/// The code that is mailed again belongs to the same wish.
#[tokio::test]
async fn a_code_that_is_sent_again_joins_too() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&host).await;
    begin(&app).await;
    app.mails().await;
    app.clock.advance(Duration::from_secs(60));
    let body = json!({"email": ADDRESS});
    app.anonymous()
        .act("/v1/auth/resend-signup-otp", body)
        .await;
    let code = signup_code(&app, ADDRESS).await;
    expect_joined(&complete(&app, &code).await, &host);
}

#[tokio::test]
async fn without_an_invitation_org_name_is_required_whether_or_not_there_is_an_account() {
    let (app, owner) = App::with_owner().await;
    for email in ["nobody@example.com", &owner.email] {
        for name in [Value::Null, json!(""), json!(" \t")] {
            let mut body = registration_with("org_name", name);
            body["email"] = json!(email);
            initiate(&app, body)
                .await
                .expect_error(400, "org_name is required");
        }
    }
    let mut body = registration_with("email", json!("nobody@example.com"));
    body.as_object_mut().unwrap().remove("org_name");
    initiate(&app, body)
        .await
        .expect_error(400, "org_name is required");
    assert_eq!(count(&app, "pending_signups").await, 0);
}

#[tokio::test]
async fn register_requires_org_name_of_everybody() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&host).await;
    for email in [ADDRESS, "nobody@example.com"] {
        let mut body = registration_with("org_name", Value::Null);
        body["email"] = json!(email);
        app.anonymous()
            .post("/v1/auth/register", body)
            .await
            .expect_error(400, "org_name is required");
    }
}

#[tokio::test]
async fn of_several_invitations_the_newest_is_joined() {
    let app = App::start().await;
    let (first, second) = (app.signup("first").await, app.signup("second").await);
    invite(&second).await;
    app.clock.advance(Duration::from_secs(1));
    invite(&first).await;
    let code = begin(&app).await;
    expect_joined(&complete(&app, &code).await, &first);
    for host in [&first, &second] {
        assert_eq!(trail::of_action(&app, host, "member.joined").await.len(), 1);
        User::login(&app.anonymous(), ADDRESS, &host.org_id).await;
    }
}

#[tokio::test]
async fn an_older_invitation_is_joined_when_the_newest_is_withdrawn() {
    let app = App::start().await;
    let (first, second) = (app.signup("first").await, app.signup("second").await);
    invite(&first).await;
    app.clock.advance(Duration::from_secs(1));
    let newest = invite(&second).await;
    let code = begin(&app).await;
    second.remove(&newest).await;
    expect_joined(&complete(&app, &code).await, &first);
}

#[tokio::test]
async fn an_invitation_that_is_withdrawn_before_the_code_is_typed_is_400() {
    let app = App::start().await;
    let host = app.signup("host").await;
    let path = invite(&host).await;
    let code = begin(&app).await;
    host.remove(&path).await;
    complete(&app, &code).await.expect_error(400, WITHDRAWN);

    assert_eq!(count(&app, "organizations").await, 1);
    let login = json!({"email": ADDRESS, "password": PASSWORD});
    app.anonymous()
        .post("/v1/auth/login", login)
        .await
        .expect_error(401, "invalid credentials");
    // What it says to do works.
    let body = registration_with("email", json!(ADDRESS));
    initiate(&app, body).await.expect_status(200);
    let code = signup_code(&app, ADDRESS).await;
    let answer = complete(&app, &code).await;
    answer.expect_status(201);
    assert_eq!(answer.text("/organization/name"), "Analytical Engines");
}

/// Whether anybody invites the address is told to whoever holds it, and not to whoever asks.
#[tokio::test]
async fn an_address_that_nobody_invites_any_more_begins_like_an_invited_one() {
    let app = App::start().await;
    let host = app.signup("host").await;
    let path = invite(&host).await;
    host.remove(&path).await;
    app.anonymous()
        .post(
            "/v1/auth/register",
            registration_with("email", json!(ADDRESS)),
        )
        .await
        .expect_error(409, "email already registered");
    let code = begin(&app).await;
    complete(&app, &code).await.expect_error(400, WITHDRAWN);
}

#[tokio::test]
async fn of_two_completions_at_once_one_joins() {
    let app = App::start().await;
    let host = app.signup("host").await;
    invite(&host).await;
    let code = begin(&app).await;
    let (one, other) = tokio::join!(complete(&app, &code), complete(&app, &code));
    let mut answers = [one, other];
    answers.sort_unstable_by_key(|answer| answer.status);
    answers[0].expect_status(201);
    answers[1].expect_error(400, "no pending sign-up for this email");
    assert_eq!(
        trail::of_action(&app, &host, "member.joined").await.len(),
        1
    );
}

/// Otherwise the session would live again when they were invited again.
#[tokio::test]
async fn an_invitation_that_is_withdrawn_while_the_code_is_checked_leaves_no_session() {
    let app = App::start().await;
    let host = app.signup("host").await;
    let path = invite(&host).await;
    let code = begin(&app).await;
    let sessions = count(&app, "token_families").await;

    let mut removal = app.pool().begin().await.unwrap();
    sqlx::query("DELETE FROM members WHERE id = $1::uuid")
        .bind(path.rsplit('/').next())
        .execute(&mut *removal)
        .await
        .unwrap();
    let completion = complete(&app, &code);
    let withdrawal = async {
        app.until_waiting_for_locks(1).await;
        removal.commit().await.unwrap();
    };
    let (answer, ()) = tokio::join!(completion, withdrawal);
    answer.expect_error(400, WITHDRAWN);
    assert_eq!(count(&app, "token_families").await, sessions);
}

/// An organization that is deleted for now is restored by a sign-up as by a login, and others come before it.
#[tokio::test]
async fn an_organization_that_is_deleted_for_now_comes_last() {
    let app = App::start().await;
    let (first, second) = (app.signup("first").await, app.signup("second").await);
    invite(&first).await;
    app.clock.advance(Duration::from_secs(1));
    invite(&second).await;
    sqlx::query("UPDATE organizations SET plan = 'free', deleted_at = $2 WHERE id = $1::uuid")
        .bind(&second.org_id)
        .bind(app.clock.now())
        .execute(app.pool())
        .await
        .unwrap();
    let code = begin(&app).await;
    expect_joined(&complete(&app, &code).await, &first);
}
