//! `DEFAULT_PLAN`: what a new organization gets, and keeps without paying.

use harness::{App, User};
use serde_json::{Value, json};

use super::{DAY, LONG_TOKENS, lifecycle, retire, stored_plan};

async fn app_with(plan: &str) -> App {
    let settings = [("DEFAULT_PLAN", plan), LONG_TOKENS[0], LONG_TOKENS[1]];
    App::start_with(&settings).await
}

/// Plan and end of the trial, as the API shows them.
async fn shown(owner: &User) -> (String, Value) {
    let me = owner.get("/v1/me").await;
    let organization = &me.body["organization"];
    let end = organization["trial_expires_at"].clone();
    (me.text("/organization/plan"), end)
}

#[tokio::test]
async fn a_new_organization_keeps_the_default_plan_for_as_long_as_it_exists() {
    for plan in ["pro", "enterprise"] {
        let app = app_with(plan).await;
        let owner = app.signup("acme").await;
        assert_eq!(shown(&owner).await, (plan.to_owned(), Value::Null));
        app.mails().await;
        app.clock.advance(400 * DAY);
        lifecycle(&app).end_trials().await.unwrap();
        retire(&app).await;
        assert_eq!(shown(&owner).await, (plan.to_owned(), Value::Null));
        assert_eq!(stored_plan(&app, &owner).await, plan);
        let mails = app.mails().await;
        let about_it = mails.iter().filter(|mail| mail.subject.contains("trial"));
        assert_eq!(about_it.count(), 0);
    }
}

#[tokio::test]
async fn on_free_the_limits_hold_from_the_first_day() {
    let app = app_with("free").await;
    let owner = app.signup("acme").await;
    assert_eq!(shown(&owner).await, ("free".to_owned(), Value::Null));
    let refused = owner.post("/v1/projects", json!({"name": "Second"})).await;
    refused.expect_error(402, "plan limit reached: projects");
}

#[tokio::test]
async fn a_sign_up_by_code_begins_on_the_default_plan_too() {
    let app = app_with("enterprise").await;
    let email = "ada@example.com";
    let body = json!({"email": email, "password": "Correct-horse-1", "name": "Ada", "org_name": "Engines"});
    let anonymous = app.anonymous();
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let otp = app.mail_to(email).await.code().to_owned();
    let body = json!({"email": email, "otp": otp});
    let answer = anonymous.create("/v1/auth/complete-signup", body).await;
    assert_eq!(answer.text("/organization/plan"), "enterprise");
    assert_eq!(answer.body["organization"]["trial_expires_at"], Value::Null);
}

#[tokio::test]
async fn a_trial_is_what_a_new_organization_gets_unless_told_otherwise() {
    let (_app, owner) = App::with_owner().await;
    let end = json!("2026-05-18T12:00:00Z");
    assert_eq!(shown(&owner).await, ("trial".to_owned(), end));
}
