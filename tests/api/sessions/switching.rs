//! A page that goes on in another organization.

use std::time::Duration;

use harness::{App, User};
use serde_json::json;

use crate::trail;

use super::{
    LEEWAY, Page, assert_cleared, assert_signed_out, close, ins_and_outs, refresh, refresh_with,
};

const NO_MEMBER: &str = "not a member of the organization";

/// Somebody with an organization of their own, who is also a viewer of another one, and its owner.
async fn guest(app: &App) -> (User, User) {
    let host = app.signup("host").await;
    let guest = app.signup("guest").await;
    let body = json!({"email": guest.email, "role": "viewer"});
    host.create("/v1/members/invite", body).await;
    (guest, host)
}

async fn organization(app: &App, page: &Page) -> String {
    let me = page.caller(app).get("/v1/me").await;
    me.expect_status(200).text("/organization/id")
}

#[tokio::test]
async fn a_page_goes_on_in_another_organization() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    assert_eq!(organization(&app, &page).await, here.org_id);

    let body = json!({"org_id": there.org_id});
    let moved = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    assert_eq!(organization(&app, &moved).await, there.org_id);
    assert_signed_out(&app, &page.access_token).await;
    assert_eq!(ins_and_outs(&app, &there.org_id, &here.id).await, (1, 0));
    let sessions = moved.caller(&app).get("/v1/auth/sessions").await;
    assert_eq!(sessions.body["total"], 1, "the one took the other's place");

    // It stays there, and the way back is the same.
    let next = Page::refreshed(&app, &moved.cookie).await;
    assert_eq!(organization(&app, &next).await, there.org_id);
    let body = json!({"org_id": here.org_id});
    let back = Page::of(&refresh_with(&app, &next.cookie, &body).await);
    assert_eq!(organization(&app, &back).await, here.org_id);
}

#[tokio::test]
async fn the_organization_of_the_session_is_no_other() {
    let (app, owner) = App::with_owner().await;
    let page = Page::opened(&app, &owner).await;
    let body = json!({"org_id": owner.org_id});
    let next = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    assert_eq!(organization(&app, &next).await, owner.org_id);
    // The session is the same: what it had is still good.
    assert_eq!(organization(&app, &page).await, owner.org_id);
    assert_eq!(ins_and_outs(&app, &owner.org_id, &owner.id).await, (0, 0));
}

#[tokio::test]
async fn an_organization_that_the_caller_is_no_member_of_is_403_and_nothing_changes() {
    let app = App::start().await;
    let stranger = app.signup("stranger").await;
    let owner = app.signup("acme").await;
    let page = Page::opened(&app, &owner).await;
    let nowhere = uuid::Uuid::nil().to_string();
    for org_id in [&*stranger.org_id, &*nowhere, "acme", ""] {
        let body = json!({"org_id": org_id});
        let refused = refresh_with(&app, &page.cookie, &body).await;
        refused.expect_error(403, NO_MEMBER);
        assert!(!refused.headers.contains_key("set-cookie"));
    }
    assert_eq!(organization(&app, &page).await, owner.org_id);
    // The cookie was not used: long after, it is no reuse.
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    Page::refreshed(&app, &page.cookie).await;
}

#[tokio::test]
async fn a_cookie_that_is_none_is_401_whatever_organization_is_asked_for() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    close(&app, &page.cookie).await.expect_status(204);
    for org_id in [&there.org_id, &here.org_id, &uuid::Uuid::nil().to_string()] {
        let body = json!({"org_id": org_id});
        assert_cleared(&refresh_with(&app, &page.cookie, &body).await);
        assert_cleared(&refresh_with(&app, "nonsense", &body).await);
    }
}

#[tokio::test]
async fn a_tab_that_comes_late_goes_on_where_the_session_is_now() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    let body = json!({"org_id": there.org_id});
    let moved = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    app.clock.advance(LEEWAY);
    let late = Page::refreshed(&app, &page.cookie).await;
    assert_eq!(organization(&app, &late).await, there.org_id);
    assert_eq!(organization(&app, &moved).await, there.org_id);
    // And so does one that asks for the same.
    let late = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    assert_eq!(organization(&app, &late).await, there.org_id);
}

#[tokio::test]
async fn a_cookie_from_before_the_move_ends_the_session_after_the_leeway() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    let body = json!({"org_id": there.org_id});
    let moved = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    assert_cleared(&refresh(&app, &page.cookie).await);
    assert_signed_out(&app, &moved.access_token).await;
    assert_cleared(&refresh(&app, &moved.cookie).await);
}

#[tokio::test]
async fn two_moves_at_once_lead_to_one_session() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    let body = json!({"org_id": there.org_id});
    let (one, other) = tokio::join!(
        refresh_with(&app, &page.cookie, &body),
        refresh_with(&app, &page.cookie, &body),
    );
    for page in [Page::of(&one), Page::of(&other)] {
        assert_eq!(organization(&app, &page).await, there.org_id);
        let sessions = page.caller(&app).get("/v1/auth/sessions").await;
        assert_eq!(sessions.body["total"], 1);
    }
    assert_eq!(ins_and_outs(&app, &there.org_id, &here.id).await, (1, 0));
}

#[tokio::test]
async fn a_removed_member_cannot_go_on_anywhere() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("guest").await;
    let body = json!({"email": guest.email, "role": "viewer"});
    owner.create("/v1/members/invite", body).await;
    let there = User::login(&app.anonymous(), &guest.email, &owner.org_id).await;
    let page = Page::opened(&app, &there).await;
    let path = format!("/v1/members/{}", owner.member_id_of(&guest.email).await);
    owner.remove(&path).await;
    let body = json!({"org_id": guest.org_id});
    assert_cleared(&refresh_with(&app, &page.cookie, &body).await);
}

#[tokio::test]
async fn a_cookie_that_was_reused_is_told_wherever_the_session_went() {
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let page = Page::opened(&app, &here).await;
    let body = json!({"org_id": there.org_id});
    let moved = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    let late = Page::refreshed(&app, &page.cookie).await;
    assert_eq!(late.cookie, moved.cookie, "there is one successor");
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    assert_cleared(&refresh(&app, &page.cookie).await);
    for owner in [&here, &there] {
        let told = trail::of_action(&app, owner, "auth.token_reused").await;
        assert_eq!(told.len(), 1);
        assert_eq!(told[0]["resource_id"], json!(here.id));
    }
}

#[tokio::test]
async fn a_move_does_not_make_a_session_longer() {
    const DAY: Duration = Duration::from_secs(24 * 3_600);
    let app = App::start().await;
    let (here, there) = guest(&app).await;
    let mut page = Page::opened(&app, &here).await;
    for org_id in [&there.org_id, &here.org_id].into_iter().cycle().take(5) {
        app.clock.advance(DAY * 6 - Duration::from_secs(1));
        let body = json!({"org_id": org_id});
        page = Page::of(&refresh_with(&app, &page.cookie, &body).await);
    }
    app.clock.advance(Duration::from_secs(5));
    assert_cleared(&refresh(&app, &page.cookie).await);
}
