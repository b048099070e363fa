//! Requests to an edge: bodies and headers of evaluations, OFREP, defaults, tracking, reports of SDKs and event streams.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{Method, Request, header::CONTENT_TYPE},
};
use edge_node::{Edge, EdgeSettings, Listing};
use protocol::{
    digest,
    snapshot::{ApiKey, Condition, Flag, FlagState, Head, Rule, Snapshot},
    wire::message::{Epoch, Push},
};
use serde_json::Value;
use serving::{clock::Clock, layers, listener::Application as _, settings::Reader};
use sha2::{Digest as _, Sha256};
use time::macros::datetime;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;
use uuid::Uuid;

const KEY: &str = "srv_0123456789abcdef0123456789abcdef0123456789abcdef";

const REQUESTS: [(Method, &str); 12] = [
    (Method::POST, "/v1/evaluate"),
    (Method::POST, "/v1/evaluate/bulk"),
    (Method::POST, "/ofrep/v1/evaluate/flags/on"),
    (Method::POST, "/ofrep/v1/evaluate/flags"),
    (Method::POST, "/v1/defaults"),
    (Method::POST, "/v1/track"),
    (Method::POST, "/v1/sdk/usage"),
    (Method::GET, "/v1/client/dev/flags"),
    (Method::GET, "/v1/sdk/snapshot"),
    (Method::GET, "/v1/stream/dev"),
    (Method::GET, "/ofrep/v1/stream"),
    (Method::GET, "/v1/sdk/stream"),
];

/// Headers whose values callers choose.
const HEADERS: [&str; 6] = [
    "last-event-id",
    "if-none-match",
    "halyard-default",
    "halyard-service",
    "accept",
    "content-type",
];

struct Scene {
    runtime: Runtime,
    router: Router,
}

thread_local! {
    static SCENE: Scene = Scene::new();
}

/// The first byte is the request, the line after it a query and headers by their numbers, the rest is the body. There is an answer,
/// which is no fault of the edge.
pub(crate) fn run(bytes: &[u8]) {
    let (which, rest) = crate::choice(bytes);
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let (line, body) = rest.split_at(end);
    let (method, path) = &REQUESTS[usize::from(which) % REQUESTS.len()];
    let mut parts = line.split(|byte| *byte == b'\t');
    let query = parts.next().unwrap_or_default();
    let query = String::from_utf8_lossy(query);
    let mut request = Request::builder()
        .method(method)
        .uri(format!("{path}?{query}"));
    request = request.header("x-api-key", KEY);
    if *method == Method::POST {
        request = request.header(CONTENT_TYPE, "application/json");
    }
    for part in parts {
        let (header, value) = crate::choice(part);
        request = request.header(HEADERS[usize::from(header) % HEADERS.len()], value);
    }
    let Ok(mut request) = request.body(Body::from(
        body.strip_prefix(b"\n").unwrap_or(body).to_vec(),
    )) else {
        return;
    };
    let peer: SocketAddr = ([127, 0, 0, 1], 4711).into();
    request.extensions_mut().insert(ConnectInfo(peer));
    SCENE.with(|scene| scene.runtime.block_on(scene.ask(request)));
}

impl Scene {
    fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let guard = runtime.enter();
        let clock = Clock::manual(datetime!(2026-01-01 00:00 UTC));
        let edge = Edge::new(settings(), clock, None);
        edge.expect(Epoch([1; 16]), &Listing::default());
        let contents = contents();
        let digest = digest::of(&contents);
        edge.apply(&Push::Snapshot(contents, digest));
        let front = Arc::new(edge.front(layers::common(edge.router())));
        let answer =
            move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request| front.answer(request, peer);
        drop(guard);
        Self {
            runtime,
            router: Router::new().fallback(answer),
        }
    }

    async fn ask(&self, request: Request<Body>) {
        let is_stream = request.uri().path().contains("stream");
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        assert!(!status.is_server_error(), "{status}");
        if is_stream && status.is_success() {
            return;
        }
        let is_json = answer
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|value| value == "application/json");
        let body = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        if is_json {
            drop(serde_json::from_slice::<Value>(&body).unwrap());
        }
    }
}

/// Without limits of rates and streams.
fn settings() -> EdgeSettings {
    let set = [("RATE_EVALUATION", "0"), ("STREAMS_PER_KEY", "0")];
    let set: BTreeMap<String, String> = set
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut reader = Reader::new(&set);
    let settings = EdgeSettings::load(&mut reader);
    reader.finish().unwrap();
    settings
}

fn contents() -> Snapshot {
    let id = Uuid::from_u128;
    let operators = ["in", "matches", "semver_gt", "before", "gt", "contains"];
    let rules = operators.iter().map(|operator| Rule {
        id: (*operator).to_owned(),
        conditions: vec![Condition {
            attribute: (*operator).to_owned(),
            operator: (*operator).to_owned(),
            values: vec!["1.2.3".to_owned()],
        }],
        percentage: 5_000,
        ..Rule::default()
    });
    let flag = |number: u128, key: &str, rules: Vec<Rule>| Flag {
        id: id(number).into(),
        key: key.to_owned(),
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled: true,
            rules,
            ..FlagState::default()
        }),
        ..Flag::default()
    };
    Snapshot {
        head: Head {
            org_id: id(1).into(),
            project_id: id(2).into(),
            env_id: id(3).into(),
            slug: "dev".to_owned(),
            version: 7,
        },
        flags: vec![flag(1, "on", Vec::new()), flag(2, "ruled", rules.collect())],
        keys: vec![ApiKey {
            id: id(4).into(),
            hash: Sha256::digest(KEY).into(),
            expires_at_ms: None,
        }],
        ..Snapshot::default()
    }
}
