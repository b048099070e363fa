//! What SDKs get that evaluate in their own process, and what they report.

use std::net::SocketAddr;

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode},
};
use data_encoding::BASE64;
use edge_node::Edge;
use protocol::{
    eval::Environment,
    reason::Reason,
    snapshot::Snapshot,
    wire::{
        frame,
        merge::decode,
        message::{Epoch, Push},
        sdk::{self, Count, MEDIA_TYPE, Report, Shown},
        usage::UsageBatch,
    },
};
use tower::ServiceExt;

use crate::support::*;

const SNAPSHOT: &str = "/v1/sdk/snapshot";
const STREAM: &str = "/v1/sdk/stream";
const USAGE: &str = "/v1/sdk/usage";

struct Bytes {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Bytes {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    fn error(&self) -> (u16, &str) {
        (self.status.as_u16(), str::from_utf8(&self.body).unwrap())
    }

    /// The environment in a snapshot.
    fn read(&self) -> (Snapshot, Environment) {
        assert_eq!(self.status, StatusCode::OK, "{:?}", self.error());
        assert_eq!(self.header("content-type"), MEDIA_TYPE);
        let Push::Snapshot(snapshot, digest) = decode(env_id(9), &self.body).unwrap() else {
            panic!("not a snapshot")
        };
        assert_eq!(snapshot.keys, []);
        let environment = Environment::prepare(&snapshot).unwrap();
        assert_eq!(environment.digest(), digest);
        let version = snapshot.head.version;
        assert_eq!(self.header("x-snapshot-version"), version.to_string());
        let tag = sdk::tag(version, digest);
        assert_eq!(self.header("etag"), format!("\"{tag}\""));
        (snapshot, environment)
    }
}

async fn answer(router: &Router, request: Request<Body>) -> Bytes {
    let mut request = request;
    let peer: SocketAddr = ([127, 0, 0, 1], 4711).into();
    request.extensions_mut().insert(ConnectInfo(peer));
    let (head, body) = router.clone().oneshot(request).await.unwrap().into_parts();
    Bytes {
        status: head.status,
        headers: head.headers,
        body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
    }
}

async fn fetch(router: &Router, headers: &[(&str, &str)]) -> Bytes {
    let request = with_headers(Request::get(SNAPSHOT), headers);
    answer(router, request.body(Body::empty()).unwrap()).await
}

async fn report(router: &Router, body: Vec<u8>) -> Bytes {
    let headers = [("x-api-key", KEY), ("content-type", MEDIA_TYPE)];
    let request = with_headers(Request::post(USAGE), &headers);
    answer(router, request.body(Body::from(body)).unwrap()).await
}

fn state(version: u64, numbers: impl IntoIterator<Item = u128>) -> Snapshot {
    let flags = numbers.into_iter();
    let flags = flags.map(|number| toggle(number, &format!("flag-{number:03}"), number % 2 == 0));
    let mut snapshot = snapshot(9, version, flags.collect());
    snapshot.keys.push(key(LATE, None));
    snapshot
}

fn in_process(held: &Snapshot, changed: &[(&str, &str)]) -> (Edge, Router) {
    let edge = Edge::new(settings(changed), clock(), None);
    edge.expect(Epoch([1; 16]), &listing([held]));
    edge.apply(&whole(held));
    let router = router(&edge);
    (edge, router)
}

/// The next event of a stream: its name, id and data.
async fn event(events: &mut Events) -> (String, String, String) {
    let text = events.next().await.expect("the stream has ended");
    let text = text.split("\n\n").find(|event| event.contains("event: "));
    let text = text.expect("no event");
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_default().to_owned()
    };
    (field("event: "), field("id: "), field("data: "))
}

#[tokio::test]
async fn a_snapshot_is_the_environment_without_its_keys() {
    let (_edge, router) = in_process(&state(7, 1..=20), &[]);
    let (snapshot, environment) = fetch(&router, &[("x-api-key", KEY)]).await.read();
    assert_eq!(environment.len(), 20);
    assert_eq!(snapshot.flags, state(7, 1..=20).flags);

    let tag = fetch(&router, &[("x-api-key", KEY)]).await;
    let known = [("x-api-key", KEY), ("if-none-match", tag.header("etag"))];
    let same = fetch(&router, &known).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));
    assert_eq!(same.header("etag"), tag.header("etag"));
    assert_eq!(same.header("x-snapshot-version"), "7");
}

#[tokio::test]
async fn only_servers_get_it_in_a_format_that_they_read() {
    let (_edge, router) = in_process(&state(7, 1..=2), &[]);
    let forbidden = r#"{"error":"a server API key is required"}"#;
    let unauthorized = r#"{"error":"invalid or missing api key"}"#;
    assert_eq!(
        fetch(&router, &[("x-api-key", LATE)]).await.error(),
        (403, forbidden)
    );
    assert_eq!(fetch(&router, &[]).await.error(), (401, unauthorized));
    let nobody = fetch(&router, &[("x-api-key", NOBODY)]).await;
    assert_eq!(nobody.error(), (401, unauthorized));
    for path in [STREAM, SNAPSHOT] {
        let in_query = get(&router, &format!("{path}?api_key={KEY}"), &[]).await;
        assert_eq!(in_query.status, 401);
        let refused = get(&router, path, &[("x-api-key", LATE)]).await;
        assert_eq!((refused.status.as_u16(), &*refused.body), (403, forbidden));
    }

    let formats = r#"{"error":"formats that are served here: 1"}"#;
    let other = [
        ("x-api-key", KEY),
        ("accept", "application/vnd.halyard.sdk; format=2"),
    ];
    assert_eq!(fetch(&router, &other).await.error(), (406, formats));
    let path = format!("{STREAM}?format=2");
    let other = get(&router, &path, &[("x-api-key", KEY)]).await;
    assert_eq!((other.status.as_u16(), &*other.body), (406, formats));
}

#[tokio::test]
async fn deltas_lead_to_what_a_fresh_snapshot_holds() {
    let mut held = state(7, 1..=40);
    let (edge, router) = in_process(&held, &[]);
    let mut events = Events::open(&router, STREAM, KEY).await;
    assert_eq!(events.status, 200);
    let (mut snapshot, mut environment) = fetch(&router, &[("x-api-key", KEY)]).await.read();
    let (name, id, data) = event(&mut events).await;
    assert_eq!((&*name, &*id), ("at", &*sdk::tag(7, environment.digest())));
    assert_eq!(data, format!("{{\"version\":7,\"tag\":\"{id}\"}}"));

    for version in 8..=200 {
        let mut next = held.clone();
        next.head.version = version;
        match rand::random_range(0..10) {
            0 if !next.flags.is_empty() => drop(next.flags.remove(0)),
            // Nothing but a key.
            1 => next.keys.push(key(&format!("srv_{version:048x}"), None)),
            _ => {
                let place = rand::random_range(0..next.flags.len());
                next.flags[place].default_value = format!("\"{version}\"");
            }
        }
        next.keys.sort_by_key(|key| key.hash);
        edge.apply(&delta(&held, &next));
        held = next;
        let (name, id, data) = event(&mut events).await;
        assert_eq!(name, "delta");
        let frame = BASE64.decode(data.as_bytes()).unwrap();
        let Push::Delta(delta) = decode(env_id(9), &frame).unwrap() else {
            panic!("not a delta")
        };
        assert!(delta.keys.is_empty() && delta.removed_keys.is_empty());
        environment = environment.apply(&delta).unwrap();
        snapshot.apply(delta).unwrap();
        assert_eq!(id, sdk::tag(version, environment.digest()));
    }
    let (fresh, _) = fetch(&router, &[("x-api-key", KEY)]).await.read();
    assert_eq!(fresh, snapshot);
    assert_eq!(fresh.flags, held.flags);
    assert!(events.is_silent().await);
}

#[tokio::test]
async fn another_whole_is_to_be_fetched_and_a_revoked_key_ends_the_stream() {
    let held = state(7, 1..=4);
    let (edge, router) = in_process(&held, &[]);
    let mut events = Events::open(&router, STREAM, KEY).await;
    event(&mut events).await;
    let mut other = state(3, 2..=9);
    other.head.version = 12;
    edge.apply(&whole(&other));
    let (_, environment) = fetch(&router, &[("x-api-key", KEY)]).await.read();
    let tag = sdk::tag(12, environment.digest());
    let data = format!("{{\"version\":12,\"tag\":\"{tag}\"}}");
    let refetch = ("refetch".to_owned(), tag, data);
    assert_eq!(event(&mut events).await, refetch);

    let mut without = other.clone();
    without.head.version = 13;
    without.keys.remove(0);
    edge.apply(&delta(&other, &without));
    assert_eq!(events.next().await, None);
}

fn counts(counts: &[(&str, Reason, &str, u64)]) -> Vec<Count> {
    let counts = counts.iter();
    let count = |(flag_key, reason, value, count): &(&str, Reason, &str, u64)| Count {
        flag_key: (*flag_key).to_owned(),
        reason: *reason,
        value: (*value).to_owned(),
        variant_key: String::new(),
        count: *count,
    };
    counts.map(count).collect()
}

/// The batches since the last call.
fn uploaded(edge: &Edge) -> UsageBatch {
    edge.collect_usage();
    let Some(batch) = edge.oldest_usage() else {
        return UsageBatch::default();
    };
    edge.usage_stored(batch.boot, batch.sequence);
    UsageBatch::clone(&batch)
}

#[tokio::test]
async fn a_report_is_counted_once_among_what_the_edge_counts() {
    let (edge, router) = in_process(&state(7, 1..=4), &[]);
    let shown = |user: &str, age_ms| Shown {
        flag_key: "flag-001".to_owned(),
        variant_key: "a".to_owned(),
        user_key: user.to_owned(),
        age_ms,
    };
    let first = Report {
        instance: [5; 16],
        sequence: 1,
        counts: counts(&[
            ("flag-002", Reason::Fallthrough, "true", 1_000),
            ("flag-003", Reason::Disabled, "false", 7),
            ("nowhere", Reason::NotFound, "null", 3),
            ("deleted", Reason::Fallthrough, "true", 2),
        ]),
        impressions: vec![shown("u1", 1_500), shown("u2", u64::MAX)],
    };
    let body = frame::encode(&first).unwrap();
    for _ in 0..2 {
        let taken = report(&router, body.clone()).await;
        assert_eq!((taken.status.as_u16(), &*taken.body), (204, &b""[..]));
    }
    evaluate(&router, "flag-002").await;
    let batch = uploaded(&edge);
    let mut counted: Vec<_> = batch
        .evaluations
        .iter()
        .map(|count| {
            format!(
                "{} {} {} {}",
                count.flag_key, count.reason, count.value, count.count
            )
        })
        .collect();
    counted.sort();
    assert_eq!(
        counted,
        [
            "deleted NOT_FOUND null 2",
            "flag-002 FALLTHROUGH true 1001",
            "flag-003 DISABLED false 7",
            "nowhere NOT_FOUND null 3",
        ]
    );
    let now_ms = clock().unix_ms();
    let at: Vec<_> = batch
        .impressions
        .iter()
        .map(|shown| now_ms - shown.at_ms)
        .collect();
    assert_eq!(at, [1_500, 24 * 60 * 60 * 1_000]);

    let next = Report {
        sequence: 2,
        counts: counts(&[("flag-002", Reason::Fallthrough, "true", 5)]),
        impressions: Vec::new(),
        ..first
    };
    report(&router, frame::encode(&next).unwrap()).await;
    report(&router, body).await;
    let batch = uploaded(&edge);
    assert_eq!(batch.evaluations.len(), 1);
    assert_eq!(
        (batch.evaluations[0].count, batch.impressions.len()),
        (5, 0)
    );
}

#[tokio::test]
async fn reports_that_break_a_rule_are_refused() {
    let (edge, router) = in_process(&state(7, 1..=4), &[]);
    let refused = async |body: Vec<u8>| {
        let answer = report(&router, body).await;
        let (status, body) = answer.error();
        (status, body.to_owned())
    };
    let error = |status, words: &str| (status, format!("{{\"error\":\"{words}\"}}"));
    assert_eq!(
        refused(b"no".to_vec()).await,
        error(400, "the report is not a frame")
    );
    assert_eq!(
        refused(vec![9, 0, 0, 0, 0, 1]).await,
        error(
            400,
            "the report is damaged: payload of 1 bytes, the header says 9"
        )
    );
    let too_large = error(413, "a report has at most 1048576 bytes");
    assert_eq!(refused(vec![255, 255, 255, 255, 0]).await, too_large);
    // It compresses to next to nothing.
    let bomb = frame::encode(&"a".repeat(2 << 20)).unwrap();
    assert!(bomb.len() < 1_000);
    assert_eq!(refused(bomb).await, too_large);
    let many = vec![counts(&[("f", Reason::Disabled, "", 1)])[0].clone(); 10_001];
    let many = Report {
        counts: many,
        ..Report::default()
    };
    assert_eq!(
        refused(frame::encode(&many).unwrap()).await,
        error(
            400,
            "the report has 10001 entries of a kind, at most 10000 are accepted"
        )
    );
    let nul = Report {
        counts: counts(&[("\0", Reason::NotFound, "null", 1)]),
        ..Report::default()
    };
    assert_eq!(
        refused(frame::encode(&nul).unwrap()).await,
        error(400, "text must not contain NUL characters")
    );

    let json = post(&router, USAGE, KEY, "{}").await;
    assert_eq!(
        (json.status.as_u16(), json.body),
        error(415, &format!("content type must be {MEDIA_TYPE}"))
    );
    assert_eq!(uploaded(&edge).evaluations, []);
}

#[tokio::test]
async fn a_report_costs_as_much_as_it_holds() {
    let (edge, router) = in_process(&state(7, 1..=4), &[("RATE_EVALUATION", "100")]);
    let entry = counts(&[("nowhere", Reason::NotFound, "null", 1)])[0].clone();
    let large = |sequence| Report {
        sequence,
        counts: vec![entry.clone(); 1_000],
        ..Report::default()
    };
    let body = frame::encode(&large(1)).unwrap();
    assert!(body.len() < 1_024, "it compresses well: {}", body.len());
    let first = report(&router, body).await;
    assert_eq!(first.status, 204);
    let left: u32 = first.header("x-ratelimit-remaining").parse().unwrap();
    assert!(left < 60, "{left}");
    let second = report(&router, frame::encode(&large(2)).unwrap()).await;
    let third = report(&router, frame::encode(&large(3)).unwrap()).await;
    assert!(second.status == 429 || third.status == 429);
    assert!(uploaded(&edge).evaluations[0].count <= 2_000);
}
