//! Addresses that no mail can reach.

use harness::App;
use harness::user::PASSWORD;
use serde_json::{Value, json};

const REFUSED_BY_SCIM: &str = "emails.value must be an e-mail address";
const ADDRESSES: [&str; 4] = ["a..b@x.de", "\"x@x.de", ".a@x.de", "a@-x.de"];

#[tokio::test]
async fn addresses_that_no_mail_can_reach_are_refused_wherever_one_is_taken() {
    let (app, owner) = App::with_owner().await;
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
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let provider = app.identity_provider(&owner).await;
    for email in ADDRESSES {
        let user = json!({"userName": "ada", "emails": [{"value": email}]});
        let answer = provider.post("/v1/scim/Users", user).await;
        answer.expect_scim_error(400, "invalidValue", REFUSED_BY_SCIM);
    }
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
