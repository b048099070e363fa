//! Ending the sessions of a member.

use std::time::Duration;

use harness::{App, User};
use reqwest::Method;
use serde_json::{Value, json};

use super::entry;
use crate::trail;

const SIGNED_OUT: &str = "invalid or expired token";
const ENDED: &str = "your sessions in the organization were ended: sign in again to work there";

async fn sessions_of(user: &User) -> String {
    format!("/v1/members/{}/sessions", user.member_id().await)
}

/// A page of `user` goes to another organization; the status and the answer.
async fn go_to(app: &App, refresh_token: &str, org_id: &str) -> (u16, Value) {
    let caller = app.anonymous();
    let of_page = |path: &str| {
        caller
            .request(Method::POST, path)
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/json")
    };
    let open = of_page("/v1/auth/session").json(&json!({"refresh_token": refresh_token}));
    let opened = caller.send(open).await;
    opened.expect_status(200);
    let set = opened.header("set-cookie");
    let cookie = set.split(';').next().expect("a cookie");
    let switch = of_page("/v1/auth/session/refresh").header("cookie", cookie);
    let moved = caller.send(switch.json(&json!({"org_id": org_id}))).await;
    (moved.status, moved.body.clone())
}

#[tokio::test]
async fn all_sessions_of_a_member_end_and_they_may_sign_in_again() {
    let (app, owner) = App::with_owner().await;
    let replica = app.another_replica().await;
    let member = app.member(&owner, "developer").await;
    let other = member.sign_in_again().await;
    let handoff = other.post("/v1/auth/one-time-token", Value::Null).await;
    let path = sessions_of(&member).await;
    owner.delete(&path).await.expect(204, Value::Null);
    for session in [&member, &other] {
        let refused = session.at(&replica).get("/v1/members").await;
        refused.expect_error(401, SIGNED_OUT);
        let body = json!({"refresh_token": session.refresh_token});
        let refused = app.anonymous().post("/v1/auth/refresh", body).await;
        refused.expect_error(401, SIGNED_OUT);
    }
    let token = json!({"token": handoff.text("/token")});
    let refused = app.anonymous().post("/v1/auth/token-exchange", token).await;
    refused.expect_status(401);
    let again = member.sign_in_again().await;
    again.get("/v1/members").await.expect_status(200);
    let ended = trail::of_action(&app, &owner, "member.sessions_ended").await;
    let id = json!(again.member_id().await);
    let none = Value::Null;
    assert_eq!(
        ended,
        [entry(&owner, "member.sessions_ended", &id, &none, &none)]
    );
}

#[tokio::test]
async fn sessions_elsewhere_go_on_there_and_may_not_move_here() {
    let app = App::start().await;
    let (host, guest) = (app.signup("host").await, app.signup("guest").await);
    let body = json!({"email": guest.email, "role": "viewer"});
    let member_id = host.create("/v1/members/invite", body).await.text("/id");
    let before = guest.sign_in_again().await;
    app.clock.advance(Duration::from_secs(1));
    let path = format!("/v1/members/{member_id}/sessions");
    host.delete(&path).await.expect(204, Value::Null);

    guest.get("/v1/projects").await.expect_status(200);
    let refused = go_to(&app, &before.refresh_token, &host.org_id).await;
    assert_eq!(refused, (403, json!({"error": ENDED})));
    let after = guest.sign_in_again().await;
    let (status, _) = go_to(&app, &after.refresh_token, &host.org_id).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn an_admin_ends_no_session_of_an_owner() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    let refused = admin.delete(&sessions_of(&owner).await).await;
    refused.expect_error(403, "insufficient permissions");
    owner.get("/v1/members").await.expect_status(200);
    let other = app.member(&owner, "admin").await;
    admin
        .delete(&sessions_of(&other).await)
        .await
        .expect(204, Value::Null);
}

#[tokio::test]
async fn ones_own_sessions_are_ended_elsewhere() {
    let (_app, owner) = App::with_owner().await;
    let refused = owner.delete(&sessions_of(&owner).await).await;
    refused.expect_error(
        400,
        "end your own sessions at DELETE /v1/auth/sessions/{sessionID}",
    );
    owner.get("/v1/members").await.expect_status(200);
}

#[tokio::test]
async fn an_unknown_member_and_one_of_another_organization_are_404() {
    let (app, owner) = App::with_owner().await;
    let stranger = app.signup("globex").await;
    for path in [
        sessions_of(&stranger).await,
        format!("/v1/members/{}/sessions", uuid::Uuid::new_v4()),
    ] {
        let refused = owner.delete(&path).await;
        refused.expect_error(404, "member not found");
    }
    stranger.get("/v1/members").await.expect_status(200);
}

/// The session that is being moved is there once the account's lock is free.
#[tokio::test]
async fn a_session_that_moves_here_at_the_same_time_ends_or_is_refused() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let (host, guest) = (app.signup("host").await, app.signup("guest").await);
    let body = json!({"email": guest.email, "role": "viewer"});
    let member_id = host.create("/v1/members/invite", body).await.text("/id");
    let before = guest.sign_in_again().await;
    app.clock.advance(Duration::from_secs(1));
    let path = format!("/v1/members/{member_id}/sessions");
    let there = host.at(&replica);
    let ((status, moved), ended) = tokio::join!(
        go_to(&app, &before.refresh_token, &host.org_id),
        there.delete(&path)
    );
    assert_eq!(ended.status, 204);
    if status == 200 {
        let token = moved["access_token"].as_str().expect("a token");
        let session = app.anonymous().with_token(token);
        let refused = session.get("/v1/members").await;
        refused.expect_error(401, SIGNED_OUT);
    } else {
        assert_eq!((status, moved), (403, json!({"error": ENDED})));
    }
}
