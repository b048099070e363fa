//! Switching the second factor off.

use std::time::Duration;

use harness::user::PASSWORD;
use harness::{App, Response, User, statuses};
use serde_json::{Value, json};

use super::{activate, enable, is_enabled, login};
use crate::trail;

const STEP: Duration = Duration::from_secs(30);

async fn disable(user: &User, body: Value) -> Response {
    user.post("/v1/auth/mfa/disable", body).await
}

#[tokio::test]
async fn the_password_a_code_or_a_backup_code_switches_it_off() {
    let (app, owner) = App::with_owner().await;
    for field in ["password", "code", "backup code", "both"] {
        app.clock.advance(2 * STEP);
        let enrolled = activate(&app, &owner).await;
        app.clock.advance(STEP);
        let code = enrolled.phone.code(app.clock.now());
        let body = match field {
            "password" => json!({"password": PASSWORD}),
            "code" => json!({"code": code, "password": ""}),
            "backup code" => json!({"code": enrolled.backup_codes[3]}),
            _ => json!({"code": code, "password": PASSWORD}),
        };
        let answer = disable(&owner, body).await;
        answer.expect(200, json!({"message": "mfa disabled"}));
        let status = owner.get("/v1/auth/mfa/status").await;
        status.expect(200, json!({"enabled": false, "enrolled_at": null}));
        let entry = trail::newest(&app, &owner).await;
        assert_eq!(entry["action"], "mfa.disabled");
        assert_eq!(entry["resource_id"], json!(owner.id));
        login(&app, &owner, None).await.expect_status(200);
    }
}

#[tokio::test]
async fn it_can_be_switched_off_on_every_plan() {
    let (app, owner) = App::with_owner().await;
    activate(&app, &owner).await;
    app.set_plan(&owner, "free").await;
    disable(&owner, json!({"password": PASSWORD}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn a_wrong_code_is_422_and_a_wrong_password_401() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    let used = enrolled.phone.code(app.clock.now());
    for code in [used, "000000x".to_owned(), "aaaaaaaa".to_owned()] {
        let answer = disable(&owner, json!({"code": code})).await;
        answer.expect_error(422, "invalid mfa code");
    }
    let right_code = &enrolled.backup_codes[0];
    for body in [
        json!({"password": "Wrong-password-1"}),
        json!({"password": "Wrong-password-1", "code": right_code}),
    ] {
        let answer = disable(&owner, body).await;
        answer.expect_error(401, "invalid credentials");
    }
    let answer = disable(&owner, json!({"password": PASSWORD, "code": "aaaaaaaa"})).await;
    answer.expect_error(422, "invalid mfa code");
    assert!(is_enabled(&owner).await);
}

#[tokio::test]
async fn without_password_and_code_or_without_enrolment_it_is_400() {
    let (_app, owner) = App::with_owner().await;
    for body in [json!({}), json!({"password": null, "code": " "})] {
        let answer = disable(&owner, body).await;
        answer.expect_error(400, "password or code is required");
    }
    let with_password = json!({"password": PASSWORD});
    let answer = disable(&owner, with_password.clone()).await;
    answer.expect_error(400, "mfa is not enrolled");
    enable(&owner).await;
    let answer = disable(&owner, with_password).await;
    answer.expect_error(400, "mfa is not enrolled");
}

#[tokio::test]
async fn an_open_session_is_not_enough_to_try_codes_and_passwords_through() {
    let (app, owner) = App::with_owner_and(&[("LOCKOUT_FAILURES", "3")]).await;
    activate(&app, &owner).await;
    for _ in 0..2 {
        let answer = disable(&owner, json!({"code": "aaaaaaaa"})).await;
        answer.expect_error(422, "invalid mfa code");
    }
    let answer = disable(&owner, json!({"password": "Wrong-password-1"})).await;
    answer.expect_error(401, "invalid credentials");
    let answer = disable(&owner, json!({"password": PASSWORD})).await;
    answer.expect_error(
        429,
        "too many failed login attempts, please try again later",
    );
    assert_eq!(answer.header("retry-after"), "900");
    login(&app, &owner, None).await.expect_status(429);
}

#[tokio::test]
async fn of_two_at_once_one_switches_it_off() {
    let (app, owner) = App::with_owner().await;
    activate(&app, &owner).await;
    let body = json!({"password": PASSWORD});
    let (one, other) = tokio::join!(disable(&owner, body.clone()), disable(&owner, body));
    assert_eq!(statuses([&one, &other]), [200, 400]);
}
