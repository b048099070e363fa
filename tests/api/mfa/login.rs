//! Signing in with a second factor.

use std::time::Duration;

use harness::{App, User, eventually, statuses};
use serde_json::json;

use super::{Enrolled, activate, login};

const STEP: Duration = Duration::from_secs(30);

async fn login_with_the_next_code(app: &App, owner: &User, enrolled: &Enrolled) {
    app.clock.advance(STEP);
    let code = enrolled.phone.code(app.clock.now());
    login(app, owner, Some(&code)).await.expect_status(200);
}

#[tokio::test]
async fn the_code_is_asked_for_only_after_the_right_password() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    for code in [None, Some(""), Some(" ")] {
        let answer = login(&app, &owner, code).await;
        answer.expect_error(403, "mfa_required");
    }

    app.clock.advance(STEP);
    let code = enrolled.phone.code(app.clock.now());
    for code in [None, Some(code.as_str())] {
        let body = json!({"email": owner.email, "password": "Wrong-password-1", "mfa_code": code});
        let answer = app.anonymous().post("/v1/auth/login", body).await;
        answer.expect_error(401, "invalid credentials");
    }
    let answer = login(&app, &owner, Some(&code)).await;
    answer.expect_status(200);
    let token = answer.text("/tokens/access_token");
    let signed_in = app.anonymous().with_token(&token);
    signed_in.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_missing_code_is_not_counted_as_a_failure() {
    let (app, owner) = App::with_owner_and(&[("LOCKOUT_FAILURES", "2")]).await;
    let enrolled = activate(&app, &owner).await;
    for _ in 0..5 {
        login(&app, &owner, None)
            .await
            .expect_error(403, "mfa_required");
    }
    login_with_the_next_code(&app, &owner, &enrolled).await;
}

#[tokio::test]
async fn wrong_codes_are_refused_and_lock() {
    let (app, owner) = App::with_owner_and(&[("LOCKOUT_FAILURES", "3")]).await;
    let enrolled = activate(&app, &owner).await;
    app.clock.advance(STEP);
    let now = app.clock.now();
    for code in [&enrolled.phone.wrong_code(now), "not a code", "aaaaaaaa"] {
        let answer = login(&app, &owner, Some(code)).await;
        answer.expect_error(401, "invalid mfa code");
    }
    let code = enrolled.phone.code(now);
    for code in [None, Some(code.as_str())] {
        let answer = login(&app, &owner, code).await;
        answer.expect_error(
            429,
            "too many failed login attempts, please try again later",
        );
    }
    eventually("the failures are in the audit trail", async || {
        let trail = crate::accounts::audit_trail(&app, &owner.org_id).await;
        let failures = trail
            .iter()
            .filter(|(action, _)| action == "auth.login_failed");
        let locked = trail.iter().filter(|(action, _)| action == "auth.locked");
        (failures.count() == 3 && locked.count() == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn one_step_of_drift_is_accepted_to_either_side() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    app.clock.advance(10 * STEP);
    let now = app.clock.now();
    let at = |steps: i64| {
        enrolled
            .phone
            .code(now + time::Duration::seconds(30 * steps))
    };
    for (steps, status) in [(-2, 401), (2, 401), (1, 200), (-1, 200), (0, 200)] {
        let answer = login(&app, &owner, Some(&at(steps))).await;
        assert_eq!(answer.status, status, "{steps}");
    }
}

#[tokio::test]
async fn a_used_step_is_not_accepted_again() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    let by_verify = enrolled.phone.code(app.clock.now());
    login(&app, &owner, Some(&by_verify))
        .await
        .expect_error(401, "invalid mfa code");

    app.clock.advance(STEP);
    let code = enrolled.phone.code(app.clock.now());
    login(&app, &owner, Some(&code)).await.expect_status(200);
    for _ in 0..2 {
        login(&app, &owner, Some(&code))
            .await
            .expect_error(401, "invalid mfa code");
        login(&app, &owner, Some(&by_verify))
            .await
            .expect_error(401, "invalid mfa code");
        // Still in the window, a step later.
        app.clock.advance(STEP);
    }
}

#[tokio::test]
async fn of_two_logins_at_once_with_one_code_one_succeeds() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    app.clock.advance(STEP);
    let code = enrolled.phone.code(app.clock.now());
    assert_one_succeeds(&app, &owner, &code).await;
    assert_one_succeeds(&app, &owner, &enrolled.backup_codes[0]).await;
}

async fn assert_one_succeeds(app: &App, owner: &User, code: &str) {
    let (one, other) = tokio::join!(login(app, owner, Some(code)), login(app, owner, Some(code)));
    assert_eq!(statuses([&one, &other]), [200, 401]);
}

#[tokio::test]
async fn each_backup_code_signs_in_once() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    for code in &enrolled.backup_codes {
        login(&app, &owner, Some(code)).await.expect_status(200);
        login(&app, &owner, Some(code))
            .await
            .expect_error(401, "invalid mfa code");
    }
}

#[tokio::test]
async fn a_backup_code_of_somebody_else_is_refused() {
    let app = App::start().await;
    let (ada, eve) = (app.signup("ada").await, app.signup("eve").await);
    activate(&app, &ada).await;
    let of_eve = activate(&app, &eve).await;
    login(&app, &ada, Some(&of_eve.backup_codes[0]))
        .await
        .expect_error(401, "invalid mfa code");
}

#[tokio::test]
async fn a_downgrade_does_not_switch_it_off() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    app.set_plan(&owner, "free").await;
    login(&app, &owner, None)
        .await
        .expect_error(403, "mfa_required");
    login_with_the_next_code(&app, &owner, &enrolled).await;
}

#[tokio::test]
async fn a_code_is_not_needed_and_not_looked_at_without_a_second_factor() {
    let (app, owner) = App::with_owner().await;
    login(&app, &owner, Some("123456")).await.expect_status(200);
    let body = json!({"email": owner.email, "password": harness::user::PASSWORD, "mfa_code": 1});
    let answer = app.anonymous().post("/v1/auth/login", body).await;
    answer.expect_status(400);
}

#[tokio::test]
async fn a_code_stays_good_when_the_login_fails_for_another_reason() {
    let app = App::start().await;
    let (owner, other) = (app.signup("acme").await, app.signup("other").await);
    let enrolled = activate(&app, &owner).await;
    let code = &enrolled.backup_codes[0];
    let body = json!({
        "email": owner.email, "password": harness::user::PASSWORD, "mfa_code": code, "org_id": other.org_id,
    });
    let answer = app.anonymous().post("/v1/auth/login", body).await;
    answer.expect_error(403, "not a member of the organization");
    login(&app, &owner, Some(code)).await.expect_status(200);
}

#[tokio::test]
async fn a_password_reset_leaves_it_on() {
    const NEW: &str = "Battery-staple-2";
    let (app, owner) = App::with_owner().await;
    activate(&app, &owner).await;

    let anonymous = app.anonymous();
    let forgot = json!({"email": owner.email});
    anonymous.act("/v1/auth/forgot-password", forgot).await;
    let code = eventually("a reset code was sent", async || {
        let mails = app.mails().await;
        let mail = mails
            .iter()
            .find(|mail| mail.subject == "Your Halyard password reset code")?;
        Some(mail.code().to_owned())
    })
    .await;
    let reset = json!({"email": owner.email, "otp": code, "new_password": NEW});
    anonymous.act("/v1/auth/reset-password", reset).await;

    let login = json!({"email": owner.email, "password": NEW});
    let answer = anonymous.post("/v1/auth/login", login).await;
    answer.expect_error(403, "mfa_required");
}
