//! What a use of a token leaves: when and from where, and who did what by it.

use std::time::Duration;

use harness::{App, Setup};
use serde_json::{Value, json};

use super::{DAY, REFUSED, TOKENS, token};

#[tokio::test]
async fn the_last_use_is_shown_to_the_minute_with_its_address() {
    let (app, owner) = App::with_owner().await;
    let (_, ci) = token(&app, &owner, json!({"name": "ci"})).await;
    let last = async || {
        let tokens = owner.get(TOKENS).await;
        let one = &tokens.body["data"][0];
        (one["last_used_at"].clone(), one["last_used_ip"].clone())
    };
    assert_eq!(last().await, (Value::Null, Value::Null));
    app.clock.advance(Duration::from_secs(90));
    ci.get("/v1/me").await.expect_status(200);
    let used = (json!("2026-05-04T12:01:00Z"), json!("127.0.0.1"));
    assert_eq!(last().await, used);
    app.clock.advance(Duration::from_secs(20));
    ci.get("/v1/me").await.expect_status(200);
    assert_eq!(last().await, used);
    app.clock.advance(Duration::from_secs(10));
    // A refusal of what it asks for is a use.
    ci.get(TOKENS).await.expect_status(403);
    assert_eq!(last().await.0, json!("2026-05-04T12:02:00Z"));
}

#[tokio::test]
async fn the_audit_log_names_the_token_that_acted() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let (made, ci) = token(&app, &owner, json!({"name": "ci"})).await;
    let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
    let path = format!("/v1/projects/{}/flags", project.id);
    ci.create(&path, flag).await;
    let entry = owner.get("/v1/audit?action=flag.created&limit=1").await;
    assert_eq!(entry.text("/data/0/actor_id"), owner.id);
    assert_eq!(entry.text("/data/0/actor_type"), "user");
    assert_eq!(entry.text("/data/0/ip_address"), "127.0.0.1");
    let id = entry.text("/data/0/metadata/access_token_id");
    assert_eq!(id, made.text("/id"));
}

#[tokio::test]
async fn the_audit_log_tells_once_a_day_that_an_ended_token_is_used() {
    let (app, owner) = App::with_owner().await;
    let (made, ci) = token(&app, &owner, json!({"name": "leaked"})).await;
    owner
        .remove(&format!("{TOKENS}/{}", made.text("/id")))
        .await;
    let told = async || {
        let owner = owner.sign_in_again().await;
        owner.get("/v1/audit?action=access_token.refused").await
    };
    for _ in 0..3 {
        ci.get("/v1/me").await.expect_error(401, REFUSED);
    }
    let first = told().await;
    assert_eq!(first.body["total"], 1);
    assert_eq!(first.text("/data/0/actor_type"), "system");
    assert_eq!(first.text("/data/0/resource_id"), made.text("/id"));
    let details = json!({"name": "leaked", "used_from": "127.0.0.1"});
    assert_eq!(first.body["data"][0]["metadata"], details);
    app.clock.advance(DAY);
    ci.get("/v1/me").await.expect_error(401, REFUSED);
    assert_eq!(told().await.body["total"], 2);
}

#[tokio::test]
async fn an_ended_token_spends_nothing_of_the_organizations_rate() {
    let (app, owner) = App::with_owner_and(&[("RATE_MANAGEMENT", "20")]).await;
    let (made, ci) = token(&app, &owner, json!({"name": "leaked"})).await;
    owner
        .remove(&format!("{TOKENS}/{}", made.text("/id")))
        .await;
    let left = async || {
        let answer = owner.get("/v1/onboarding").await;
        answer
            .header("x-ratelimit-remaining")
            .parse::<u32>()
            .unwrap()
    };
    let before = left().await;
    for _ in 0..30 {
        ci.get("/v1/me").await.expect_error(401, REFUSED);
    }
    assert_eq!(left().await, before - 1);
}

#[tokio::test]
async fn me_answers_for_a_token_and_shows_it() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let other = json!({"name": "Other", "slug": "other"});
    owner.create("/v1/projects", other).await;
    let body = json!({"name": "ci", "role": "viewer", "project_ids": [project.id]});
    let (made, ci) = token(&app, &owner, body).await;
    let me = ci.get("/v1/me").await;
    me.expect_status(200);
    assert_eq!(me.text("/user/id"), owner.id);
    assert_eq!(me.text("/role"), "viewer");
    let ids = me.body["projects"].as_array().unwrap().iter();
    let ids: Vec<_> = ids.map(|project| &project["id"]).collect();
    assert_eq!(ids, [&json!(project.id)]);
    assert!(
        !me.body["permissions"]
            .as_array()
            .unwrap()
            .contains(&json!("flags.create"))
    );
    let mut shown = made.body.clone();
    shown.as_object_mut().unwrap().remove("token");
    shown["last_used_at"] = json!("2026-05-04T12:00:00Z");
    shown["last_used_ip"] = json!("127.0.0.1");
    assert_eq!(me.body["access_token"], shown);
    assert_eq!(owner.get("/v1/me").await.body.get("access_token"), None);
}

#[tokio::test]
async fn a_stream_of_events_ends_with_its_token() {
    let Setup { app, owner, .. } = Setup::new().await;
    let (made, ci) = token(&app, &owner, json!({"name": "ci"})).await;
    let mut stream = ci.stream("/v1/events").await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.next().await.unwrap().name, "connected");
    owner
        .remove(&format!("{TOKENS}/{}", made.text("/id")))
        .await;
    while let Some(event) = stream.next().await {
        assert_ne!(event.name, "connected");
    }
}
