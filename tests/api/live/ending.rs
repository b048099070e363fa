//! When a stream ends.

use std::time::{Duration, Instant};

use harness::sse::Stream;
use serde_json::json;

use super::{Setup, follow, told};

/// A stream ends within five seconds, and says nothing more than that somebody went.
async fn assert_ends(stream: &mut Stream) {
    let begun = Instant::now();
    while let Some(event) = told(stream).await {
        assert_eq!(event.name, "change");
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let setup = Setup::with(&[("TOKEN_TTL_MINUTES", "5")]).await;
    let (mut stream, _) = follow(&setup.owner).await;
    setup.app.clock.advance(Duration::from_secs(300));
    assert_ends(&mut stream).await;
}

#[tokio::test]
async fn a_stream_ends_with_a_logout() {
    let setup = Setup::new().await;
    let beside = setup.owner.sign_in_again().await;
    let (mut stays, _) = follow(&setup.owner).await;
    let (mut stream, _) = follow(&beside).await;
    beside.act("/v1/auth/logout", json!({})).await;
    assert_ends(&mut stream).await;
    // Another session of the same user goes on.
    assert_eq!(
        told(&mut stays).await.unwrap().data["action"],
        "auth.logout"
    );
    setup.flag("checkout").await;
    let event = told(&mut stays).await.unwrap();
    assert_eq!(event.data["action"], "flag.created");
}

#[tokio::test]
async fn a_stream_ends_when_its_session_is_ended_from_another() {
    let setup = Setup::new().await;
    let beside = setup.owner.sign_in_again().await;
    let (mut stream, _) = follow(&beside).await;
    let sessions = beside.get("/v1/auth/sessions").await;
    let own = sessions.body["data"].as_array().unwrap().iter();
    let own: Vec<_> = own.filter(|one| one["current"] == true).collect();
    let path = format!("/v1/auth/sessions/{}", own[0]["id"].as_str().unwrap());
    setup.owner.remove(&path).await;
    assert_ends(&mut stream).await;
}

/// A stream of a new member, and the path of the membership.
async fn follow_member(setup: &Setup, role: &str) -> (String, Stream) {
    let member = setup.app.member(&setup.owner, role).await;
    let path = format!("/v1/members/{}", member.member_id().await);
    (path, follow(&member).await.0)
}

#[tokio::test]
async fn a_stream_ends_when_its_member_is_removed() {
    let setup = Setup::new().await;
    let (path, mut stream) = follow_member(&setup, "developer").await;
    setup.owner.remove(&path).await;
    assert_ends(&mut stream).await;
}

#[tokio::test]
async fn a_role_that_changes_is_followed() {
    let setup = Setup::new().await;
    let (path, mut stream) = follow_member(&setup, "admin").await;
    let changed = setup.owner.put(&path, json!({"role": "viewer"})).await;
    changed.expect_status(204);
    assert_eq!(
        told(&mut stream).await.unwrap().data["action"],
        "member.role_changed"
    );
    // Whoever is a viewer by now hears nothing of webhooks any more.
    let begun = Instant::now();
    setup.owner.prove_address(setup.app.pool()).await;
    loop {
        let webhook = json!({"name": "A webhook", "url": "https://192.0.2.1"});
        let made = setup.owner.create("/v1/webhooks", webhook).await;
        let path = format!("/v1/webhooks/{}", made.text("/id"));
        setup.owner.remove(&path).await;
        let marker = setup.flag(&uuid::Uuid::new_v4().simple().to_string()).await;
        let mut heard = 0;
        while told(&mut stream).await.unwrap().data["resource_id"] != *marker {
            heard += 1;
        }
        if heard == 0 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it still hears");
    }
}
