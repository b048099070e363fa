//! From a sign-in to the session of a page.

use std::time::Duration;

use harness::{App, Mail};
use serde_json::json;

use super::{
    Page, SESSION, assert_cleared, assert_signed_out, ins_and_outs, of_page, open, refresh,
};
use harness::user::PASSWORD;
use reqwest::Method;

#[tokio::test]
async fn a_sign_in_becomes_the_session_of_a_page() {
    let (app, owner) = App::with_owner().await;
    let answer = open(&app, &owner.refresh_token).await;
    let expires_at = app.clock.now().unix_timestamp() + 600;
    answer.expect(
        200,
        json!({"access_token": "[text]", "expires_at": expires_at}),
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    let page = Page::of(&answer);
    let cookie = format!(
        "__Host-halyard={}; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=604800",
        page.cookie
    );
    assert_eq!(answer.header("set-cookie"), cookie);
    assert_eq!(answer.headers.get_all("set-cookie").iter().count(), 1);
    let projects = page.caller(&app).get("/v1/projects").await;
    projects.expect_status(200);
    // It is the same sign-in.
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (0, 0));
}

#[tokio::test]
async fn every_way_to_sign_in_leads_to_a_session() {
    let (app, owner) = App::with_owner().await;
    let logged_in = owner.sign_in_again().await;
    let token = owner.post("/v1/auth/one-time-token", json!({})).await;
    let token = json!({"token": token.text("/token")});
    let exchanged = app.anonymous().post("/v1/auth/token-exchange", token).await;
    let account =
        json!({"email": "ada@example.test", "password": PASSWORD, "name": "Ada", "org_name": "A"});
    let anonymous = app.anonymous();
    anonymous.act("/v1/auth/initiate-signup", account).await;
    let code = Mail::code(&app.mail_to("ada@example.test").await).to_owned();
    let proof = json!({"email": "ada@example.test", "otp": code});
    let completed = app
        .anonymous()
        .post("/v1/auth/complete-signup", proof)
        .await;
    for token in [
        owner.refresh_token.clone(),
        logged_in.refresh_token.clone(),
        exchanged.text("/tokens/refresh_token"),
        completed.text("/tokens/refresh_token"),
    ] {
        let page = Page::of(&open(&app, &token).await);
        let projects = page.caller(&app).get("/v1/projects").await;
        projects.expect_status(200);
    }
}

#[tokio::test]
async fn the_tokens_of_the_sign_in_end_with_the_exchange() {
    let (app, owner) = App::with_owner().await;
    let hand_off = owner.post("/v1/auth/one-time-token", json!({})).await;
    let page = Page::opened(&app, &owner).await;
    assert_signed_out(&app, &owner.access_token).await;
    let hand_off = json!({"token": hand_off.text("/token")});
    let anonymous = app.anonymous();
    let exchanged = anonymous.post("/v1/auth/token-exchange", hand_off).await;
    exchanged.expect_error(401, "invalid or expired token");
    let projects = page.caller(&app).get("/v1/projects").await;
    projects.expect_status(200);
}

#[tokio::test]
async fn a_spent_token_given_again_ends_the_session_that_came_of_it() {
    let app = App::start().await;
    for (name, at) in [("one", SESSION), ("two", "/v1/auth/refresh")] {
        let owner = app.signup(name).await;
        let beside = owner.sign_in_again().await;
        let page = Page::opened(&app, &owner).await;
        let later = Page::refreshed(&app, &page.cookie).await;

        let caller = app.anonymous();
        let body = json!({"refresh_token": owner.refresh_token});
        let request = of_page(&caller, Method::POST, at).json(&body);
        let refused = caller.send(request).await;
        refused.expect_error(401, "invalid or expired token");
        assert!(!refused.headers.contains_key("set-cookie"));
        assert_signed_out(&app, &later.access_token).await;
        assert_cleared(&refresh(&app, &later.cookie).await);
        // Another sign-in of the same user is another session.
        beside.get("/v1/projects").await.expect_status(200);
    }
}

#[tokio::test]
async fn a_token_that_was_refreshed_is_refused_without_a_leeway_and_ends_what_came_of_it() {
    let (app, owner) = App::with_owner().await;
    let body = json!({"refresh_token": owner.refresh_token});
    let next = app.anonymous().act("/v1/auth/refresh", body).await;
    let refused = open(&app, &owner.refresh_token).await;
    refused.expect_error(401, "invalid or expired token");
    assert_signed_out(&app, &next.text("/access_token")).await;
    let refused = open(&app, &next.text("/refresh_token")).await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn a_token_that_was_refreshed_before_the_exchange_has_no_leeway_either() {
    let (app, owner) = App::with_owner().await;
    let body = json!({"refresh_token": owner.refresh_token});
    let next = app.anonymous().post("/v1/auth/refresh", body.clone()).await;
    let page = Page::of(&open(&app, &next.text("/refresh_token")).await);
    let refused = app.anonymous().post("/v1/auth/refresh", body).await;
    refused.expect_error(401, "invalid or expired token");
    assert_signed_out(&app, &page.access_token).await;
}

#[tokio::test]
async fn of_two_exchanges_at_once_one_is_reuse_and_no_session_is_left() {
    let app = App::start().await;
    for name in ["one", "two", "three"] {
        let owner = app.signup(name).await;
        let (one, other) = tokio::join!(
            open(&app, &owner.refresh_token),
            open(&app, &owner.refresh_token),
        );
        let (won, lost) = if one.status == 200 {
            (one, other)
        } else {
            (other, one)
        };
        lost.expect_error(401, "invalid or expired token");
        let page = Page::of(&won);
        assert_signed_out(&app, &page.access_token).await;
        assert_cleared(&refresh(&app, &page.cookie).await);
    }
}

#[tokio::test]
async fn an_exchange_beside_a_logout_does_not_outlive_it() {
    let app = App::start().await;
    for name in ["one", "two", "three", "four"] {
        let owner = app.signup(name).await;
        let (opened, logout) = tokio::join!(
            open(&app, &owner.refresh_token),
            owner.post("/v1/auth/logout", json!({})),
        );
        // A logout after the exchange comes too late to log out; any other ends what came of the sign-in.
        if opened.status == 200 && logout.status == 200 {
            assert_signed_out(&app, &Page::of(&opened).access_token).await;
        } else {
            let refused = if opened.status == 200 { logout } else { opened };
            refused.expect_error(401, "invalid or expired token");
        }
        assert_signed_out(&app, &owner.access_token).await;
    }
}

#[tokio::test]
async fn a_session_needs_a_refresh_token() {
    let (app, owner) = App::with_owner().await;
    let caller = app.anonymous();
    for body in [json!({}), json!({"refresh_token": " "})] {
        let request = of_page(&caller, Method::POST, SESSION).json(&body);
        let refused = caller.send(request).await;
        refused.expect_error(400, "refresh_token is required");
    }
    for token in ["nonsense", &owner.access_token] {
        let refused = open(&app, token).await;
        refused.expect_error(401, "invalid or expired token");
        assert!(!refused.headers.contains_key("set-cookie"));
    }
    owner.get("/v1/projects").await.expect_status(200);
}

#[tokio::test]
async fn a_token_that_has_ended_opens_no_session() {
    let (app, owner) = App::with_owner_and(&[("REFRESH_TTL_HOURS", "1")]).await;
    app.clock.advance(Duration::from_secs(3_600));
    let refused = open(&app, &owner.refresh_token).await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn a_removed_member_opens_no_session() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "developer").await;
    let path = format!("/v1/members/{}", member.member_id().await);
    owner.remove(&path).await;
    let refused = open(&app, &member.refresh_token).await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn the_settings_say_how_long_tokens_and_cookies_live() {
    let settings = [("SESSION_ACCESS_TTL", "2m"), ("REFRESH_TTL_HOURS", "1")];
    let (app, owner) = App::with_owner_and(&settings).await;
    let answer = open(&app, &owner.refresh_token).await;
    assert!(answer.header("set-cookie").ends_with("; Max-Age=3600"));
    let page = Page::of(&answer);
    app.clock.advance(Duration::from_secs(119));
    let projects = page.caller(&app).get("/v1/projects").await;
    projects.expect_status(200);
    app.clock.advance(Duration::from_secs(1));
    assert_signed_out(&app, &page.access_token).await;
    app.clock.advance(Duration::from_secs(58 * 60));
    assert_cleared(&refresh(&app, &page.cookie).await);
}

#[tokio::test]
async fn sessions_of_pages_count_towards_the_sign_in_rate() {
    let app = App::start_with(&[("RATE_SIGN_IN", "2")]).await;
    open(&app, "nonsense").await.expect_status(401);
    let last = refresh(&app, "nonsense").await;
    last.expect_status(401);
    assert_eq!(last.header("x-ratelimit-limit"), "2");
    let refused = refresh(&app, "nonsense").await;
    refused.expect_error(429, "rate limit exceeded");
    // The browser keeps its cookie.
    assert!(!refused.headers.contains_key("set-cookie"));
}
