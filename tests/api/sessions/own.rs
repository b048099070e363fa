//! The list of one's own sessions, and ending them.

use std::time::Duration;

use harness::{App, User, statuses};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Page, assert_cleared, assert_signed_out, host_and_guest, ins_and_outs, open, refresh};
use harness::user::PASSWORD;

const SESSIONS: &str = "/v1/auth/sessions";
const UNKNOWN: &str = "session not found";

fn path(id: &str) -> String {
    format!("{SESSIONS}/{id}")
}

/// The id of the session that a token is of.
async fn current(user: &User) -> String {
    let listed = user.get(SESSIONS).await;
    let sessions = listed.body["data"].as_array().expect("a list");
    let found = sessions.iter().find(|session| session["current"] == true);
    let id = found.and_then(|session| session["id"].as_str());
    id.expect("the current one").to_owned()
}

fn session(browser: Value, is_current: bool) -> Value {
    json!({
        "id": "[uuid]", "created_at": "[time]", "last_used_at": "[time]", "ip_address": "127.0.0.1",
        "browser": browser, "current": is_current,
    })
}

#[tokio::test]
async fn sessions_are_listed_with_where_they_are_used() {
    let (app, owner) = App::with_owner().await;
    let caller = app.anonymous();
    let login = json!({"email": owner.email, "password": PASSWORD});
    let browser = format!("Browser/{}", "1".repeat(300));
    app.clock.advance(Duration::from_secs(1));
    let request = caller.request(Method::POST, "/v1/auth/login");
    let request = request.header("user-agent", &browser).json(&login);
    let login = caller.send(request).await;
    login.expect_status(200);

    let listed = owner.get(SESSIONS).await;
    let data = [
        session(json!(browser[..200]), false),
        session(Value::Null, true),
    ];
    listed.expect(
        200,
        json!({"data": data, "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
}

#[tokio::test]
async fn a_refresh_is_a_use() {
    let (app, owner) = App::with_owner_and(&[("TRUSTED_PROXIES", "127.0.0.0/8")]).await;
    let page = Page::opened(&app, &owner).await;
    let opened_at = app.clock.now();
    app.clock.advance(Duration::from_secs(300));
    let caller = app.anonymous();
    let request = super::with_cookie(&caller, Method::POST, super::REFRESH, &page.cookie)
        .header("x-forwarded-for", "203.0.113.7")
        .header("user-agent", "Firefox");
    let page = Page::of(&caller.send(request).await);
    let listed = page.caller(&app).get(SESSIONS).await;
    let only = &listed.body["data"][0];
    assert_eq!(listed.body["total"], 1);
    assert_eq!(only["ip_address"], "203.0.113.7");
    assert_eq!(only["browser"], "Firefox");
    let rfc3339 = time::format_description::well_known::Rfc3339;
    let time = |name: &str| time::OffsetDateTime::parse(only[name].as_str().unwrap(), &rfc3339);
    let times = (time("created_at").unwrap(), time("last_used_at").unwrap());
    // The database keeps microseconds.
    assert!((times.0 - opened_at).abs() < Duration::from_millis(1));
    assert!((times.1 - app.clock.now()).abs() < Duration::from_millis(1));
}

#[tokio::test]
async fn only_live_sessions_of_the_caller_are_listed() {
    let (app, owner) = App::with_owner().await;
    app.member(&owner, "admin").await;
    let ended = owner.sign_in_again().await;
    ended.post("/v1/auth/logout", json!({})).await;
    let exchanged = owner.sign_in_again().await;
    let page = Page::opened(&app, &exchanged).await;
    let listed = page.caller(&app).get(SESSIONS).await;
    let sessions = listed.body["data"].as_array().unwrap();
    let current: Vec<_> = sessions.iter().map(|session| &session["current"]).collect();
    assert_eq!(current, [true, false]);

    // A week later the one that nobody refreshed is over.
    app.clock.advance(Duration::from_secs(6 * 24 * 3_600));
    let page = Page::refreshed(&app, &page.cookie).await;
    app.clock.advance(Duration::from_secs(24 * 3_600));
    let page = Page::refreshed(&app, &page.cookie).await;
    let listed = page.caller(&app).get(SESSIONS).await;
    assert_eq!(listed.body["total"], 1);
}

#[tokio::test]
async fn the_list_has_pages() {
    let (app, owner) = App::with_owner().await;
    for _ in 0..2 {
        app.clock.advance(Duration::from_secs(1));
        owner.sign_in_again().await;
    }
    let listed = owner.get(&format!("{SESSIONS}?limit=1&offset=2")).await;
    listed.expect(
        200,
        json!({
            "data": [session(Value::Null, true)], "total": 3, "limit": 1, "offset": 2, "has_more": false,
        }),
    );
}

#[tokio::test]
async fn a_session_is_ended_from_another_at_once() {
    let (app, owner) = App::with_owner().await;
    let beside = owner.sign_in_again().await;
    let id = current(&beside).await;
    let page = Page::opened(&app, &owner).await;
    let ending = page.caller(&app);
    let ended = ending.delete(&path(&id)).await;
    ended.expect(204, Value::Null);
    assert_signed_out(&app, &beside.access_token).await;
    let refused = open(&app, &beside.refresh_token).await;
    refused.expect_error(401, "invalid or expired token");
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (1, 1));
    ending.delete(&path(&id)).await.expect_error(404, UNKNOWN);
}

#[tokio::test]
async fn the_current_session_may_be_ended() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let caller = page.caller(&app);
    let id = caller.get(SESSIONS).await.text("/data/0/id");
    caller.delete(&path(&id)).await.expect(204, Value::Null);
    assert_signed_out(&app, &page.access_token).await;
    assert_cleared(&refresh(&app, &page.cookie).await);
}

#[tokio::test]
async fn a_session_in_another_organization_is_listed_and_ended_too() {
    let (app, host, guest) = host_and_guest().await;
    let there = User::login(&app.anonymous(), &guest.email, &host.org_id).await;
    let id = current(&there).await;
    assert_eq!(guest.get(SESSIONS).await.body["total"], 2);
    guest.remove(&path(&id)).await;
    assert_signed_out(&app, &there.access_token).await;
    // Each organization hears what happened there.
    assert_eq!(ins_and_outs(&app, &there.org_id, &there.id).await, (1, 1));
    assert_eq!(ins_and_outs(&app, &guest.org_id, &guest.id).await, (0, 0));
}

#[tokio::test]
async fn a_session_that_is_not_ones_own_is_404() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "admin").await;
    let stranger = app.signup("stranger").await;
    let nowhere = uuid::Uuid::nil().to_string();
    for id in [current(&member).await, current(&stranger).await, nowhere] {
        owner.delete(&path(&id)).await.expect_error(404, UNKNOWN);
    }
    member.get("/v1/projects").await.expect_status(200);
    stranger.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_session_that_is_over_is_404() {
    let app = App::start_with(&[("REFRESH_TTL_HOURS", "1"), ("TOKEN_TTL_MINUTES", "300")]).await;
    let owner = app.signup("acme").await;
    let id = current(&owner).await;
    app.clock.advance(Duration::from_secs(3_600));
    let later = owner.sign_in_again().await;
    later.delete(&path(&id)).await.expect_error(404, UNKNOWN);
}

#[tokio::test]
async fn of_two_who_end_a_session_at_once_one_finds_it() {
    let (app, owner) = App::with_owner().await;
    let beside = owner.sign_in_again().await;
    let id = path(&current(&beside).await);
    let (one, other) = tokio::join!(owner.delete(&id), owner.delete(&id));
    assert_eq!(statuses([&one, &other]), [204, 404]);
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (1, 1));
}
