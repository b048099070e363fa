//! Access tokens: what a member makes for programs, and how it ends. Which endpoints they open is proven in `access/tokens.rs`.

mod limits;
mod service_accounts;
mod uses;

use std::time::Duration;

use harness::{App, Caller, Response, User, statuses};
use serde_json::{Value, json};

const TOKENS: &str = "/v1/me/tokens";
const REFUSED: &str = "invalid or expired token";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes a token; gives the answer, and a caller who uses it.
async fn token(app: &App, by: &User, body: Value) -> (Response, Caller) {
    let made = by.create(TOKENS, body).await;
    let caller = app.anonymous().with_token(&made.text("/token"));
    (made, caller)
}

async fn simple_token(app: &App, by: &User) -> Caller {
    token(app, by, json!({"name": "ci"})).await.1
}

#[tokio::test]
async fn a_token_is_shown_once_and_listed_without_its_text() {
    let (app, owner, project) = App::with_project().await;
    let body = json!({
        "name": "ci", "expires_at": "2026-06-01T00:00:00Z", "role": "developer",
        "project_ids": [project.id], "env_ids": [project.dev], "read_only": true,
    });
    let (made, _) = token(&app, &owner, body).await;
    let text = made.text("/token");
    made.expect(
        201,
        json!({
            "id": "[uuid]", "token": text, "name": "ci", "role": "developer", "project_ids": [project.id],
            "env_ids": [project.dev], "read_only": true, "created_at": "[time]",
            "expires_at": "2026-06-01T00:00:00Z", "last_used_at": null, "last_used_ip": null,
        }),
    );
    assert!(text.starts_with("halp_") && text.len() == 61, "{text}");
    let (plain, _) = token(&app, &owner, json!({"name": "all"})).await;
    assert_eq!(plain.text("/expires_at"), "2026-08-02T12:00:00Z");

    let without_text = |made: &Response| {
        let mut shown = made.body.clone();
        shown.as_object_mut().unwrap().remove("token");
        shown
    };
    let all = json!({
        "data": [without_text(&made), without_text(&plain)],
        "total": 2, "limit": 50, "offset": 0, "has_more": false,
    });
    owner.get(TOKENS).await.expect(200, all);
    let stored: Vec<u8> = app
        .value("SELECT hash FROM access_tokens WHERE name = 'ci'", &[])
        .await;
    assert_eq!(stored.len(), 32);
}

#[tokio::test]
async fn a_name_an_end_within_a_year_and_a_role_of_ones_own_are_asked_for() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    let end = "expires_at must be a date-time (RFC 3339) within the next 365 days";
    for (body, status, message) in [
        (json!({}), 400, "name is required"),
        (json!({"name": " "}), 400, "name is required"),
        (json!({"name": "ci", "expires_at": "tomorrow"}), 400, end),
        (
            json!({"name": "ci", "expires_at": "2026-05-04T12:00:00Z"}),
            400,
            end,
        ),
        (
            json!({"name": "ci", "expires_at": "2027-05-04T12:00:01Z"}),
            400,
            end,
        ),
        (
            json!({"name": "ci", "role": "root"}),
            400,
            "role must be owner, admin, developer or viewer",
        ),
        (
            json!({"name": "ci", "role": "admin"}),
            403,
            "an access token has at most the role of its member",
        ),
    ] {
        let answer = developer.post(TOKENS, body).await;
        answer.expect_error(status, message);
    }
    let longest = json!({"name": "ci", "expires_at": "2027-05-04T12:00:00Z"});
    developer.create(TOKENS, longest).await;
    assert_eq!(developer.get(TOKENS).await.body["total"], 1);
}

#[tokio::test]
async fn a_member_has_at_most_50_tokens_that_have_not_ended() {
    let (app, owner) = App::with_owner().await;
    let (first, _) = token(&app, &owner, json!({"name": "first"})).await;
    app.execute(
        "INSERT INTO access_tokens (id, org_id, user_id, member_id, name, hash, read_only, created_at, expires_at)
         SELECT gen_random_uuid(), org_id, user_id, member_id, 'more', sha256(n::text::bytea), false, created_at, expires_at
         FROM access_tokens, generate_series(1, 48) AS n",
        &[],
    )
    .await;
    let replica = app.another_replica().await;
    let there = owner.at(&replica);
    let body = json!({"name": "last"});
    let (one, other) = tokio::join!(owner.post(TOKENS, body.clone()), there.post(TOKENS, body));
    let mut both = statuses([&one, &other]);
    both.sort_unstable();
    assert_eq!(both, [201, 400]);
    let refused = owner.post(TOKENS, json!({"name": "more"})).await;
    refused.expect_error(400, "a member has at most 50 access tokens");

    owner
        .remove(&format!("{TOKENS}/{}", first.text("/id")))
        .await;
    owner.create(TOKENS, json!({"name": "again"})).await;
    // Those that have ended count no more.
    app.clock.advance(91 * DAY);
    let owner = owner.sign_in_again().await;
    owner.create(TOKENS, json!({"name": "later"})).await;
}

#[tokio::test]
async fn a_revoked_token_is_401_at_once_on_every_replica() {
    let (app, owner) = App::with_owner().await;
    let replica = app.another_replica().await;
    let (made, ci) = token(&app, &owner, json!({"name": "ci"})).await;
    ci.at(&replica).get("/v1/me").await.expect_status(200);
    let other = app.member(&owner, "admin").await;
    let path = format!("{TOKENS}/{}", made.text("/id"));
    // Another's token is not one's own.
    other
        .delete(&path)
        .await
        .expect_error(404, "access token not found");
    owner.delete(&path).await.expect(204, Value::Null);
    for caller in [&ci, &ci.at(&replica)] {
        caller.get("/v1/me").await.expect_error(401, REFUSED);
    }
    owner
        .delete(&path)
        .await
        .expect_error(404, "access token not found");
    assert_eq!(owner.get(TOKENS).await.body["total"], 0);
}

#[tokio::test]
async fn a_token_ends_when_its_time_has_come() {
    let (app, owner) = App::with_owner().await;
    let body = json!({"name": "ci", "expires_at": "2026-05-05T12:00:00Z"});
    let (_, ci) = token(&app, &owner, body).await;
    app.clock.advance(DAY - Duration::from_secs(1));
    ci.get("/v1/me").await.expect_status(200);
    app.clock.advance(Duration::from_secs(1));
    ci.get("/v1/me").await.expect_error(401, REFUSED);
}

#[tokio::test]
async fn a_token_ends_with_the_membership_and_another_membership_does_not_revive_it() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "developer").await;
    let ci = simple_token(&app, &member).await;
    ci.get("/v1/projects").await.expect_status(200);
    let path = format!("/v1/members/{}", member.member_id().await);
    owner.remove(&path).await;
    ci.get("/v1/projects").await.expect_error(401, REFUSED);
    let again = json!({"email": member.email, "role": "developer"});
    owner.create("/v1/members/invite", again).await;
    ci.get("/v1/projects").await.expect_error(401, REFUSED);
    let member = member.sign_in_again().await;
    assert_eq!(member.get(TOKENS).await.body["total"], 0);
}

#[tokio::test]
async fn a_token_can_do_what_its_member_can_do_now() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "admin").await;
    let ci = simple_token(&app, &member).await;
    ci.get("/v1/webhooks").await.expect_status(200);
    let path = format!("/v1/members/{}", member.member_id().await);
    owner
        .put(&path, json!({"role": "viewer"}))
        .await
        .expect_status(204);
    let refused = ci.get("/v1/webhooks").await;
    refused.expect_error(403, "insufficient permissions");
    owner
        .put(&path, json!({"role": "admin"}))
        .await
        .expect_status(204);
    ci.get("/v1/webhooks").await.expect_status(200);
}

#[tokio::test]
async fn a_manager_who_ends_the_sessions_of_a_member_ends_their_tokens_too() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "developer").await;
    let ci = simple_token(&app, &member).await;
    let path = format!("/v1/members/{}/sessions", member.member_id().await);
    owner.remove(&path).await;
    ci.get("/v1/projects").await.expect_error(401, REFUSED);
}

#[tokio::test]
async fn a_logout_leaves_tokens_alone_and_a_reset_of_the_password_ends_them() {
    let (app, owner) = App::with_owner().await;
    let ci = simple_token(&app, &owner).await;
    owner.act("/v1/auth/logout", json!({})).await;
    ci.get("/v1/me").await.expect_status(200);
    let otp = crate::accounts::password_reset::forgot_and_read(&app, &owner.email).await;
    let body = json!({"email": owner.email, "otp": otp, "new_password": "Battery-staple-2"});
    app.anonymous().act("/v1/auth/reset-password", body).await;
    ci.get("/v1/me").await.expect_error(401, REFUSED);
}

#[tokio::test]
async fn what_is_no_token_is_401_without_a_look_up() {
    let (app, owner) = App::with_owner().await;
    let text = token(&app, &owner, json!({"name": "ci"}))
        .await
        .0
        .text("/token");
    let mut wrong = text.clone();
    wrong.replace_range(10..11, if &text[10..11] == "0" { "1" } else { "0" });
    app.execute("DROP TABLE access_tokens CASCADE", &[]).await;
    for text in ["halp_", "halp_00", &wrong, &text.to_uppercase()] {
        let caller = app.anonymous().with_token(text);
        caller.get("/v1/me").await.expect_error(401, REFUSED);
    }
    // A token looked up there would fail otherwise.
    let caller = app.anonymous().with_token(&text);
    caller.get("/v1/me").await.expect_status(500);
}
