//! Staying signed in and signing out: refreshing, reuse of a replaced token, logout, and what a token must be.

use std::time::Duration;

use domain::accounts::{
    settings::TokenSettings,
    tokens::{Claims, TokenType, Tokens},
};
use harness::{App, Response};
use reqwest::Method;
use serde_json::{Value, json};

use crate::trail;

use super::audit_trail;

const SECRET: &str = "a secret of tests with more than 32 bytes";
const LEEWAY: Duration = Duration::from_secs(30);

async fn refresh(app: &App, token: &str) -> Response {
    let body = json!({"refresh_token": token});
    app.anonymous().post("/v1/auth/refresh", body).await
}

/// A refresh that has to succeed: the new refresh token.
async fn refreshed(app: &App, token: &str) -> String {
    let answer = refresh(app, token).await;
    answer.expect_status(200).text("/refresh_token")
}

async fn assert_refused(app: &App, token: &str) {
    let answer = refresh(app, token).await;
    answer.expect_error(401, "invalid or expired token");
}

async fn assert_signed_out(app: &App, access_token: &str) {
    let caller = app.anonymous().with_token(access_token);
    let answer = caller.get("/v1/projects").await;
    answer.expect_error(401, "invalid or expired token");
}

fn tokens(secret: &str) -> Tokens {
    Tokens::new(&TokenSettings {
        old_secret: None,
        secret: secret.to_owned().into(),
        access_ttl: Duration::from_secs(3_600),
        session_access_ttl: Duration::from_secs(600),
        refresh_ttl: Duration::from_secs(7 * 24 * 3_600),
    })
}

#[tokio::test]
async fn refreshing_answers_a_new_pair() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(Duration::from_secs(600));

    let answer = refresh(&app, &owner.refresh_token).await;
    let expires_at = app.clock.now().unix_timestamp() + 3_600;
    answer.expect(
        200,
        json!({"access_token": "[text]", "refresh_token": "[text]", "expires_at": expires_at}),
    );
    assert_ne!(answer.text("/refresh_token"), owner.refresh_token);
    let caller = app.anonymous().with_token(&answer.text("/access_token"));
    caller.get("/v1/projects").await.expect_status(200);
    refreshed(&app, &answer.text("/refresh_token")).await;
}

#[tokio::test]
async fn tokens_carry_the_claims_of_the_contract() {
    let (app, owner) = App::with_owner_and(&[("JWT_SECRET", SECRET)]).await;
    let now = app.clock.now();
    let read = |token: &str, typ| tokens(SECRET).verify(token, typ, now).unwrap();
    let access = read(&owner.access_token, TokenType::Access);
    let refresh = read(&owner.refresh_token, TokenType::Refresh);
    assert_ne!(access.jti, refresh.jti);

    let shown = |claims: &Claims| serde_json::to_value(claims).unwrap();
    let expected = |claims: &Claims, typ: &str, life: i64| {
        json!({
            "sub": owner.id, "user_id": owner.id, "org_id": owner.org_id, "role": "owner",
            "data_region": "us", "typ": typ, "jti": claims.jti, "sid": access.sid,
            "iat": now.unix_timestamp(), "exp": now.unix_timestamp() + life, "iss": "halyard",
        })
    };
    assert_eq!(shown(&access), expected(&access, "access", 3_600));
    assert_eq!(shown(&refresh), expected(&refresh, "refresh", 604_800));
}

#[tokio::test]
async fn a_replaced_refresh_token_stays_usable_for_the_leeway() {
    let (app, owner) = App::with_owner().await;
    let first_tab = refreshed(&app, &owner.refresh_token).await;
    app.clock.advance(LEEWAY);
    let second_tab = refreshed(&app, &owner.refresh_token).await;
    assert_eq!(first_tab, second_tab, "there is one successor");
    // Also when it is not the newest any more.
    let next = refreshed(&app, &first_tab).await;
    assert_eq!(refreshed(&app, &owner.refresh_token).await, next);
}

#[tokio::test]
async fn two_who_use_copies_of_a_token_find_each_other_out() {
    let (app, owner) = App::with_owner().await;
    let mine = refreshed(&app, &owner.refresh_token).await;
    let theirs = refreshed(&app, &owner.refresh_token).await;
    app.clock.advance(LEEWAY * 2);
    let mine = refreshed(&app, &mine).await;
    app.clock.advance(LEEWAY * 2);
    assert_refused(&app, &theirs).await;
    assert_refused(&app, &mine).await;
}

#[tokio::test]
async fn a_session_ends_thirty_days_after_its_sign_in() {
    const DAY: Duration = Duration::from_secs(24 * 3_600);
    let (app, owner) = App::with_owner().await;
    let mut token = owner.refresh_token.clone();
    for _ in 0..5 {
        app.clock.advance(DAY * 6 - Duration::from_secs(1));
        token = refreshed(&app, &token).await;
    }
    let caller = app.anonymous();
    let handed = |access: &str| caller.with_token(access);
    let access = refresh(&app, &token).await.text("/access_token");
    let handed_on = handed(&access)
        .post("/v1/auth/one-time-token", json!({}))
        .await;
    let body = json!({"token": handed_on.text("/token")});
    let handed_on = caller.post("/v1/auth/token-exchange", body).await;
    let handed_on = handed_on.text("/tokens/refresh_token");
    app.clock.advance(Duration::from_secs(5));
    for token in [token, handed_on] {
        assert_refused(&app, &token).await;
    }
}

#[tokio::test]
async fn a_token_that_was_reused_is_told_to_the_trail_and_to_its_user_once() {
    let (app, owner) = App::with_owner().await;
    refreshed(&app, &owner.refresh_token).await;
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    for _ in 0..3 {
        assert_refused(&app, &owner.refresh_token).await;
    }
    let told = trail::of_action(&app, &owner, "auth.token_reused").await;
    assert_eq!(
        told,
        [json!({
            "action": "auth.token_reused", "actor_type": "user", "actor_id": owner.id, "resource_type": "auth",
            "resource_id": owner.id, "project_id": null, "before_state": null, "after_state": null, "metadata": null,
        })]
    );
    let mut mails = app.mails().await;
    mails.retain(|mail| mail.subject == "A session of your Halyard account was ended");
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to, owner.email);
    assert_eq!(mails[0].link(), "http://127.0.0.1:8080/forgot-password");
}

#[tokio::test]
async fn reuse_after_the_leeway_ends_the_whole_session() {
    let (app, owner) = App::with_owner().await;
    let beside = owner.sign_in_again().await;
    let answer = refresh(&app, &owner.refresh_token).await;
    let newest = answer.text("/refresh_token");
    app.clock.advance(LEEWAY + Duration::from_secs(1));

    assert_refused(&app, &owner.refresh_token).await;
    assert_refused(&app, &newest).await;
    assert_signed_out(&app, &owner.access_token).await;
    assert_signed_out(&app, &answer.text("/access_token")).await;
    // Another sign-in of the same user is another family.
    beside.get("/v1/projects").await.expect_status(200);
    refreshed(&app, &beside.refresh_token).await;
}

#[tokio::test]
async fn the_leeway_is_counted_from_the_first_use() {
    let (app, owner) = App::with_owner_and(&[("REFRESH_REUSE_LEEWAY", "10s")]).await;
    refreshed(&app, &owner.refresh_token).await;
    app.clock.advance(Duration::from_secs(6));
    refreshed(&app, &owner.refresh_token).await;
    app.clock.advance(Duration::from_secs(6));
    assert_refused(&app, &owner.refresh_token).await;
}

#[tokio::test]
async fn two_refreshes_at_once_both_succeed() {
    let (app, owner) = App::with_owner().await;
    let (one, other) = tokio::join!(
        refreshed(&app, &owner.refresh_token),
        refreshed(&app, &owner.refresh_token),
    );
    assert_eq!(one, other);
    refreshed(&app, &one).await;
}

#[tokio::test]
async fn a_refresh_beside_a_logout_does_not_outlive_it() {
    let app = App::start().await;
    for name in ["one", "two", "three", "four"] {
        let owner = app.signup(name).await;
        let (answer, logout) = tokio::join!(
            refresh(&app, &owner.refresh_token),
            owner.post("/v1/auth/logout", json!({})),
        );
        logout.expect_status(200);
        match answer.status {
            200 => assert_refused(&app, &answer.text("/refresh_token")).await,
            _ => assert_eq!(answer.status, 401),
        }
    }
}

#[tokio::test]
async fn the_role_is_read_again_on_refresh() {
    let (app, owner) = App::with_owner_and(&[("JWT_SECRET", SECRET)]).await;
    app.execute(
        "UPDATE members SET role = 'viewer' WHERE user_id = $1::uuid",
        &[&owner.id],
    )
    .await;
    let token = refresh(&app, &owner.refresh_token)
        .await
        .text("/access_token");
    let claims = tokens(SECRET).verify(&token, TokenType::Access, app.clock.now());
    assert_eq!(
        serde_json::to_value(claims.unwrap().role).unwrap(),
        "viewer"
    );

    // Requests do not trust the role of the token: the old one says owner.
    let body = json!({"name": "Shop"});
    let refused = owner.post("/v1/projects", body).await;
    refused.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn a_removed_member_is_signed_out_at_once() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "developer").await;
    app.execute(
        "DELETE FROM members WHERE user_id = $1::uuid",
        &[&member.id],
    )
    .await;
    assert_signed_out(&app, &member.access_token).await;
    assert_refused(&app, &member.refresh_token).await;
}

#[tokio::test]
async fn tokens_end() {
    let app = App::start_with(&[("TOKEN_TTL_MINUTES", "5"), ("REFRESH_TTL_HOURS", "1")]).await;
    let owner = app.signup("acme").await;
    app.clock.advance(Duration::from_secs(299));
    owner.get("/v1/projects").await.expect_status(200);
    app.clock.advance(Duration::from_secs(1));
    assert_signed_out(&app, &owner.access_token).await;

    app.clock.advance(Duration::from_secs(55 * 60));
    assert_refused(&app, &owner.refresh_token).await;
}

#[tokio::test]
async fn a_token_is_good_for_its_purpose_only() {
    let (app, owner) = App::with_owner().await;
    assert_signed_out(&app, &owner.refresh_token).await;
    assert_refused(&app, &owner.access_token).await;
}

#[tokio::test]
async fn refresh_needs_a_token() {
    let app = App::start().await;
    for body in [
        json!({}),
        json!({"refresh_token": ""}),
        json!({"refresh_token": null}),
    ] {
        let answer = app.anonymous().post("/v1/auth/refresh", body).await;
        answer.expect_error(400, "refresh_token is required");
    }
    assert_refused(&app, "nonsense").await;
}

#[tokio::test]
async fn logout_ends_this_session_and_no_other() {
    let (app, owner) = App::with_owner().await;
    let beside = owner.sign_in_again().await;
    app.clock.advance(Duration::from_secs(1));

    let request = owner.request(Method::POST, "/v1/auth/logout");
    let answer = owner.send(request).await;
    answer.expect(200, json!({"message": "logged out"}));

    assert_signed_out(&app, &owner.access_token).await;
    assert_refused(&app, &owner.refresh_token).await;
    let again = owner.post("/v1/auth/logout", Value::Null).await;
    again.expect_error(401, "invalid or expired token");
    beside.get("/v1/projects").await.expect_status(200);

    let trail = audit_trail(&app, &owner.org_id).await;
    assert_eq!(
        trail.last(),
        Some(&("auth.logout".to_owned(), owner.id.clone()))
    );
}

#[tokio::test]
async fn every_role_may_log_out() {
    let (app, owner) = App::with_owner().await;
    for role in ["admin", "developer", "viewer"] {
        let member = app.member(&owner, role).await;
        member.act("/v1/auth/logout", json!({})).await;
        assert_signed_out(&app, &member.access_token).await;
    }
    let answer = app.anonymous().post("/v1/auth/logout", json!({})).await;
    answer.expect_error(401, "missing authorization header");
}

#[tokio::test]
async fn logout_on_one_replica_ends_the_session_on_the_other_at_once() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let owner = app.signup("acme").await;
    owner
        .at(&replica)
        .get("/v1/projects")
        .await
        .expect_status(200);

    owner.act("/v1/auth/logout", json!({})).await;
    let answer = owner.at(&replica).get("/v1/projects").await;
    answer.expect_error(401, "invalid or expired token");
    let body = json!({"refresh_token": owner.refresh_token});
    let elsewhere = app.anonymous().at(&replica);
    let answer = elsewhere.post("/v1/auth/refresh", body).await;
    answer.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn replicas_agree_on_what_was_refreshed() {
    let app = App::start().await;
    let elsewhere = app.anonymous().at(&app.another_replica().await);
    let owner = app.signup("acme").await;
    let body = json!({"refresh_token": owner.refresh_token});
    let (here, there) = tokio::join!(
        refresh(&app, &owner.refresh_token),
        elsewhere.post("/v1/auth/refresh", body.clone()),
    );
    here.expect_status(200);
    there.expect_status(200);

    // What one replica replaced is reuse at the other, and ends the session at both.
    app.clock.advance(LEEWAY + Duration::from_secs(1));
    let answer = elsewhere.post("/v1/auth/refresh", body).await;
    answer.expect_error(401, "invalid or expired token");
    assert_refused(&app, &here.text("/refresh_token")).await;
    assert_signed_out(&app, &there.text("/access_token")).await;
}
