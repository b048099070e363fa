//! The event stream that OFREP answers refer to: its URL, its credential, its events, its end.

use std::time::Duration;

use crate::support::*;
use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{Request, StatusCode},
};
use edge_node::{Edge, Listing};
use protocol::{
    snapshot::Snapshot,
    wire::message::{Epoch, Push, StreamSecret},
};
use serde_json::{Value, json};
use serving::clock::Clock;

const BULK: &str = "/ofrep/v1/evaluate/flags";
const USER: &str = r#"{"context": {"targetingKey": "u"}}"#;
const HOUR: Duration = Duration::from_secs(3_600);

fn first() -> Snapshot {
    snapshot(9, 7, vec![toggle(1, "a", false)])
}

/// An edge with a secret to issue credentials with.
fn edge(changed: &[(&str, &str)]) -> (Edge, Router, Clock) {
    let clock = clock();
    let edge = Edge::new(settings(changed), clock.clone(), None);
    edge.set_stream_secret(&StreamSecret([7; 32]));
    edge.expect(Epoch([1; 16]), &Listing::default());
    edge.apply(&whole(&first()));
    let router = edge.router();
    (edge, router, clock)
}

async fn all(router: &Router, headers: &[(&str, &str)]) -> Answer {
    let headers: Vec<_> = headers
        .iter()
        .copied()
        .chain([("x-api-key", KEY), ("host", "edge.test:8081")])
        .collect();
    post_with(router, BULK, &headers, USER).await
}

async fn address(router: &Router) -> String {
    let answer = all(router, &[]).await.json();
    let streams = answer["eventStreams"].as_array().unwrap();
    assert_eq!((streams.len(), &streams[0]["type"]), (1, &json!("sse")));
    streams[0]["url"].as_str().unwrap().to_owned()
}

/// The path of the stream, with its credential.
async fn path(router: &Router) -> String {
    let address = address(router).await;
    let path = address.strip_prefix("http://edge.test:8081").unwrap();
    path.to_owned()
}

/// The id of the first event of a stream.
async fn seen(router: &Router, path: &str) -> String {
    let mut events = Events::open_with(router, path, &[]).await;
    let greeting = events.next().await.unwrap();
    id_and_tag(greeting.strip_prefix("retry: 3000\n\n").unwrap()).0
}

async fn refused(router: &Router, path: &str) {
    let answer = get(router, path, &[]).await;
    assert_eq!(
        (answer.status, answer.json()),
        (
            StatusCode::UNAUTHORIZED,
            json!({"error": "invalid or missing api key"})
        ),
        "{path}"
    );
}

/// Id and tag of an event.
fn id_and_tag(text: &str) -> (String, Value) {
    let lines: Vec<_> = text.trim_end().lines().collect();
    let ["id", "event", "data"] = [0, 1, 2].map(|line| lines[line].split(": ").next().unwrap())
    else {
        panic!("{text}");
    };
    assert_eq!(lines[1], "event: message");
    let data: Value = serde_json::from_str(&lines[2]["data: ".len()..]).unwrap();
    assert_eq!(data["type"], "refetchEvaluation");
    (lines[0]["id: ".len()..].to_owned(), data["etag"].clone())
}

#[tokio::test]
async fn a_stream_asks_for_a_fetch_at_once_and_after_every_change() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    assert!(path.starts_with("/ofrep/v1/stream?"), "{path}");
    let mut events = Events::open_with(&router, &path, &[]).await;
    assert_eq!(events.status, StatusCode::OK);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    assert_eq!(events.headers["cache-control"], "no-store");
    assert_eq!(events.headers["x-snapshot-version"], "7");

    let greeting = events.next().await.unwrap();
    let (id, tag) = id_and_tag(greeting.strip_prefix("retry: 3000\n\n").unwrap());
    assert_eq!(id, tag);
    assert!(id.starts_with("7-"), "{id}");
    assert!(events.is_silent().await);

    edge.apply(&delta(
        &first(),
        &snapshot(9, 8, vec![toggle(1, "a", true)]),
    ));
    let (id, newer) = id_and_tag(&events.next().await.unwrap());
    assert_eq!(id, newer);
    assert_ne!(newer, tag);
    let current = all(&router, &[]).await;
    assert_eq!(current.json()["flags"][0]["value"], true);
    let beginning = format!("W/\"{}-", newer.as_str().unwrap());
    assert!(current.header("etag").starts_with(&beginning));
}

#[tokio::test]
async fn a_client_that_missed_nothing_is_not_asked_to_fetch_on_its_return() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    let seen = seen(&router, &path).await;
    let last = [("last-event-id", seen.as_str())];
    let mut back = Events::open_with(&router, &path, &last).await;
    assert_eq!(
        back.next().await.unwrap(),
        format!("retry: 3000\nid: {seen}\n\n")
    );
    assert!(back.is_silent().await);

    edge.apply(&delta(
        &first(),
        &snapshot(9, 8, vec![toggle(1, "a", true)]),
    ));
    let newer = id_and_tag(&back.next().await.unwrap()).0;
    assert!(newer.starts_with("8-"), "{newer}");
    let mut late = Events::open_with(&router, &path, &last).await;
    let greeting = late.next().await.unwrap();
    assert_eq!(
        id_and_tag(greeting.strip_prefix("retry: 3000\n\n").unwrap()).0,
        newer
    );
}

#[tokio::test]
async fn a_client_of_a_lost_history_is_asked_to_fetch_at_the_same_version() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    let seen = seen(&router, &path).await;

    edge.expect(Epoch([2; 16]), &Listing::default());
    edge.apply(&whole(&snapshot(9, 7, vec![toggle(1, "a", true)])));
    let last = [("last-event-id", seen.as_str())];
    let mut back = Events::open_with(&router, &path, &last).await;
    let greeting = back.next().await.unwrap();
    let (id, _) = id_and_tag(greeting.strip_prefix("retry: 3000\n\n").unwrap());
    assert!(id.starts_with("7-") && id != seen, "{id}");
}

#[tokio::test]
async fn many_changes_are_one_event_for_a_reader_that_fell_behind() {
    let (edge, router, _) = edge(&[]);
    let mut events = Events::open_with(&router, &path(&router).await, &[]).await;
    events.next().await.unwrap();
    let mut held = first();
    for version in 8..=20 {
        let next = snapshot(9, version, vec![toggle(1, "a", version % 2 == 0)]);
        edge.apply(&delta(&held, &next));
        held = next;
    }
    let (id, _) = id_and_tag(&events.next().await.unwrap());
    assert!(id.starts_with("14-"), "{id}");
    assert!(events.is_silent().await);
}

#[tokio::test]
async fn the_url_stays_for_half_an_hour_and_is_valid_for_an_hour_at_most() {
    let (_edge, router, clock) = edge(&[]);
    let answer = all(&router, &[]).await;
    let tag = answer.header("etag").to_owned();
    let before = address(&router).await;
    clock.advance(HOUR / 2 - Duration::from_secs(1));
    assert_eq!(address(&router).await, before);
    let known = [("if-none-match", tag.as_str())];
    assert_eq!(all(&router, &known).await.status, StatusCode::NOT_MODIFIED);

    // Otherwise a client that is answered "not modified" would be left with a URL about to expire.
    clock.advance(Duration::from_secs(1));
    let renewed = all(&router, &known).await;
    assert_eq!(renewed.status, StatusCode::OK);
    assert_ne!(renewed.header("etag"), tag);
    assert_ne!(address(&router).await, before);

    let old = before.strip_prefix("http://edge.test:8081").unwrap();
    let events = Events::open_with(&router, old, &[]).await;
    assert_eq!(events.status, StatusCode::OK);
    clock.advance(HOUR / 2);
    refused(&router, old).await;
}

#[tokio::test]
async fn a_credential_that_is_missing_forged_or_of_another_secret_is_refused() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    let forged = format!(
        "{}{}",
        &path[..path.len() - 1],
        if path.ends_with('0') { 1 } else { 0 }
    );
    for path in [
        "/ofrep/v1/stream",
        "/ofrep/v1/stream?credential=",
        "/ofrep/v1/stream?credential=00",
        &forged,
    ] {
        refused(&router, path).await;
    }
    // The key itself opens only the native stream.
    let with_key = get(&router, "/ofrep/v1/stream", &[("x-api-key", KEY)]).await;
    assert_eq!(with_key.status, StatusCode::UNAUTHORIZED);

    edge.set_stream_secret(&StreamSecret([8; 32]));
    refused(&router, &path).await;
}

#[tokio::test]
async fn a_revoked_key_ends_its_streams_and_its_credentials() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    let mut events = Events::open_with(&router, &path, &[]).await;
    events.next().await.unwrap();
    let mut revoked = first();
    revoked.head.version = 8;
    revoked.keys.clear();
    edge.apply(&delta(&first(), &revoked));
    assert_eq!(events.next().await, None);
    refused(&router, &path).await;
}

#[tokio::test]
async fn credentials_end_when_their_key_opens_another_environment() {
    let (edge, router, _) = edge(&[]);
    let path = path(&router).await;
    edge.apply(&Push::Removed { env_id: env_id(9) });
    refused(&router, &path).await;
    edge.apply(&whole(&snapshot(10, 3, Vec::new())));
    refused(&router, &path).await;
}

#[tokio::test]
async fn streams_of_both_kinds_share_the_limits_of_a_key() {
    let (_edge, router, _) = edge(&[("STREAMS_PER_KEY", "1"), ("RATE_EVALUATION", "4")]);
    let path = path(&router).await;
    let open = Events::open(&router, "/v1/stream/dev", KEY).await;
    let refused = get(&router, &path, &[]).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.json(), json!({"error": "too many open streams"}));
    drop(open);
    let events = Events::open_with(&router, &path, &[]).await;
    assert_eq!(events.status, StatusCode::OK);

    let beyond = get(&router, &path, &[]).await;
    assert_eq!(beyond.json(), json!({"error": "rate limit exceeded"}));
    assert_eq!(beyond.header("retry-after"), "15");
}

#[tokio::test]
async fn the_url_has_the_host_that_the_client_used_or_the_one_that_is_set() {
    let named = async |router: &Router, peer: [u8; 4], headers: &[(&str, &str)]| {
        let request = with_headers(Request::post(BULK), headers)
            .header("x-api-key", KEY)
            .header("content-type", "application/json")
            .extension(ConnectInfo(std::net::SocketAddr::from((peer, 4711))));
        let answer = send_from(router, request.body(Body::from(USER)).unwrap()).await;
        let url = answer.json()["eventStreams"][0]["url"].clone();
        url.as_str()
            .map(|url| url.split("/ofrep/").next().unwrap().to_owned())
    };
    let tls = ("x-forwarded-proto", "https");
    let host = ("host", "edge.test");
    let (_kept, plain, _) = edge(&[("TRUSTED_PROXIES", "10.0.0.0/8")]);
    let of = |text: &str| Some(text.to_owned());
    assert_eq!(
        named(&plain, [9, 9, 9, 9], &[host]).await,
        of("http://edge.test")
    );
    assert_eq!(
        named(&plain, [9, 9, 9, 9], &[host, tls]).await,
        of("http://edge.test")
    );
    assert_eq!(
        named(&plain, [10, 0, 0, 1], &[host, tls]).await,
        of("https://edge.test")
    );
    assert_eq!(named(&plain, [10, 0, 0, 1], &[]).await, None);
    for odd in ["a b", "user@edge.test", "\"", "edge.test/path", ""] {
        assert_eq!(
            named(&plain, [10, 0, 0, 1], &[("host", odd)]).await,
            None,
            "{odd}"
        );
    }

    let (_kept, set, _) = edge(&[("EDGE_PUBLIC_URL", "https://flags.example.com/eu/")]);
    assert_eq!(
        named(&set, [9, 9, 9, 9], &[host]).await,
        of("https://flags.example.com/eu")
    );
}
