//! Addresses that no mail can reach.

use harness::scim::{USERS, user};
use harness::user::PASSWORD;
use harness::{App, IdentityProvider};
use serde_json::{Value, json};
use uuid::Uuid;

/// In a record of an earlier build.
const OLD: &str = "a..b@x.de";
const REFUSED_BY_SCIM: &str = "emails.value must be an e-mail address";
const ADDRESSES: [&str; 4] = ["a..b@x.de", "\"x@x.de", ".a@x.de", "a@-x.de"];

#[tokio::test]
async fn addresses_that_no_mail_can_reach_are_refused_wherever_one_is_taken() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    app.set_plan(&owner, "enterprise").await;
    let before = app.mails().await.len();
    let anonymous = app.anonymous();
    for email in ADDRESSES {
        let account =
            json!({"email": email, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
        let code = json!({"email": email, "otp": "000000", "new_password": PASSWORD});
        let inquiry = json!({"contact_name": "Ada", "email": email, "company": "Engines"});
        let bodies: [(&str, &Value); 7] = [
            ("/v1/auth/register", &account),
            ("/v1/auth/initiate-signup", &account),
            ("/v1/auth/resend-signup-otp", &code),
            ("/v1/auth/complete-signup", &code),
            ("/v1/auth/forgot-password", &code),
            ("/v1/auth/reset-password", &code),
            ("/v1/sales/inquiry", &inquiry),
        ];
        for (path, body) in bodies {
            let answer = anonymous.post(path, body.clone()).await;
            answer.expect_error(400, "invalid email");
        }
        let invitation = json!({"email": email, "role": "viewer"});
        let answer = owner.post("/v1/members/invite", invitation).await;
        answer.expect_error(400, "invalid email");
    }
    assert_eq!(app.mails().await.len(), before);
}

#[tokio::test]
async fn scim_refuses_them_in_its_own_form() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    app.set_plan(&owner, "enterprise").await;
    let provider = app.identity_provider(&owner).await;
    for email in ADDRESSES {
        let user = json!({"userName": "ada", "emails": [{"value": email}]});
        let answer = provider.post("/v1/scim/Users", user).await;
        answer.expect_scim_error(400, "invalidValue", REFUSED_BY_SCIM);
    }
}

#[tokio::test]
async fn a_record_from_before_can_be_deactivated() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let provider = app.identity_provider(&owner).await;
    let id = record_from_before(&app, &provider).await;
    let path = format!("{USERS}/{id}");

    let mut body = user(OLD);
    body["active"] = json!(false);
    let answer = provider.put(&path, body).await;
    answer.expect_status(200);
    assert_eq!(answer.body["active"], false);
    assert_eq!(answer.body["emails"][0]["value"], OLD);
    let members = owner.get("/v1/members").await;
    assert_eq!(members.body["total"], 1, "{}", members.body);

    // Nothing else becomes possible: this one stays, and others are refused.
    for email in ["\"x@x.de", "b..b@x.de"] {
        let answer = provider.put(&path, user(email)).await;
        answer.expect_scim_error(400, "invalidValue", REFUSED_BY_SCIM);
    }
    let answer = provider.post(USERS, user("a..b@y.de")).await;
    answer.expect_scim_error(400, "invalidValue", REFUSED_BY_SCIM);
}

#[tokio::test]
async fn an_account_from_before_keeps_its_address_and_nobody_else_gets_such_a_one() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let provider = app.identity_provider(&owner).await;
    let id = record_from_before(&app, &provider).await;
    sqlx::query("UPDATE scim_users SET emails = '[]', folded_emails = '{}'")
        .execute(app.pool())
        .await
        .unwrap();

    let path = format!("{USERS}/{id}");
    let renamed = json!({"name": {"formatted": "Ada"}});
    provider.put(&path, renamed).await.expect_status(200);
    assert_eq!(address_of(&app, &id).await.as_deref(), Some(OLD));
    let another = json!({"userName": "b..b@x.de"});
    provider.put(&path, another).await.expect_status(200);
    assert_eq!(address_of(&app, &id).await, None);

    let new = json!({"userName": "c..c@x.de"});
    let made = provider.post(USERS, new).await;
    made.expect_status(201);
    assert_eq!(address_of(&app, &made.text("/id")).await, None);
}

/// Somebody whom an earlier build provisioned, which took any address; the id.
async fn record_from_before(app: &App, provider: &IdentityProvider) -> String {
    let id = provider.provision("ada@x.de").await;
    for statement in [
        "UPDATE users SET email = $1 WHERE email = 'ada@x.de'",
        "UPDATE scim_users
         SET user_name = $1, folded_user_name = $1, folded_emails = ARRAY[$1::text],
             emails = jsonb_build_array(jsonb_build_object('value', $1::text, 'primary', true))",
    ] {
        sqlx::query(statement)
            .bind(OLD)
            .execute(app.pool())
            .await
            .unwrap();
    }
    id
}

async fn address_of(app: &App, id: &str) -> Option<String> {
    sqlx::query_scalar("SELECT email FROM users WHERE id = $1")
        .bind(Uuid::try_parse(id).unwrap())
        .fetch_one(app.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_login_with_one_is_answered_as_with_an_unknown_one() {
    let app = App::start().await;
    for email in ADDRESSES.into_iter().chain(["nobody@x.de"]) {
        let body = json!({"email": email, "password": PASSWORD});
        let answer = app.anonymous().post("/v1/auth/login", body).await;
        answer.expect(401, json!({"error": "invalid credentials"}));
    }
}
