//! Event streams of an edge in this process: what they say, in which order, and when they end.

use std::time::Duration;

use crate::support::*;
use axum::{Router, http::StatusCode};
use edge_node::Edge;
use protocol::{snapshot::Snapshot, wire::message::Push};
use serving::clock::Clock;
use time::macros::datetime;

fn edge(changed: &[(&str, &str)]) -> (Edge, Router, Clock) {
    let clock = Clock::manual(datetime!(2026-01-01 00:00 UTC));
    let edge = Edge::new(settings(changed), clock.clone(), None);
    let router = edge.router();
    (edge, router, clock)
}

fn first() -> Snapshot {
    snapshot(9, 7, vec![toggle(1, "a", false), toggle(2, "b", true)])
}

fn event(version: u64, flag: u128) -> String {
    let (flag_id, env_id) = (uuid::Uuid::from_u128(flag), env_id(9));
    format!(
        "id: {version}\nevent: flag-update\ndata: {{\"type\":\"flag_update\",\"flag_id\":\"{flag_id}\",\"env_id\":\"{env_id}\",\"action\":\"upsert\"}}\n\n"
    )
}

/// A stream whose greeting was read.
async fn greeted(router: &Router) -> Events {
    let mut events = Events::open(router, "/v1/stream/dev", KEY).await;
    events.next().await.unwrap();
    events
}

#[tokio::test]
async fn a_stream_begins_with_retry_and_connected() {
    let (edge, router, _) = edge(&[]);
    edge.apply(&whole(&first()));
    let mut events = Events::open(&router, "/v1/stream/dev", KEY).await;
    assert_eq!(events.status, StatusCode::OK);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    assert_eq!(events.headers["cache-control"], "no-store");
    assert_eq!(events.headers["x-accel-buffering"], "no");
    assert_eq!(events.headers["x-snapshot-version"], "7");
    let id = env_id(9);
    assert_eq!(
        events.next().await.unwrap(),
        format!("retry: 3000\n\nid: 7\nevent: connected\ndata: {{\"env_id\":\"{id}\"}}\n\n")
    );
    assert!(events.is_silent().await);
}

#[tokio::test]
async fn a_change_is_announced_after_it_is_served() {
    let (edge, router, _) = edge(&[]);
    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;

    let next = snapshot(9, 8, vec![toggle(1, "a", true), toggle(2, "b", true)]);
    edge.apply(&delta(&first(), &next));
    assert_eq!(events.next().await.unwrap(), event(8, 1));
    assert_eq!(evaluate(&router, "a").await, "true FALLTHROUGH");

    let gone = snapshot(9, 9, vec![toggle(2, "b", true)]);
    edge.apply(&delta(&next, &gone));
    assert_eq!(events.next().await.unwrap(), event(9, 1));
}

#[tokio::test]
async fn a_whole_snapshot_announces_the_flags_that_differ() {
    let (edge, router, _) = edge(&[]);
    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;
    let flags = vec![toggle(2, "b", false), toggle(3, "c", true)];
    edge.apply(&whole(&snapshot(9, 12, flags)));
    let received = events.next().await.unwrap();
    assert_eq!(
        received,
        format!("{}{}{}", event(12, 1), event(12, 2), event(12, 3))
    );
}

#[tokio::test]
async fn a_reader_that_fell_behind_gets_the_newest_of_every_flag_at_once() {
    let (edge, router, _) = edge(&[]);
    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;
    let mut held = first();
    for version in 8..=20 {
        let next = snapshot(
            9,
            version,
            vec![
                toggle(1, "a", version % 2 == 0),
                toggle(2, "b", version < 10),
            ],
        );
        edge.apply(&delta(&held, &next));
        held = next;
    }
    // Version 10 changed both flags, all later ones only the first.
    let received = events.next().await.unwrap();
    assert_eq!(
        received,
        format!("{}{}{}", event(10, 1), event(10, 2), event(20, 1))
    );
    assert!(events.is_silent().await);
}

#[tokio::test]
async fn an_idle_stream_sends_signs_of_life() {
    let (edge, router, _) = edge(&[("SSE_HEARTBEAT", "50ms")]);
    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;
    assert_eq!(events.next().await.unwrap(), ":\n\n");
    assert_eq!(events.next().await.unwrap(), ":\n\n");
}

#[tokio::test]
async fn a_revoked_key_ends_its_streams_and_no_others() {
    let (edge, router, _) = edge(&[]);
    let mut both = first();
    both.keys = vec![key(KEY, None), key("other", None)];
    edge.apply(&whole(&both));
    let mut kept = greeted(&router).await;
    let mut ended = Events::open(&router, "/v1/stream/dev", "other").await;
    ended.next().await.unwrap();

    let mut revoked = both.clone();
    revoked.head.version = 8;
    revoked.keys.pop();
    edge.apply(&delta(&both, &revoked));
    assert_eq!(ended.next().await, None);
    assert!(kept.is_silent().await);
}

#[tokio::test]
async fn an_expired_key_ends_its_streams_within_five_seconds() {
    let (edge, router, clock) = edge(&[]);
    let mut soon = first();
    soon.keys = vec![key(KEY, Some(clock.unix_ms() + 3_600_000))];
    edge.apply(&whole(&soon));
    let mut events = greeted(&router).await;
    clock.advance(Duration::from_secs(3_600));
    let started = tokio::time::Instant::now();
    assert_eq!(events.next().await, None);
    assert!(started.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_removed_environment_and_a_stop_end_streams() {
    let (edge, router, _) = edge(&[]);
    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;
    edge.apply(&Push::Removed { env_id: env_id(9) });
    assert_eq!(events.next().await, None);

    edge.apply(&whole(&first()));
    let mut events = greeted(&router).await;
    edge.shutdown();
    let farewell = events.next().await.unwrap();
    let retry = farewell
        .strip_prefix("retry: ")
        .and_then(|rest| rest.strip_suffix("\n\n"));
    let retry: u64 = retry.unwrap().parse().unwrap();
    assert!((3_000..=6_000).contains(&retry), "{farewell}");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_key_has_a_limited_number_of_streams() {
    let (edge, router, _) = edge(&[("STREAMS_PER_KEY", "1")]);
    edge.apply(&whole(&first()));
    let events = greeted(&router).await;
    let refused = get(&router, "/v1/stream/dev", &[("x-api-key", KEY)]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.body, r#"{"error":"too many open streams"}"#);
    assert!(!refused.header("retry-after").is_empty());
    drop(events);
    greeted(&router).await;
}

#[tokio::test]
async fn an_address_has_a_limited_number_of_streams() {
    let (edge, router, _) = edge(&[
        ("STREAMS_PER_ADDRESS", "1"),
        ("TRUSTED_PROXIES", "127.0.0.0/8"),
    ]);
    edge.apply(&whole(&first()));
    let path = "/v1/stream/dev";
    let from = async |address: &str| {
        let headers = [("x-api-key", KEY), ("x-forwarded-for", address)];
        Events::open_with(&router, path, &headers).await
    };
    let open = from("203.0.113.9").await;
    let refused = from("203.0.113.9").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.headers["retry-after"], "5");
    assert_eq!(from("203.0.113.10").await.status, StatusCode::OK);
    drop(open);
    assert_eq!(from("203.0.113.9").await.status, StatusCode::OK);
}
