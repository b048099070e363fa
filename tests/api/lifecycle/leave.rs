//! Deletion by an owner: who may, what it takes, and what happens at the same moment.

use std::time::Duration;

use harness::user::PASSWORD;
use harness::{App, Caller, Response, User, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{exists, login, refresh};
use crate::trail;

const PATH: &str = "/v1/organization";
const SUBJECT: &str = "Your organization on Halyard was deleted";
const OTHER_NAME: &str = "name must be the name of the organization";
const INVALID_TOKEN: &str = "invalid or expired token";

async fn ask(user: &User, body: Value) -> Response {
    let request = user.request(Method::DELETE, PATH).json(&body);
    user.send(request).await
}

async fn delete(user: &User, name: &str) -> Response {
    ask(user, json!({"name": name, "password": PASSWORD})).await
}

async fn until_gone(app: &App, owner: &User) {
    eventually("everything of it is gone", async || {
        (!exists(app, owner).await).then_some(())
    })
    .await;
}

/// A key that serves the flag `checkout` of the organization.
async fn sdk(app: &App, owner: &User) -> Caller {
    let project = owner.default_project().await;
    let flag = json!({"key": "checkout", "name": "Checkout"});
    let flags = format!("/v1/projects/{}/flags", project.id);
    owner.create(&flags, flag).await;
    let sdk = app.anonymous().with_key(&owner.api_key(&project.dev).await);
    eventually("the flag is served", async || {
        (evaluate(&sdk).await == 200).then_some(())
    })
    .await;
    sdk
}

async fn evaluate(sdk: &Caller) -> u16 {
    let body = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    sdk.post("/v1/evaluate", body).await.status
}

#[tokio::test]
async fn an_owner_deletes_the_organization_and_another_one_does_not_notice() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    let viewer = app.member(&owner, "viewer").await;
    let other = app.signup("globex").await;
    let (theirs, others) = (sdk(&app, &owner).await, sdk(&app, &other).await);
    let provider = app.identity_provider(&owner).await;
    let token = owner.post("/v1/auth/one-time-token", Value::Null).await;
    let entries = trail::length(&app, &other).await;

    let answer = delete(&owner, " acme ").await;
    answer.expect(
        202,
        json!({
            "message": "the organization is deleted: API keys stop within seconds, and all its data is removed within minutes, \
                        of a large organization within hours",
        }),
    );
    for member in [&owner, &admin, &viewer] {
        let refused = member.get("/v1/projects").await;
        refused.expect_error(401, INVALID_TOKEN);
        let refused = refresh(&app, member).await;
        refused.expect_error(401, INVALID_TOKEN);
        let refused = login(&app, &member.email).await;
        refused.expect_error(401, "invalid credentials");
    }
    let body = json!({"token": token.text("/token")});
    let exchanged = app.anonymous().post("/v1/auth/token-exchange", body).await;
    exchanged.expect_status(401);
    provider.get("/v1/scim/Users").await.expect_status(401);
    eventually("the key opens nothing", async || {
        (evaluate(&theirs).await == 401).then_some(())
    })
    .await;
    until_gone(&app, &owner).await;
    let users: i64 = app.value("SELECT COUNT(*) FROM users", &[]).await;
    assert_eq!(users, 1);

    assert_eq!(evaluate(&others).await, 200);
    other.get("/v1/projects").await.expect_status(200);
    assert_eq!(trail::length(&app, &other).await, entries);
    assert_eq!(app.signup("acme").await.email, owner.email);
}

#[tokio::test]
async fn owners_and_admins_are_mailed_who_deleted_it_though_their_accounts_are_gone() {
    let (app, owner) = App::with_owner().await;
    let second = app.member(&owner, "owner").await;
    let admin = app.member(&owner, "admin").await;
    app.member(&owner, "developer").await;
    delete(&second, "acme").await.expect_status(202);
    until_gone(&app, &owner).await;
    let mails = app.mails().await.into_iter();
    let mails: Vec<_> = mails.filter(|mail| mail.subject == SUBJECT).collect();
    let mut to: Vec<_> = mails.iter().map(|mail| mail.to.clone()).collect();
    to.sort();
    let mut expected = [owner.email, second.email.clone(), admin.email];
    expected.sort();
    assert_eq!(to, expected);
    for mail in mails {
        assert!(mail.text.contains(&second.email), "{}", mail.text);
        assert!(mail.text.contains("acme"), "{}", mail.text);
    }
}

#[tokio::test]
async fn another_name_or_none_is_400() {
    let (app, owner) = App::with_owner().await;
    for name in ["Acme", "acme2", "globex"] {
        delete(&owner, name).await.expect_error(400, OTHER_NAME);
    }
    for (body, message) in [
        (json!({}), "name and password are required"),
        (json!({"name": "acme"}), "password is required"),
        (
            json!({"name": " ", "password": PASSWORD}),
            "name is required",
        ),
    ] {
        ask(&owner, body).await.expect_error(400, message);
    }
    owner.get("/v1/projects").await.expect_status(200);
    assert!(exists(&app, &owner).await);
}

#[tokio::test]
async fn a_wrong_password_is_401_and_too_many_lock_the_address() {
    let (app, owner) = App::with_owner().await;
    let wrong = json!({"name": "acme", "password": "Wrong-password-1"});
    for _ in 0..10 {
        let refused = ask(&owner, wrong.clone()).await;
        refused.expect_error(401, "invalid credentials");
    }
    let locked = "too many failed login attempts, please try again later";
    delete(&owner, "acme").await.expect_error(429, locked);
    app.clock.advance(Duration::from_secs(15 * 60));
    let again = owner.sign_in_again().await;
    let refused = ask(&again, wrong).await;
    refused.expect_error(401, "invalid credentials");
    delete(&again, "acme").await.expect_status(202);
    // The right one forgave the failure.
    let failures: i64 = app.value("SELECT COUNT(*) FROM login_failures", &[]).await;
    assert_eq!(failures, 0);
}

#[tokio::test]
async fn an_owner_whom_a_custom_role_limits_is_403() {
    let (app, owner) = App::with_owner().await;
    let limited = app.member(&owner, "owner").await;
    app.set_plan(&owner, "enterprise").await;
    app.hold_to(&owner, &limited, domain::roles::keys::KEYS)
        .await;
    let refused = delete(&limited, "acme").await;
    refused.expect_error(403, "insufficient permissions");
    assert!(exists(&app, &owner).await);
}

#[tokio::test]
async fn users_of_another_organization_keep_their_account_and_sign_in_there() {
    let (app, owner) = App::with_owner().await;
    let other = app.signup("globex").await;
    let body = json!({"email": owner.email, "role": "admin"});
    other.create("/v1/members/invite", body).await;
    delete(&owner, "acme").await.expect_status(202);
    let answer = login(&app, &owner.email).await;
    answer.expect_status(200);
    until_gone(&app, &owner).await;
    let there = User::login(&app.anonymous(), &owner.email, &other.org_id).await;
    assert_eq!(there.id, owner.id);
    there.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn of_two_owners_at_once_one_deletes_it() {
    let (app, owner) = App::with_owner().await;
    let second = app.member(&owner, "owner").await;
    let mut session = app.session().await;
    let mut held = sqlx::Connection::begin(&mut session).await.unwrap();
    sqlx::query("SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE")
        .bind(&owner.org_id)
        .execute(&mut *held)
        .await
        .unwrap();
    let at_once = async { tokio::join!(delete(&owner, "acme"), delete(&second, "acme")) };
    let release = async {
        app.until_waiting_for_locks(2).await;
        held.rollback().await.unwrap();
    };
    let ((one, other), ()) = tokio::join!(at_once, release);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [202, 401]);
    until_gone(&app, &owner).await;
    let mails = app.mails().await.into_iter();
    let told = mails.filter(|mail| mail.subject == SUBJECT).count();
    assert_eq!(told, 2);
}

#[tokio::test]
async fn an_owner_who_is_demoted_in_the_same_moment_is_403() {
    let (app, owner) = App::with_owner().await;
    let second = app.member(&owner, "owner").await;
    let mut session = app.session().await;
    let mut held = sqlx::Connection::begin(&mut session).await.unwrap();
    sqlx::query("UPDATE members SET role = 'admin' WHERE user_id = $1::uuid")
        .bind(&second.id)
        .execute(&mut *held)
        .await
        .unwrap();
    sqlx::query("SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE")
        .bind(&owner.org_id)
        .execute(&mut *held)
        .await
        .unwrap();
    let commit = async {
        app.until_waiting_for_locks(1).await;
        held.commit().await.unwrap();
    };
    let (refused, ()) = tokio::join!(delete(&second, "acme"), commit);
    refused.expect_error(403, "insufficient permissions");
    owner.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_member_who_switches_to_it_in_the_same_moment_has_no_session_in_it() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    let body = json!({"email": guest.email, "role": "viewer"});
    owner.create("/v1/members/invite", body).await;
    app.clock.advance(Duration::from_secs(60));
    let switch = json!({"email": guest.email, "password": PASSWORD, "org_id": owner.org_id});
    let anonymous = app.anonymous();
    let (deleted, switched) = tokio::join!(
        delete(&owner, "acme"),
        anonymous.post("/v1/auth/login", switch)
    );
    deleted.expect_status(202);
    if switched.status == 200 {
        let token = switched.text("/tokens/access_token");
        let there = app.anonymous().with_token(&token);
        there.get("/v1/projects").await.expect_status(401);
    } else {
        assert!([401, 403].contains(&switched.status), "{}", switched.body);
    }
    until_gone(&app, &owner).await;
    guest.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_change_in_flight_neither_survives_nor_holds_it_up() {
    let (app, owner) = App::with_owner().await;
    let project = owner.default_project().await;
    sdk(&app, &owner).await;
    let path = format!("/v1/projects/{}/flags/checkout/promote", project.id);
    let body = json!({"source_env_id": project.dev, "target_env_id": project.production});
    let (promoted, deleted) = tokio::join!(owner.post(&path, body), delete(&owner, "acme"));
    deleted.expect_status(202);
    let statuses = [200, 401, 404, 409];
    assert!(statuses.contains(&promoted.status), "{}", promoted.body);
    until_gone(&app, &owner).await;
}

#[tokio::test]
async fn a_member_who_is_added_at_the_last_moment_leaves_no_account() {
    let (app, owner) = App::with_owner().await;
    // It appears after the accounts were deleted, once.
    sqlx::raw_sql(
        "CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$
         DECLARE guest uuid := '01970000-0000-7000-8000-000000000001';
         BEGIN
             INSERT INTO users (id, email, name, created_at, updated_at)
             VALUES (guest, 'late@acme.test', 'late', now(), now())
             ON CONFLICT DO NOTHING;
             INSERT INTO members (id, org_id, user_id, role, created_at)
             VALUES (guest, OLD.org_id, guest, 'viewer', now())
             ON CONFLICT DO NOTHING;
             RETURN OLD;
         END $$;
         CREATE TRIGGER late BEFORE DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION late()",
    )
    .execute(app.pool())
    .await
    .unwrap();
    delete(&owner, "acme").await.expect_status(202);
    eventually("the last entry is gone", async || {
        let left: i64 = app.value("SELECT COUNT(*) FROM audit_entries", &[]).await;
        (left == 0).then_some(())
    })
    .await;
    let lifecycle = super::lifecycle(&app);
    eventually("everything of it is gone", async || {
        lifecycle.purge_organizations().await.unwrap();
        (!exists(&app, &owner).await).then_some(())
    })
    .await;
    let users: i64 = app.value("SELECT COUNT(*) FROM users", &[]).await;
    assert_eq!(users, 0);
}

#[tokio::test]
async fn its_webhooks_stop() {
    let (app, owner) = App::with_proven_owner().await;
    let body = json!({"name": "hook", "url": "https://hooks.example.com/x", "events": ["*"]});
    owner.create("/v1/webhooks", body).await;
    // Nothing is removed before the webhooks are looked at.
    let mut session = app.session().await;
    let mut held = sqlx::Connection::begin(&mut session).await.unwrap();
    sqlx::query("SELECT FROM users, projects FOR UPDATE")
        .execute(&mut *held)
        .await
        .unwrap();
    delete(&owner, "acme").await.expect_status(202);
    let enabled: i64 = app
        .value("SELECT COUNT(*) FROM webhooks WHERE enabled", &[])
        .await;
    assert_eq!(enabled, 0);
    held.rollback().await.unwrap();
}

#[tokio::test]
async fn it_is_deleted_at_a_replica_that_does_not_lead() {
    let (app, owner) = App::with_owner().await;
    let theirs = sdk(&app, &owner).await;
    let replica = app.another_replica().await;
    let there = owner.at(&replica);
    let body = json!({"name": "acme", "password": PASSWORD});
    let request = there.request(Method::DELETE, PATH).json(&body);
    there.send(request).await.expect_status(202);
    eventually("the key opens nothing", async || {
        (evaluate(&theirs).await == 401).then_some(())
    })
    .await;
}
