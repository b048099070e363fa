//! Signing a page out.

use harness::App;
use reqwest::Method;
use serde_json::json;

use super::{
    CLEARED, Page, SESSION, assert_cleared, assert_signed_out, close, host_and_guest, ins_and_outs,
    of_page, refresh, refresh_with,
};

#[tokio::test]
async fn closing_ends_the_session_and_clears_the_cookie() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let closed = close(&app, &page.cookie).await;
    closed.expect(204, json!(null));
    assert_eq!(closed.header("set-cookie"), CLEARED);
    assert_eq!(closed.header("clear-site-data"), r#""cache""#);
    assert_signed_out(&app, &page.access_token).await;
    assert_cleared(&refresh(&app, &page.cookie).await);
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (0, 1));

    // Once more ends nothing.
    let again = close(&app, &page.cookie).await;
    again.expect(204, json!(null));
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (0, 1));
}

#[tokio::test]
async fn without_a_cookie_there_is_nothing_to_close_or_to_clear() {
    let app = App::start().await;
    let caller = app.anonymous();
    let closed = caller.send(of_page(&caller, Method::DELETE, SESSION)).await;
    closed.expect(204, json!(null));
    assert!(!closed.headers.contains_key("set-cookie"));
    assert_eq!(closed.header("clear-site-data"), r#""cache""#);
}

#[tokio::test]
async fn a_cookie_that_is_no_token_is_cleared() {
    let app = App::start().await;
    let closed = close(&app, "nonsense").await;
    closed.expect(204, json!(null));
    assert_eq!(closed.header("set-cookie"), CLEARED);
}

#[tokio::test]
async fn a_cookie_from_before_the_session_moved_closes_it_too() {
    let (app, host, guest) = host_and_guest().await;
    let page = Page::opened(&app, &guest).await;
    let body = json!({"org_id": host.org_id});
    let moved = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    close(&app, &page.cookie).await.expect_status(204);
    assert_signed_out(&app, &moved.access_token).await;
    assert_cleared(&refresh(&app, &moved.cookie).await);
}

#[tokio::test]
async fn of_two_closings_at_once_one_is_recorded() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let (one, other) = tokio::join!(close(&app, &page.cookie), close(&app, &page.cookie));
    one.expect_status(204);
    other.expect_status(204);
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (0, 1));
}
