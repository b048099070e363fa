//! Mail on its way: to a real mail server that is there, down, slow or unwilling, and into a folder.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use base::mail::{Template, Welcomed};
use harness::mail_server::MailServer;
use harness::{App, Mail, eventually};
use time::OffsetDateTime;
use tokio::net::TcpListener;

const TEN_MINUTES: Duration = Duration::from_secs(600);
const CODE: Template<'_> = Template::SignupCode {
    code: "314159",
    valid_for: TEN_MINUTES,
};

async fn app_with(server: &MailServer) -> App {
    App::start_with(&[("SMTP_URL", &server.url())]).await
}

async fn send(app: &App, to: &str) {
    let mut tx = app.db().begin().await.expect("a transaction");
    let now = app.clock.now();
    let queued = app.mailer.enqueue(&mut tx, to, &CODE, now).await;
    queued.expect("the test's database");
    tx.commit().await.expect("a commit");
}

async fn waiting(app: &App) -> Vec<(i32, OffsetDateTime)> {
    sqlx::query_as("SELECT attempts, due_at FROM mails ORDER BY id")
        .fetch_all(app.pool())
        .await
        .expect("the test's database")
}

async fn nothing_waits(app: &App) {
    eventually("no mail waits", async || {
        waiting(app).await.is_empty().then_some(())
    })
    .await;
}

/// Waits until the only mail has been tried that often, and is due again soon.
async fn tried(app: &App, times: i32) {
    let soon = app.clock.now() + Duration::from_secs(60);
    eventually("the mail was tried", async || {
        let [(attempts, due_at)] = waiting(app).await[..] else {
            panic!("one mail waits");
        };
        (attempts == times && due_at <= soon).then_some(())
    })
    .await;
}

/// A place where nobody listens.
async fn silent_address() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let address = listener.and_then(|listener| listener.local_addr());
    address.expect("a free port")
}

#[tokio::test]
async fn a_mail_arrives_with_both_parts_and_its_headers() {
    let server = MailServer::start().await;
    let app = app_with(&server).await;
    send(&app, "ada@example.com").await;
    nothing_waits(&app).await;

    let received = server.received();
    let [mail] = &received[..] else {
        panic!("{} mails", received.len());
    };
    assert_eq!(mail.subject, "Your Halyard sign-up code");
    assert_eq!(mail.code(), "314159");
    assert!(mail.html.contains("314159") && mail.html.contains("10 minutes"));
    assert_eq!(mail.header("From"), "Halyard <no-reply@localhost>");
    assert_eq!(mail.header("Date"), "Mon, 04 May 2026 12:00:00 +0000");
    assert_eq!(mail.header("MIME-Version"), "1.0");
    assert_eq!(mail.header("Auto-Submitted"), "auto-generated");
    assert!(mail.header("Message-ID").ends_with("@localhost>"));
    assert!(mail.raw.lines().all(|line| line.len() <= 998));
}

#[tokio::test]
async fn the_same_connection_takes_the_next_mail_too() {
    let server = MailServer::start().await;
    let app = app_with(&server).await;
    for number in 0..20 {
        send(&app, &format!("user{number}@example.com")).await;
    }
    nothing_waits(&app).await;
    assert_eq!(recipients(&server.received()).len(), 20);
    let connections = server.connections();
    assert!(connections <= 4, "{connections} connections");
}

#[tokio::test]
async fn a_code_leaves_before_the_news_that_waited_longer() {
    let server = MailServer::start().await;
    let app = app_with(&server).await;
    let welcome = Template::Welcome {
        name: "Ada",
        organization: "Engines",
        welcomed: Welcomed::Founder,
        link: "https://flags.example.com",
    };
    let (now, mut tx) = (
        app.clock.now(),
        app.db().begin().await.expect("a transaction"),
    );
    // The server takes no news, and each of the four mails that leave at a time would wait for it.
    server.hold_up("news");
    for number in 0..8 {
        let to = format!("news{number}@example.com");
        let queued = app.mailer.enqueue(&mut tx, &to, &welcome, now).await;
        queued.expect("the test's database");
    }
    let queued = app.mailer.enqueue(&mut tx, "ada@example.com", &CODE, now);
    queued.await.expect("the test's database");
    tx.commit().await.expect("a commit");
    server.holds_up(4).await;

    let received = server.received();
    let to: Vec<_> = received.iter().map(|mail| mail.to.as_str()).collect();
    assert_eq!(to, ["ada@example.com"]);
    server.go_on();
    nothing_waits(&app).await;
    assert_eq!(server.received().len(), 9);
}

#[tokio::test]
async fn news_of_organizations_take_no_room_from_notices_about_the_account() {
    let server = MailServer::start().await;
    let url = server.url();
    let app = App::start_with(&[("SMTP_URL", url.as_str()), ("MAIL_NEWS_PER_HOUR", "1")]).await;
    let link = "https://flags.example.com";
    let ended = Template::TrialEnded {
        organization: "Engines",
        link,
    };
    let locked = Template::LockoutNotice {
        name: "Ada",
        locked_for: TEN_MINUTES,
        link,
    };
    let mut tx = app.db().begin().await.expect("a transaction");
    for template in [&ended, &ended, &ended, &locked] {
        let now = app.clock.now();
        let queued = app
            .mailer
            .enqueue(&mut tx, "ada@example.com", template, now);
        queued.await.expect("the test's database");
    }
    tx.commit().await.expect("a commit");
    eventually("both kinds have arrived", async || {
        (server.received().len() == 2).then_some(())
    })
    .await;
    let mut subjects: Vec<_> = server.received().into_iter().map(|it| it.subject).collect();
    subjects.sort_unstable();
    assert_eq!(
        subjects,
        [
            "Sign-in to your Halyard account is paused",
            "The trial of your organization on Halyard has ended",
        ]
    );
    eventually("the others wait", async || {
        (waiting(&app).await.len() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_sealed_and_of_a_rolled_back_change_nothing_waits() {
    let app = App::start_with(&[("SMTP_URL", &format!("smtp://{}", silent_address().await))]).await;
    let mut tx = app.db().begin().await.expect("a transaction");
    let queued = app
        .mailer
        .enqueue(&mut tx, "ada@example.com", &CODE, app.clock.now())
        .await;
    queued.expect("the test's database");
    let content: Vec<u8> = sqlx::query_scalar("SELECT sealed_content FROM mails")
        .fetch_one(&mut *tx)
        .await
        .expect("the mail");
    assert!(!content.windows(6).any(|bytes| bytes == b"314159"));
    drop(tx);
    assert!(waiting(&app).await.is_empty());
}

#[tokio::test]
async fn a_mail_waits_for_a_server_that_is_down_and_arrives_when_it_is_up() {
    let address = silent_address().await;
    let app = App::start_with(&[("SMTP_URL", &format!("smtp://{address}"))]).await;
    send(&app, "ada@example.com").await;
    tried(&app, 1).await;

    let server = MailServer::start_at(address).await;
    app.clock.advance(Duration::from_secs(2));
    nothing_waits(&app).await;
    assert_eq!(recipients(&server.received()), ["ada@example.com"]);
}

#[tokio::test]
async fn a_code_that_is_no_longer_valid_is_not_sent() {
    let address = silent_address().await;
    let app = App::start_with(&[("SMTP_URL", &format!("smtp://{address}"))]).await;
    send(&app, "ada@example.com").await;
    tried(&app, 1).await;

    app.clock.advance(TEN_MINUTES);
    let server = MailServer::start_at(address).await;
    nothing_waits(&app).await;
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn no_request_waits_for_a_mail_server() {
    let server = MailServer::start().await;
    server.hold_up("@");
    let app = app_with(&server).await;
    // More than there are loops.
    for number in 0..5 {
        app.signup(&format!("org{number}")).await;
    }
    server.holds_up(4).await;
    assert!(server.received().is_empty());
    server.go_on();
    nothing_waits(&app).await;
    assert_eq!(server.received().len(), 5);
}

#[tokio::test]
async fn a_slow_server_does_not_hold_up_other_mail() {
    let server = MailServer::start().await;
    server.hold_up("slow@");
    let app = app_with(&server).await;
    send(&app, "slow@example.com").await;
    server.holds_up(1).await;

    send(&app, "quick@example.com").await;
    eventually("the other mail arrives", async || {
        (recipients(&server.received()) == ["quick@example.com"]).then_some(())
    })
    .await;

    server.go_on();
    nothing_waits(&app).await;
    let received = recipients(&server.received());
    assert_eq!(received, ["quick@example.com", "slow@example.com"]);
}

#[tokio::test]
async fn a_recipient_that_is_refused_for_good_is_given_up_at_once() {
    let server = MailServer::start().await;
    server.answer("gone@example.com", 550);
    let app = app_with(&server).await;
    send(&app, "gone@example.com").await;
    nothing_waits(&app).await;

    // Nobody tries again, and the connection is not in the way of others.
    server.answer("gone@example.com", 250);
    app.clock.advance(TEN_MINUTES);
    send(&app, "ada@example.com").await;
    nothing_waits(&app).await;
    assert_eq!(recipients(&server.received()), ["ada@example.com"]);
}

#[tokio::test]
async fn a_recipient_that_is_refused_for_now_is_tried_again() {
    let server = MailServer::start().await;
    server.answer("full@example.com", 452);
    let app = app_with(&server).await;
    send(&app, "full@example.com").await;
    tried(&app, 1).await;
    app.clock.advance(Duration::from_secs(2));
    tried(&app, 2).await;

    server.answer("full@example.com", 250);
    app.clock.advance(Duration::from_secs(5));
    nothing_waits(&app).await;
    assert_eq!(recipients(&server.received()), ["full@example.com"]);
}

#[tokio::test]
async fn an_address_that_the_mail_system_does_not_know_is_given_up() {
    let server = MailServer::start().await;
    let app = app_with(&server).await;
    send(&app, "ada..lovelace@example.com>\r\nBcc: eve@example.com").await;
    nothing_waits(&app).await;
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn two_replicas_send_each_mail_once() {
    let server = MailServer::start().await;
    server.hold_up("@");
    let app = app_with(&server).await;
    let mut tx = app.db().begin().await.expect("a transaction");
    for number in 0..24 {
        let to = format!("user{number:02}@example.com");
        let queued = app.mailer.enqueue(&mut tx, &to, &CODE, app.clock.now());
        queued.await.expect("the test's database");
    }
    tx.commit().await.expect("a commit");
    server.holds_up(4).await;
    app.another_mail_sender(&app.mail);
    server.holds_up(8).await;

    server.go_on();
    nothing_waits(&app).await;
    let mut received = recipients(&server.received());
    received.sort();
    let expected: Vec<_> = (0..24)
        .map(|number| format!("user{number:02}@example.com"))
        .collect();
    assert_eq!(received, expected);
}

#[tokio::test]
async fn a_password_is_never_told_in_the_clear() {
    let server = MailServer::start_with_sign_in().await;
    let url = format!("smtp://halyard:secret@{}", server.address);
    let app = App::start_with(&[("SMTP_URL", &url)]).await;
    send(&app, "ada@example.com").await;
    tried(&app, 1).await;
    assert!(server.sign_ins().is_empty() && server.received().is_empty());
}

#[tokio::test]
async fn a_server_that_nobody_vouches_for_gets_no_mail() {
    let server = MailServer::start_with_unknown_certificate().await;
    let url = format!("smtp://localhost:{}", server.address.port());
    let app = App::start_with(&[("SMTP_URL", &url)]).await;
    send(&app, "ada@example.com").await;
    tried(&app, 1).await;
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn a_folder_gets_a_file_a_mail_that_its_owner_alone_can_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("mail");
    let app = App::start_with(&[("SMTP_URL", &format!("dir:{}", folder.display()))]).await;
    send(&app, "ada@example.com").await;
    send(&app, "grace@example.com").await;
    nothing_waits(&app).await;

    let mails = harness::mails::in_folder(&folder);
    assert_eq!(recipients(&mails), ["ada@example.com", "grace@example.com"]);
    let mode = |path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    for entry in fs::read_dir(&folder).expect("the folder") {
        assert_eq!(mode(entry.expect("an entry").path()), 0o600);
    }
    assert_eq!(mode(folder), 0o700);
}

fn recipients(mails: &[Mail]) -> Vec<String> {
    mails.iter().map(|mail| mail.to.clone()).collect()
}
