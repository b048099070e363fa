//! Not enrolled, then pending, then active.

use std::time::Duration;

use harness::{App, statuses};
use serde_json::{Value, json};

use super::{activate, enable, is_enabled, login, verify};
use crate::trail;

const STEP: Duration = Duration::from_secs(30);

#[tokio::test]
async fn enable_shows_secret_uri_and_backup_codes_once() {
    let (_app, owner) = App::with_owner().await;
    let answer = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    let secret = answer.text("/secret");
    let uri = format!("otpauth://totp/Halyard:owner%40acme.test?secret={secret}&issuer=Halyard");
    let codes = vec![json!("[text]"); 10];
    answer.expect(
        200,
        json!({"secret": "[text]", "qr_uri": uri, "provisioning_uri": uri, "backup_codes": codes}),
    );
    // 20 bytes in base32 are 32 characters, and need no padding.
    assert_eq!(secret.len(), 32);
    let is_base32 = |byte: u8| matches!(byte, b'A'..=b'Z' | b'2'..=b'7');
    assert!(secret.bytes().all(is_base32), "{secret}");
    let is_code = |text: &str| {
        text.len() == 8
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    for code in answer.body["backup_codes"].as_array().unwrap() {
        assert!(is_code(code.as_str().unwrap()), "{code}");
    }
}

#[tokio::test]
async fn neither_secret_nor_backup_codes_can_be_read_from_the_database() {
    let (app, owner) = App::with_owner().await;
    let answer = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    let stored: Vec<u8> = app.value("SELECT secret FROM mfa_enrolments", &[]).await;
    let secret = data_encoding::BASE32_NOPAD
        .decode(answer.text("/secret").as_bytes())
        .unwrap();
    assert!(!stored.windows(20).any(|part| part == secret));
    let hashes: Vec<Vec<u8>> = sqlx::query_scalar("SELECT code_hash FROM mfa_backup_codes")
        .fetch_all(app.pool())
        .await
        .unwrap();
    assert_eq!(hashes.len(), 10);
    assert!(hashes.iter().all(|hash| hash.len() == 32));
}

#[tokio::test]
async fn a_secret_counts_for_nothing_until_a_code_proves_it() {
    let (app, owner) = App::with_owner().await;
    let not_enabled = json!({"enabled": false, "enrolled_at": null});
    let status = owner.get("/v1/auth/mfa/status").await;
    status.expect(200, not_enabled.clone());

    let enrolled = enable(&owner).await;
    let status = owner.get("/v1/auth/mfa/status").await;
    status.expect(200, not_enabled);
    login(&app, &owner, None).await.expect_status(200);

    app.clock.advance(Duration::from_secs(600));
    let code = enrolled.phone.code(app.clock.now());
    let answer = verify(&owner, &code).await;
    answer.expect(200, json!({"message": "mfa enabled"}));
    let status = owner.get("/v1/auth/mfa/status").await;
    status.expect(
        200,
        json!({"enabled": true, "enrolled_at": "2026-05-04T12:10:00Z"}),
    );
    let entry = trail::newest(&app, &owner).await;
    assert_eq!(entry["action"], "mfa.enabled");
    assert_eq!(entry["resource_id"], json!(owner.id));
    login(&app, &owner, None)
        .await
        .expect_error(403, "mfa_required");
}

#[tokio::test]
async fn enable_while_pending_replaces_secret_and_codes() {
    let (app, owner) = App::with_owner().await;
    let first = enable(&owner).await;
    let second = enable(&owner).await;
    let now = app.clock.now();
    verify(&owner, &first.phone.code(now))
        .await
        .expect_error(422, "invalid mfa code");
    verify(&owner, &second.phone.code(now))
        .await
        .expect_status(200);

    let old = &first.backup_codes[0];
    login(&app, &owner, Some(old))
        .await
        .expect_error(401, "invalid mfa code");
    let new = &second.backup_codes[0];
    login(&app, &owner, Some(new)).await.expect_status(200);
}

#[tokio::test]
async fn enable_and_verify_while_active_are_conflicts() {
    let (app, owner) = App::with_owner().await;
    let enrolled = activate(&app, &owner).await;
    app.clock.advance(STEP);
    let again = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    again.expect_error(409, "mfa is already active");
    verify(&owner, &enrolled.phone.code(app.clock.now()))
        .await
        .expect_error(409, "mfa is already active");
    // The authenticator is the one that was active before.
    let code = enrolled.phone.code(app.clock.now());
    login(&app, &owner, Some(&code)).await.expect_status(200);
}

#[tokio::test]
async fn verify_refuses_a_missing_code_and_a_user_without_enrolment() {
    let (_app, owner) = App::with_owner().await;
    verify(&owner, "123456")
        .await
        .expect_error(400, "mfa is not enrolled");
    for body in [json!({}), json!({"code": null}), json!({"code": " "})] {
        let answer = owner.post("/v1/auth/mfa/verify", body).await;
        answer.expect_error(400, "code is required");
    }
    let answer = owner.post("/v1/auth/mfa/verify", json!({"code": 1})).await;
    answer.expect_status(400);
}

#[tokio::test]
async fn verify_refuses_what_is_no_code_of_now_with_422() {
    let (app, owner) = App::with_owner().await;
    let enrolled = enable(&owner).await;
    let now = app.clock.now();
    let at = |steps: i64| {
        enrolled
            .phone
            .code(now + time::Duration::seconds(30 * steps))
    };
    for code in [
        at(-2),
        at(2),
        enrolled.phone.wrong_code(now),
        format!("0{}", at(0)),
        at(0)[..5].to_owned(),
        "abcdef".to_owned(),
        enrolled.backup_codes[0].clone(),
    ] {
        verify(&owner, &code)
            .await
            .expect_error(422, "invalid mfa code");
    }
    assert!(!is_enabled(&owner).await);
    verify(&owner, &at(-1)).await.expect_status(200);
}

#[tokio::test]
async fn of_two_verifications_at_once_one_makes_it_active() {
    let (app, owner) = App::with_owner().await;
    let code = enable(&owner).await.phone.code(app.clock.now());
    let (one, other) = tokio::join!(verify(&owner, &code), verify(&owner, &code));
    assert_eq!(statuses([&one, &other]), [200, 409]);
}

#[tokio::test]
async fn below_pro_enable_and_verify_are_402() {
    const REFUSAL: &str = "mfa requires the pro plan";
    let (app, owner) = App::with_owner().await;
    let enrolled = enable(&owner).await;
    let code = enrolled.phone.code(app.clock.now());
    app.set_plan(&owner, "free").await;
    let answer = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    answer.expect_error(402, REFUSAL);
    verify(&owner, &code).await.expect_error(402, REFUSAL);
    // The plan comes before the body.
    let answer = owner.post("/v1/auth/mfa/verify", json!({})).await;
    answer.expect_error(402, REFUSAL);
    owner.get("/v1/auth/mfa/status").await.expect_status(200);

    for plan in ["pro", "enterprise"] {
        app.set_plan(&owner, plan).await;
        enable(&owner).await;
    }
}

#[tokio::test]
async fn a_trial_that_ended_counts_as_free() {
    let (app, owner) = App::with_owner_and(&[("TRIAL_LENGTH", "10m")]).await;
    app.clock.advance(Duration::from_secs(599));
    enable(&owner).await;
    app.clock.advance(Duration::from_secs(1));
    let answer = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    answer.expect_error(402, "mfa requires the pro plan");
}
