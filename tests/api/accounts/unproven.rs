//! Accounts whose password nobody has proven by a mailed code: whoever registers an address first need not be its owner.

use harness::scim::USERS;
use harness::user::PASSWORD;
use harness::{App, Response, User};
use reqwest::Method;
use serde_json::{Value, json};

use super::password_reset::forgot_and_read;
use crate::trail;

const ADDRESS: &str = "new.hire@corp.test";
const THEIRS: &str = "Battery-staple-2";
const NO_MEMBER: &str = "not a member of the organization";
const UNPROVEN: &str = "prove first that the address is yours: set a password by a mailed code (POST /v1/auth/forgot-password)";

/// An organization, and an outsider who registered an address that is not theirs.
async fn scene() -> (App, User, User) {
    let app = App::start().await;
    let corp = app.signup("corp").await;
    let outsider = outsider(&app).await;
    (app, corp, outsider)
}

async fn outsider(app: &App) -> User {
    let body =
        json!({"email": ADDRESS, "password": PASSWORD, "name": "Mallory", "org_name": "Hers"});
    let made = app.anonymous().create("/v1/auth/register", body).await;
    let org_id = made.text("/organization/id");
    User::login(&app.anonymous(), ADDRESS, &org_id).await
}

async fn invite(owner: &User, role: &str) -> Response {
    let body = json!({"email": ADDRESS, "role": role});
    owner.post("/v1/members/invite", body).await
}

async fn sign_in(app: &App, password: &str, org_id: &str) -> Response {
    let body = json!({"email": ADDRESS, "password": password, "org_id": org_id});
    app.anonymous().post("/v1/auth/login", body).await
}

/// What whoever reads the mail at the address does.
async fn reset(app: &App) -> Response {
    let otp = forgot_and_read(app, ADDRESS).await;
    let body = json!({"email": ADDRESS, "otp": otp, "new_password": THEIRS});
    app.anonymous().post("/v1/auth/reset-password", body).await
}

async fn follow_link(app: &App) {
    let mails = app.mails().await;
    let mail = mails
        .iter()
        .find(|mail| mail.to == ADDRESS && mail.text.contains("verify-email"));
    let link = mail.expect("a link").link();
    let path = link.strip_prefix("http://127.0.0.1:8080").expect("ours");
    let answer = app.anonymous().get(path).await;
    let to = answer.expect_status(302).header("location");
    assert_eq!(to, "http://127.0.0.1:8080/login?verified=true");
}

/// Every way into an organization with what the outsider has.
async fn expect_shut_out(app: &App, outsider: &User, org_id: &str) {
    sign_in(app, PASSWORD, org_id)
        .await
        .expect_error(403, NO_MEMBER);
    let mine = sign_in(app, PASSWORD, &outsider.org_id).await;
    mine.expect_status(200);
    let refresh_token = mine.text("/tokens/refresh_token");
    let caller = app.anonymous();
    let of_page = |path: &str| {
        let request = caller.request(Method::POST, path);
        request.header("sec-fetch-site", "same-origin")
    };
    let open = of_page("/v1/auth/session").json(&json!({"refresh_token": refresh_token}));
    let opened = caller.send(open).await;
    let cookie = opened.expect_status(200).header("set-cookie");
    let (cookie, _) = cookie.split_once(';').expect("a cookie");
    let moving = of_page("/v1/auth/session/refresh").header("cookie", cookie);
    let moved = caller.send(moving.json(&json!({"org_id": org_id}))).await;
    moved.expect_error(403, NO_MEMBER);
    let me = outsider.get("/v1/me").await;
    let organizations = me.expect_status(200).body["organizations"].as_array();
    let ids: Vec<_> = organizations
        .unwrap()
        .iter()
        .map(|one| &one["id"])
        .collect();
    assert_eq!(ids, [&json!(outsider.org_id)]);
}

#[tokio::test]
async fn an_invitation_is_not_for_whoever_registered_the_address_first() {
    let (app, corp, outsider) = scene().await;
    invite(&corp, "admin").await.expect_status(201);
    expect_shut_out(&app, &outsider, &corp.org_id).await;
    reset(&app).await.expect_status(200);
    sign_in(&app, PASSWORD, &corp.org_id)
        .await
        .expect_error(401, "invalid credentials");
    sign_in(&app, THEIRS, &corp.org_id).await.expect_status(200);
}

#[tokio::test]
async fn what_an_identity_provider_gives_is_not_active_until_the_password_is_proven() {
    let (app, corp, outsider) = scene().await;
    let provider = app.identity_provider(&corp).await;
    let made = provider.create(USERS, harness::scim::user(ADDRESS)).await;
    assert_eq!(made.body["active"], false);
    let path = format!("{USERS}/{}", made.text("/id"));
    let listed = async |active: bool| {
        let filter = format!("{USERS}?filter=active%20eq%20{active}");
        let by_name = format!("{filter}%20and%20userName%20eq%20%22{ADDRESS}%22");
        let all = provider.get(&filter).await.body["totalResults"].clone();
        (
            all,
            provider.get(&by_name).await.body["totalResults"].clone(),
        )
    };
    assert_eq!(listed(true).await, (json!(1), json!(0)));
    assert_eq!(listed(false).await, (json!(1), json!(1)));
    expect_shut_out(&app, &outsider, &corp.org_id).await;

    // Neither what says nothing of it nor what repeats it changes the membership.
    for body in [
        json!({"externalId": "7"}),
        json!({"active": true}),
        json!({"active": false}),
        json!({"active": true}),
    ] {
        let replaced = provider.put(&path, body).await;
        assert_eq!(replaced.expect_status(200).body["active"], false);
    }
    reset(&app).await.expect_status(200);
    assert_eq!(provider.get(&path).await.body["active"], true);
    assert_eq!(listed(true).await, (json!(2), json!(1)));
    sign_in(&app, THEIRS, &corp.org_id).await.expect_status(200);
}

#[tokio::test]
async fn a_link_that_somebody_follows_proves_nobodys_password() {
    // The owner of the address, or the program that reads their mail, may follow it before and after.
    for is_before in [true, false] {
        let (app, corp, outsider) = scene().await;
        if is_before {
            follow_link(&app).await;
        }
        invite(&corp, "admin").await.expect_status(201);
        if !is_before {
            follow_link(&app).await;
        }
        let me = outsider.get("/v1/me").await;
        assert_eq!(me.body["user"]["email_verified"], true);
        expect_shut_out(&app, &outsider, &corp.org_id).await;
        let refused = outsider.post("/v1/auth/mfa/enable", Value::Null).await;
        refused.expect_error(403, UNPROVEN);
    }
}

#[tokio::test]
async fn a_session_does_not_act_by_a_membership_that_waits() {
    let (app, corp, _) = scene().await;
    invite(&corp, "admin").await.expect_status(201);
    // As builds left it that asked for no proof.
    app.execute("UPDATE members SET awaits_proof = false", &[])
        .await;
    let inside = User::login(&app.anonymous(), ADDRESS, &corp.org_id).await;
    inside.get("/v1/members").await.expect_status(200);
    let token = inside.post("/v1/auth/one-time-token", Value::Null).await;
    app.execute(
        "UPDATE members SET awaits_proof = true WHERE org_id = $1::uuid AND role = 'admin'",
        &[&corp.org_id],
    )
    .await;
    let invalid = "invalid or expired token";
    inside.get("/v1/members").await.expect_error(401, invalid);
    let anonymous = app.anonymous();
    for (path, field, token) in [
        (
            "/v1/auth/refresh",
            "refresh_token",
            inside.refresh_token.clone(),
        ),
        (
            "/v1/auth/session",
            "refresh_token",
            inside.refresh_token.clone(),
        ),
        ("/v1/auth/token-exchange", "token", token.text("/token")),
    ] {
        let request = anonymous.request(Method::POST, path);
        let request = request.header("sec-fetch-site", "same-origin");
        let refused = anonymous.send(request.json(&json!({field: token}))).await;
        refused.expect_error(401, invalid);
    }
}

#[tokio::test]
async fn a_reset_gives_the_account_to_whoever_has_the_code() {
    let (app, corp, outsider) = scene().await;
    // A second factor from a build that let anybody enrol one.
    app.prove(ADDRESS).await;
    let enrolment = outsider.post("/v1/auth/mfa/enable", Value::Null).await;
    let phone = harness::Authenticator::new(&enrolment.text("/secret"));
    let code = json!({"code": phone.code(app.clock.now())});
    outsider.act("/v1/auth/mfa/verify", code).await;
    sqlx::query("UPDATE users SET password_proven = false WHERE email = $1")
        .bind(ADDRESS)
        .execute(app.pool())
        .await
        .unwrap();
    invite(&corp, "developer").await.expect_status(201);

    let answer = reset(&app).await;
    answer.expect(200, json!({"message": "password reset"}));
    let invalid = "invalid or expired token";
    outsider.get("/v1/me").await.expect_error(401, invalid);
    let body = json!({"refresh_token": outsider.refresh_token});
    let refused = app.anonymous().post("/v1/auth/refresh", body).await;
    refused.expect_error(401, invalid);

    let owner = User::login_with(&app.anonymous(), ADDRESS, &corp.org_id, THEIRS).await;
    let me = owner.get("/v1/me").await;
    assert_eq!(me.body["mfa_enabled"], false);
    assert_eq!(me.body["user"]["email_verified"], true);
    // The organization that the outsider made is the account's, and so theirs.
    let organizations = me.body["organizations"].as_array().unwrap();
    let names: Vec<_> = organizations.iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["Hers", "corp"]);
    let joined = trail::of_action(&app, &corp, "member.joined").await;
    assert_eq!(joined.len(), 1);
    assert_eq!(joined[0]["actor_type"], "system");
    let there = User::login_with(&app.anonymous(), ADDRESS, &outsider.org_id, THEIRS).await;
    for action in ["auth.password_reset", "auth.email_verified", "mfa.disabled"] {
        assert_eq!(
            trail::of_action(&app, &there, action).await.len(),
            1,
            "{action}"
        );
    }
}

#[tokio::test]
async fn an_invitation_beside_the_proof_does_not_wait_for_ever() {
    let (app, corp, _) = scene().await;
    let otp = forgot_and_read(&app, ADDRESS).await;
    let body = json!({"email": ADDRESS, "otp": otp, "new_password": THEIRS});
    let anonymous = app.anonymous();
    let (invited, proven) = tokio::join!(
        invite(&corp, "viewer"),
        anonymous.post("/v1/auth/reset-password", body)
    );
    invited.expect_status(201);
    proven.expect_status(200);
    sign_in(&app, THEIRS, &corp.org_id).await.expect_status(200);
}

#[tokio::test]
async fn a_second_factor_waits_for_a_proven_password() {
    let (app, _, outsider) = scene().await;
    for path in ["/v1/auth/mfa/enable", "/v1/auth/mfa/verify"] {
        let refused = outsider.post(path, json!({"code": "123456"})).await;
        refused.expect_error(403, UNPROVEN);
    }
    reset(&app).await.expect_status(200);
    let org_id = &outsider.org_id;
    let owner = User::login_with(&app.anonymous(), ADDRESS, org_id, THEIRS).await;
    owner.act("/v1/auth/mfa/enable", Value::Null).await;
}
