//! How much mail invitations cause: to one address, and of one organization.

use std::time::Duration;

use harness::mail_server::MailServer;
use harness::{App, User, eventually};
use serde_json::json;

use super::{ADDRESS, invite, invited, listed};

const HOUR: Duration = Duration::from_secs(3_600);

async fn app_with(server: &MailServer, settings: &[(&str, &str)]) -> App {
    let url = server.url();
    let smtp = [("SMTP_URL", url.as_str())];
    App::start_with(&[&smtp, settings].concat()).await
}

/// How many invitations arrived, and how many wait, once nothing is due.
async fn arrived_and_waiting(app: &App, server: &MailServer) -> (usize, usize) {
    let waiting = eventually("no mail is due", async || {
        let (waiting, due): (i64, i64) = sqlx::query_as(
            "SELECT count(*), count(*) FILTER (WHERE due_at <= $1 OR attempts > 0) FROM mails",
        )
        .bind(app.clock.now())
        .fetch_one(app.pool())
        .await
        .unwrap();
        (due == 0).then_some(waiting)
    })
    .await;
    let received = server.received();
    let invitations = received
        .iter()
        .filter(|mail| mail.subject == "You were invited to an organization on Halyard");
    (invitations.count(), waiting.try_into().unwrap())
}

async fn verify(app: &App, user: &User) {
    app.execute(
        "UPDATE users SET email_verified = true WHERE email = $1",
        &[&user.email],
    )
    .await;
}

#[tokio::test]
async fn an_address_is_mailed_few_invitations_an_hour_whoever_sends_them() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[]).await;
    let mut owners = Vec::new();
    for number in 0..8 {
        owners.push(app.signup(&format!("org{number}")).await);
    }
    for owner in &owners {
        invited(owner, ADDRESS, "viewer").await;
    }
    // Of inviters whose own address is not verified. Everybody is a member all the same.
    assert_eq!(arrived_and_waiting(&app, &server).await, (5, 3));
    for owner in &owners {
        assert_eq!(listed(owner, ADDRESS).await["role"], "viewer");
    }
    app.clock.advance(HOUR);
    assert_eq!(arrived_and_waiting(&app, &server).await, (8, 0));
}

#[tokio::test]
async fn strangers_take_no_room_from_inviters_with_a_verified_address() {
    let server = MailServer::start().await;
    let settings = [
        ("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "1"),
        ("MAIL_NEWS_PER_HOUR", "2"),
    ];
    let app = app_with(&server, &settings).await;
    for (number, is_verified) in [false, false, true, true, true].into_iter().enumerate() {
        let owner = app.signup(&format!("org{number}")).await;
        if is_verified {
            verify(&app, &owner).await;
        }
        invited(&owner, ADDRESS, "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (3, 2));
}

#[tokio::test]
async fn inviters_take_no_room_from_our_own_mail() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[("MAIL_NEWS_PER_HOUR", "2")]).await;
    let victim = app.signup("victim").await;
    for number in 0..5 {
        let owner = app.signup(&format!("org{number}")).await;
        verify(&app, &owner).await;
        invited(&owner, &victim.email, "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (2, 3));
    let wrong = json!({"email": victim.email, "password": "Wrong-password-1"});
    for _ in 0..10 {
        let answer = app.anonymous().post("/v1/auth/login", wrong.clone()).await;
        answer.expect_error(401, "invalid credentials");
    }
    eventually("the notice arrives", async || {
        let mails = server.received();
        let notice = "Sign-in to your Halyard account is paused";
        let mut to_victim = mails.iter().filter(|mail| mail.to == victim.email);
        to_victim.find(|mail| mail.subject == notice).map(drop)
    })
    .await;
}

#[tokio::test]
async fn an_organization_mails_so_many_invitations_an_hour() {
    let server = MailServer::start().await;
    let settings = [
        ("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "2"),
        ("MAIL_INVITATIONS_PER_HOUR", "3"),
    ];
    let app = app_with(&server, &settings).await;
    let owner = app.signup("acme").await;
    for number in 0..5 {
        invited(&owner, &format!("early{number}@example.com"), "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (2, 3));
    verify(&app, &owner).await;
    for number in 0..4 {
        invited(&owner, &format!("late{number}@example.com"), "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (5, 4));
    app.clock.advance(HOUR);
    assert_eq!(arrived_and_waiting(&app, &server).await, (8, 1));
    app.clock.advance(HOUR);
    assert_eq!(arrived_and_waiting(&app, &server).await, (9, 0));
}

#[tokio::test]
async fn the_default_holds_back_the_hundred_and_first_invitation() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[]).await;
    let owner = app.signup("acme").await;
    verify(&app, &owner).await;
    for number in 0..101 {
        invited(&owner, &format!("user{number}@example.com"), "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (100, 1));
}

#[tokio::test]
async fn of_two_invitations_at_once_one_finds_the_last_room() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "1")]).await;
    let (one, other) = (app.signup("acme").await, app.signup("globex").await);
    let (first, second) = tokio::join!(
        invite(&one, ADDRESS, "viewer"),
        invite(&other, ADDRESS, "viewer"),
    );
    first.expect_status(201);
    second.expect_status(201);
    assert_eq!(arrived_and_waiting(&app, &server).await, (1, 1));
}

#[tokio::test]
async fn inviting_again_replaces_the_invitation_that_waits() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "1")]).await;
    let owner = app.signup("acme").await;
    invited(&owner, "first@example.com", "viewer").await;
    for role in ["viewer", "developer", "admin"] {
        let path = invited(&owner, ADDRESS, role).await;
        if role != "admin" {
            owner.remove(&path).await;
        }
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (1, 1));
    app.clock.advance(HOUR);
    assert_eq!(arrived_and_waiting(&app, &server).await, (2, 0));
    let mails = server.received();
    let mail = mails.iter().find(|mail| mail.to == ADDRESS).unwrap();
    assert!(mail.text.contains("as admin"), "{}", mail.text);
}

#[tokio::test]
async fn inviting_again_with_a_verified_address_mails_at_once() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "1")]).await;
    let owner = app.signup("acme").await;
    invited(&owner, "first@example.com", "viewer").await;
    let path = invited(&owner, ADDRESS, "viewer").await;
    assert_eq!(arrived_and_waiting(&app, &server).await, (1, 1));
    verify(&app, &owner).await;
    owner.remove(&path).await;
    invited(&owner, ADDRESS, "admin").await;
    assert_eq!(arrived_and_waiting(&app, &server).await, (2, 0));
    let mails = server.received();
    let mail = mails.iter().find(|mail| mail.to == ADDRESS).unwrap();
    assert!(mail.text.contains("as admin"), "{}", mail.text);
}

#[tokio::test]
async fn an_invitation_that_would_wait_for_days_is_not_mailed() {
    let server = MailServer::start().await;
    let app = app_with(&server, &[("MAIL_UNVERIFIED_INVITATIONS_PER_HOUR", "1")]).await;
    let owner = app.signup("acme").await;
    // The first leaves at once, and the last of the others three days later.
    for number in 0..75 {
        invited(&owner, &format!("user{number}@example.com"), "viewer").await;
    }
    assert_eq!(arrived_and_waiting(&app, &server).await, (1, 72));
}
