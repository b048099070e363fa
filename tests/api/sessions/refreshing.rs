//! The next tokens for a cookie.

use std::time::Duration;

use harness::App;
use reqwest::Method;
use serde_json::json;

use super::{
    LEEWAY, Page, REFRESH, assert_cleared, assert_signed_out, close, of_page, refresh, with_cookie,
};

#[tokio::test]
async fn a_refresh_replaces_the_cookie() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    app.clock.advance(Duration::from_secs(300));

    let caller = app.anonymous();
    // Without a body.
    let answer = caller
        .send(with_cookie(&caller, Method::POST, REFRESH, &page.cookie))
        .await;
    let expires_at = app.clock.now().unix_timestamp() + 600;
    answer.expect(
        200,
        json!({"access_token": "[text]", "expires_at": expires_at}),
    );
    let next = Page::of(&answer);
    let cookie = format!(
        "__Host-halyard={}; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=604800",
        next.cookie
    );
    assert_eq!(answer.header("set-cookie"), cookie);
    assert_ne!(next.cookie, page.cookie);
    let projects = next.caller(&app).get("/v1/projects").await;
    projects.expect_status(200);
}

#[tokio::test]
async fn a_refresh_without_the_cookie_is_401_and_clears_nothing() {
    let (app, owner) = App::with_owner().await;
    let caller = app.anonymous();
    let other = format!("halyard={}; theme=dark", owner.refresh_token);
    for request in [
        of_page(&caller, Method::POST, REFRESH),
        of_page(&caller, Method::POST, REFRESH).header("cookie", other),
        // A token goes in the cookie, not beside it.
        of_page(&caller, Method::POST, REFRESH).bearer_auth(&owner.refresh_token),
    ] {
        let refused = caller.send(request).await;
        refused.expect_error(401, "invalid or expired token");
        assert!(!refused.headers.contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn a_cookie_that_is_no_refresh_token_is_401_and_cleared() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    for cookie in ["", "nonsense", &page.access_token] {
        assert_cleared(&refresh(&app, cookie).await);
    }
    Page::refreshed(&app, &page.cookie).await;
}

#[tokio::test]
async fn a_cookie_of_a_removed_member_is_401_and_cleared() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "developer").await;
    let path = format!("/v1/members/{}", member.member_id().await);
    let page = Page::opened(&app, &member).await;
    owner.remove(&path).await;
    assert_cleared(&refresh(&app, &page.cookie).await);
    assert_signed_out(&app, &page.access_token).await;
}

#[tokio::test]
async fn a_replaced_cookie_stays_usable_for_the_leeway() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let one_tab = Page::refreshed(&app, &page.cookie).await;
    app.clock.advance(LEEWAY);
    let other_tab = Page::refreshed(&app, &page.cookie).await;
    for tab in [one_tab, other_tab] {
        Page::refreshed(&app, &tab.cookie).await;
    }
}

#[tokio::test]
async fn a_replaced_cookie_ends_the_session_after_the_leeway() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let next = Page::refreshed(&app, &page.cookie).await;
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    assert_cleared(&refresh(&app, &page.cookie).await);
    assert_cleared(&refresh(&app, &next.cookie).await);
    assert_signed_out(&app, &next.access_token).await;
}

#[tokio::test]
async fn two_refreshes_at_once_both_succeed() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let (one, other) = tokio::join!(refresh(&app, &page.cookie), refresh(&app, &page.cookie),);
    let (one, other) = (Page::of(&one), Page::of(&other));
    assert_eq!(one.cookie, other.cookie);
    for page in [one, other] {
        let projects = page.caller(&app).get("/v1/projects").await;
        projects.expect_status(200);
        Page::refreshed(&app, &page.cookie).await;
    }
}

#[tokio::test]
async fn a_refresh_beside_the_end_of_the_session_does_not_outlive_it() {
    let app = App::start().await;
    for name in ["one", "two", "three", "four"] {
        let owner = app.signup(name).await;
        let page = Page::opened(&app, &owner).await;
        let (answer, closed) = tokio::join!(refresh(&app, &page.cookie), close(&app, &page.cookie));
        closed.expect_status(204);
        match answer.status {
            200 => assert_cleared(&refresh(&app, &Page::of(&answer).cookie).await),
            _ => assert_cleared(&answer),
        }
    }
}

#[tokio::test]
async fn replicas_agree_on_which_cookie_was_replaced() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = app.anonymous().at(&app.another_replica().await);
    let page = Page::opened(&app, &owner).await;
    let next = Page::refreshed(&app, &page.cookie).await;
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    let request = with_cookie(&elsewhere, Method::POST, REFRESH, &page.cookie);
    assert_cleared(&elsewhere.send(request).await);
    assert_cleared(&refresh(&app, &next.cookie).await);
}

#[tokio::test]
async fn the_cookie_opens_nothing_else() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let caller = app.anonymous();
    for path in ["/v1/projects", "/v1/auth/sessions"] {
        let request = with_cookie(&caller, Method::GET, path, &page.cookie);
        let refused = caller.send(request).await;
        refused.expect_error(401, "missing authorization header");
    }
}
