//! Proving an address by the link in a mail.

use std::time::Duration;

use harness::{App, Response, statuses};
use serde_json::json;

use super::{audit_trail, registration};

const SEND: &str = "/v1/auth/send-verification-email";

/// The path of the link in the newest mail to an address.
async fn link(app: &App, address: &str) -> String {
    let mail = app.mail_to(address).await;
    let link = mail.link();
    // The default API address; tests listen elsewhere.
    let path = link.strip_prefix("http://127.0.0.1:8080");
    path.expect("a link to the API").to_owned()
}

async fn is_verified(app: &App, address: &str) -> bool {
    app.value(
        "SELECT email_verified FROM users WHERE email = $1",
        &[address],
    )
    .await
}

fn expect_redirect(answer: &Response) {
    answer.expect_status(302);
    assert_eq!(
        answer.header("location"),
        "http://127.0.0.1:8080/login?verified=true"
    );
}

#[tokio::test]
async fn register_mails_a_link_at_once_that_verifies_the_address() {
    let (app, owner) = App::with_owner().await;
    let path = link(&app, &owner.email).await;
    let token = path
        .strip_prefix("/v1/auth/verify-email?token=")
        .and_then(|rest| rest.strip_suffix("&email=owner%40acme.test"))
        .unwrap();
    assert_eq!(token.len(), 64);
    assert!(token.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert!(!is_verified(&app, &owner.email).await);

    // Mail programs follow links before people do.
    for _ in 0..2 {
        expect_redirect(&app.anonymous().get(&path).await);
        assert!(is_verified(&app, &owner.email).await);
    }
    let trail = audit_trail(&app, &owner.org_id).await;
    let entry = |action: &str| (action.to_owned(), owner.id.clone());
    assert_eq!(
        trail,
        [entry("auth.registered"), entry("auth.email_verified")]
    );
}

#[tokio::test]
async fn at_most_one_mail_is_sent_in_sixty_seconds() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(Duration::from_secs(59));
    let refused = owner.post(SEND, json!({})).await;
    refused.expect_error(
        429,
        "a verification email was sent just now, please wait before asking for another",
    );
    assert_eq!(refused.header("retry-after"), "1");

    app.clock.advance(Duration::from_secs(1));
    let (one, other) = tokio::join!(owner.post(SEND, json!({})), owner.post(SEND, json!({})));
    assert_eq!(statuses([&one, &other]), [200, 429]);
    assert_eq!(app.mails().await.len(), 2);
}

#[tokio::test]
async fn an_address_is_sent_five_links_an_hour() {
    let app = App::start_with(&[("TOKEN_TTL_MINUTES", "600")]).await;
    // The first is sent by the registration.
    let owner = app.signup("acme").await;
    let send = async || {
        app.clock.advance(Duration::from_secs(60));
        let path = "/v1/auth/send-verification-email";
        owner.post(path, json!({})).await
    };
    for _ in 1..5 {
        send().await.expect_status(200);
    }
    let refused = send().await;
    refused.expect_error(429, "too many verification emails, please try again later");
    assert_eq!(refused.header("retry-after"), (3_600 - 5 * 60).to_string());
    app.clock.advance(Duration::from_secs(3_600 - 6 * 60));
    send().await.expect_status(200);
    assert_eq!(app.mails().await.len(), 6);
}

#[tokio::test]
async fn every_link_is_good_within_its_life() {
    let (app, owner) = App::with_owner().await;
    let first = link(&app, &owner.email).await;
    app.clock.advance(Duration::from_secs(60));
    let answer = owner.post(SEND, json!({})).await;
    answer.expect(200, json!({"message": "verification email sent"}));
    let second = link(&app, &owner.email).await;
    assert_ne!(first, second);

    app.clock.advance(Duration::from_secs(24 * 3_600 - 60));
    app.anonymous()
        .get(&first)
        .await
        .expect_error(400, "invalid or expired verification link");
    assert!(!is_verified(&app, &owner.email).await);
    expect_redirect(&app.anonymous().get(&second).await);
}

#[tokio::test]
async fn a_second_mail_leaves_the_link_of_the_first_good() {
    let (app, owner) = App::with_owner().await;
    let first = link(&app, &owner.email).await;
    app.clock.advance(Duration::from_secs(60));
    owner.act(SEND, json!({})).await;
    assert_ne!(link(&app, &owner.email).await, first);
    expect_redirect(&app.anonymous().get(&first).await);
    assert!(is_verified(&app, &owner.email).await);
}

#[tokio::test]
async fn a_verified_address_gets_no_mail() {
    let (app, owner) = App::with_owner().await;
    let path = link(&app, &owner.email).await;
    expect_redirect(&app.anonymous().get(&path).await);
    for _ in 0..2 {
        let answer = owner.post(SEND, json!({})).await;
        answer.expect(200, json!({"message": "email already verified"}));
    }
    assert_eq!(app.mails().await.len(), 1);
}

#[tokio::test]
async fn a_wrong_token_or_the_token_of_another_address_is_400() {
    let (app, owner) = App::with_owner().await;
    app.signup("other").await;
    let path = link(&app, &owner.email).await;
    let wrong = format!(
        "/v1/auth/verify-email?token={}&email=owner@acme.test",
        "0".repeat(64)
    );
    for path in [
        path.replace("acme.test", "other.test"),
        path.replace("acme.test", "nobody.test"),
        wrong,
    ] {
        app.anonymous()
            .get(&path)
            .await
            .expect_error(400, "invalid or expired verification link");
    }
    for (query, message) in [
        ("", "token is required"),
        ("?token=", "token is required"),
        ("?token=00", "email is required"),
        ("?token=00&email=ada", "invalid email"),
    ] {
        app.anonymous()
            .get(&format!("/v1/auth/verify-email{query}"))
            .await
            .expect_error(400, message);
    }
    assert!(!is_verified(&app, &owner.email).await);
}

#[tokio::test]
async fn a_link_does_not_verify_an_address_that_the_account_got_later() {
    let (app, owner) = App::with_owner().await;
    let path = link(&app, &owner.email).await;
    app.execute(
        "UPDATE users SET email = 'new@acme.test' WHERE email = $1",
        &[&owner.email],
    )
    .await;
    for path in [path.clone(), path.replace("owner%40", "new%40")] {
        app.anonymous().get(&path).await.expect_status(400);
    }
}

#[tokio::test]
async fn links_begin_where_the_installation_says() {
    let app = App::start_with(&[
        ("APP_BASE_URL", "https://flags.example.com/"),
        ("DASHBOARD_URL", "https://dashboard.example.com"),
    ])
    .await;
    app.anonymous()
        .create("/v1/auth/register", registration())
        .await;
    let mail = app.mail_to("ada@example.com").await;
    let path = mail
        .link()
        .strip_prefix("https://flags.example.com")
        .unwrap();
    let answer = app.anonymous().get(path).await;
    assert_eq!(
        answer.expect_status(302).header("location"),
        "https://dashboard.example.com/login?verified=true"
    );
}
