//! Ten failed logins within fifteen minutes lock an address for fifteen minutes.

use std::time::Duration;

use domain::accounts::{expiry, settings::LockoutSettings};
use harness::user::PASSWORD;
use harness::{App, Response, eventually};
use serde_json::json;

use super::audit_trail;

const WINDOW: Duration = Duration::from_secs(15 * 60);
const SECOND: Duration = Duration::from_secs(1);
const REFUSAL: &str = "too many failed login attempts, please try again later";

async fn login(app: &App, email: &str, password: &str) -> Response {
    let body = json!({"email": email, "password": password});
    app.anonymous().post("/v1/auth/login", body).await
}

/// Failed logins that are not refused by the lockout.
async fn fail(app: &App, email: &str, times: usize) {
    for _ in 0..times {
        let answer = login(app, email, "Wrong-password-1").await;
        answer.expect_error(401, "invalid credentials");
    }
}

#[tokio::test]
async fn login_locks_after_ten_failures_within_fifteen_minutes() {
    let (app, owner) = App::with_owner().await;
    fail(&app, &owner.email, 10).await;
    for password in [PASSWORD, "Wrong-password-1"] {
        let answer = login(&app, &owner.email, password).await;
        answer.expect_error(429, REFUSAL);
        assert_eq!(answer.header("retry-after"), "900");
    }
    // Sessions go on.
    owner.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn the_lock_ends_fifteen_minutes_after_the_tenth_failure() {
    let (app, owner) = App::with_owner().await;
    fail(&app, &owner.email, 9).await;
    app.clock.advance(Duration::from_secs(600));
    fail(&app, &owner.email, 1).await;

    app.clock.advance(WINDOW - SECOND);
    let answer = login(&app, &owner.email, PASSWORD).await;
    answer.expect_error(429, REFUSAL);
    assert_eq!(answer.header("retry-after"), "1");
    app.clock.advance(SECOND);
    login(&app, &owner.email, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn attempts_while_locked_do_not_extend_the_lock_and_do_not_count_after_it() {
    let (app, owner) = App::with_owner().await;
    fail(&app, &owner.email, 10).await;
    for _ in 0..15 {
        app.clock.advance(Duration::from_secs(60) - SECOND);
        let answer = login(&app, &owner.email, "Wrong-password-1").await;
        answer.expect_error(429, REFUSAL);
    }
    app.clock.advance(15 * SECOND);
    fail(&app, &owner.email, 9).await;
    login(&app, &owner.email, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn nine_failures_do_not_lock_and_a_success_resets_them() {
    let (app, owner) = App::with_owner().await;
    for _ in 0..2 {
        fail(&app, &owner.email, 9).await;
        login(&app, &owner.email, PASSWORD).await.expect_status(200);
    }
    fail(&app, &owner.email, 10).await;
    login(&app, &owner.email, PASSWORD).await.expect_status(429);
}

#[tokio::test]
async fn failures_that_are_fifteen_minutes_old_no_longer_count() {
    let (app, owner) = App::with_owner().await;
    fail(&app, &owner.email, 5).await;
    app.clock.advance(WINDOW - SECOND);
    fail(&app, &owner.email, 4).await;
    app.clock.advance(SECOND);
    // The first five are too old, the four are not: five more do not make ten, six do.
    fail(&app, &owner.email, 6).await;
    login(&app, &owner.email, PASSWORD).await.expect_status(429);
}

#[tokio::test]
async fn unknown_addresses_are_locked_alike_and_each_for_itself() {
    let (app, owner) = App::with_owner().await;
    fail(&app, "nobody@acme.test", 5).await;
    fail(&app, " NOBODY@Acme.test ", 5).await;
    let answer = login(&app, "nobody@acme.test", PASSWORD).await;
    answer.expect_error(429, REFUSAL);
    assert_eq!(answer.header("retry-after"), "900");
    login(&app, &owner.email, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn ten_parallel_wrong_passwords_lock_exactly() {
    let (app, owner) = App::with_owner().await;
    let wrong = || login(&app, &owner.email, "Wrong-password-1");
    let answers = tokio::join!(
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
        wrong(),
    );
    let answers: [Response; 10] = answers.into();
    for answer in &answers {
        answer.expect_error(401, "invalid credentials");
    }
    let answer = login(&app, &owner.email, PASSWORD).await;
    answer.expect_error(429, REFUSAL);
}

#[tokio::test]
async fn of_fifteen_parallel_wrong_passwords_ten_are_tried() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let owner = app.signup("acme").await;
    let attempts = (0..15).map(|index| {
        let caller = match index % 2 {
            0 => app.anonymous(),
            _ => app.anonymous().at(&replica),
        };
        let body = json!({"email": owner.email, "password": "Wrong-password-1"});
        async move { caller.post("/v1/auth/login", body).await.status }
    });
    let mut statuses = futures_util::future::join_all(attempts).await;
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![401; 10], vec![429; 5]].concat());
}

#[tokio::test]
async fn the_right_password_is_429_when_the_address_was_locked_while_it_was_verified() {
    let (app, owner) = App::with_owner_and(&[("LOCKOUT_FAILURES", "2")]).await;
    fail(&app, &owner.email, 1).await;
    let mut failing = app.pool().begin().await.unwrap();
    sqlx::query("UPDATE login_failures SET failed_at = failed_at || failed_at WHERE email = $1")
        .bind(&owner.email)
        .execute(&mut *failing)
        .await
        .unwrap();
    let (anonymous, body) = (
        app.anonymous(),
        json!({"email": owner.email, "password": PASSWORD}),
    );
    let login = tokio::spawn(async move { anonymous.post("/v1/auth/login", body).await });
    app.until_waiting_for_locks(1).await;
    failing.commit().await.unwrap();
    login.await.unwrap().expect_error(429, REFUSAL);
}

#[tokio::test]
async fn replicas_count_together() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let owner = app.signup("acme").await;
    let body = json!({"email": owner.email, "password": "Wrong-password-1"});
    for _ in 0..5 {
        for caller in [app.anonymous(), app.anonymous().at(&replica)] {
            let answer = caller.post("/v1/auth/login", body.clone()).await;
            answer.expect_error(401, "invalid credentials");
        }
    }
    for caller in [app.anonymous(), app.anonymous().at(&replica)] {
        let answer = caller.post("/v1/auth/login", body.clone()).await;
        answer.expect_error(429, REFUSAL);
    }
}

#[tokio::test]
async fn failures_and_window_are_settings() {
    let app = App::start_with(&[("LOCKOUT_FAILURES", "2"), ("LOCKOUT_WINDOW", "1m")]).await;
    let owner = app.signup("acme").await;
    fail(&app, &owner.email, 2).await;
    let answer = login(&app, &owner.email, PASSWORD).await;
    answer.expect_error(429, REFUSAL);
    assert_eq!(answer.header("retry-after"), "60");
    app.clock.advance(Duration::from_secs(60));
    login(&app, &owner.email, PASSWORD).await.expect_status(200);
}

#[tokio::test]
async fn an_account_that_is_locked_is_told_once() {
    let (app, owner) = App::with_owner().await;
    fail(&app, &owner.email, 10).await;
    fail(&app, "nobody@acme.test", 10).await;
    login(&app, &owner.email, PASSWORD).await.expect_status(429);

    let entry = |action: &str| (action.to_owned(), owner.id.clone());
    // Each failure is recorded after its answer: the last two may change places.
    let trail = eventually("all is in the audit trail", async || {
        let mut trail = audit_trail(&app, &owner.org_id).await;
        trail.retain(|(action, _)| ["auth.login_failed", "auth.locked"].contains(&action.as_str()));
        (trail.len() == 11).then_some(trail)
    })
    .await;
    let count = |action| {
        trail
            .iter()
            .filter(|&found| *found == entry(action))
            .count()
    };
    assert_eq!((count("auth.login_failed"), count("auth.locked")), (10, 1));

    let mut mails = app.mails().await;
    mails.retain(|mail| mail.text.contains("A wrong password was entered"));
    let [notice] = mails.as_slice() else {
        panic!("one notice, not {mails:#?}");
    };
    assert_eq!(notice.to, owner.email);
    assert_eq!(notice.link(), "http://127.0.0.1:8080/forgot-password");
}

#[tokio::test]
async fn a_flood_of_resets_does_not_hide_a_lock() {
    let (app, owner) = App::with_owner().await;
    let mut resets = app.pool().begin().await.unwrap();
    sqlx::query("LOCK TABLE password_resets IN ACCESS EXCLUSIVE MODE")
        .execute(&mut *resets)
        .await
        .unwrap();
    // All that one network may leave to do, and none of it can be done.
    for number in 0..16 {
        let body = json!({"email": format!("nobody{number}@acme.test")});
        app.anonymous().act("/v1/auth/forgot-password", body).await;
    }
    fail(&app, &owner.email, 10).await;
    eventually("the lock is in the audit trail", async || {
        let trail = audit_trail(&app, &owner.org_id).await;
        let is_lock = |(action, _): &(String, String)| action == "auth.locked";
        trail.iter().any(is_lock).then_some(())
    })
    .await;
    let mails = app.mails().await;
    let notices = mails.iter().filter(|mail| mail.to == owner.email);
    let is_notice = |text: &str| text.contains("A wrong password was entered");
    assert_eq!(notices.filter(|mail| is_notice(&mail.text)).count(), 1);
    resets.rollback().await.unwrap();
}

#[tokio::test]
async fn addresses_that_no_longer_count_are_forgotten() {
    let app = App::start().await;
    let lockout = LockoutSettings {
        failures: 10,
        window: WINDOW,
    };
    let remembered = async || -> Vec<String> {
        sqlx::query_scalar("SELECT email FROM login_failures ORDER BY email")
            .fetch_all(app.pool())
            .await
            .unwrap()
    };
    fail(&app, "a@acme.test", 1).await;
    app.clock.advance(SECOND);
    fail(&app, "b@acme.test", 1).await;

    app.clock.advance(WINDOW - SECOND);
    let now = app.clock.now();
    expiry::forget(app.db(), lockout, now).await.unwrap();
    assert_eq!(remembered().await, ["b@acme.test"]);
    app.clock.advance(SECOND);
    let now = app.clock.now();
    expiry::forget(app.db(), lockout, now).await.unwrap();
    assert_eq!(remembered().await, [""; 0]);
}
