//! Environments to serve, and requests to an edge in this process.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, BodyDataStream, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode, request::Builder},
};
use edge_node::{Edge, EdgeSettings, Listing, Outcome};
use futures_util::StreamExt;
use protocol::{
    digest,
    ids::EnvId,
    snapshot::{ApiKey, Condition, Delta, Flag, FlagState, Head, Rule, Snapshot},
    wire::message::{Epoch, Held, Listed, Push},
};
use serde_json::Value;
use serving::{
    clock::Clock,
    layers,
    listener::{Application, Limits},
    settings::Reader,
};
use sha2::{Digest as _, Sha256};
use time::macros::datetime;
use tokio::time::timeout;
use tower::ServiceExt;
use uuid::Uuid;

/// The key that [`snapshot`] admits.
pub(crate) const KEY: &str = "srv_0123456789abcdef0123456789abcdef0123456789abcdef";
/// A key that arrives later.
pub(crate) const LATE: &str = "cli_0123456789abcdef0123456789abcdef0123456789abcdef";
/// Nobody's key.
pub(crate) const NOBODY: &str = "srv_ffffffffffffffffffffffffffffffffffffffffffffffff";

/// Far longer than anything here takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Limits that no test reaches.
pub(crate) const LIMITS: Limits = Limits {
    header_timeout: PATIENCE,
    keep_alive_timeout: PATIENCE,
    slow_reader_timeout: PATIENCE,
    connections_per_network: 0,
    drain_deadline: PATIENCE,
};

pub(crate) fn id<T: From<Uuid>>(number: u128) -> T {
    Uuid::from_u128(number).into()
}

pub(crate) fn key(text: &str, expires_at_ms: Option<i64>) -> ApiKey {
    ApiKey {
        id: id(1),
        hash: Sha256::digest(text).into(),
        expires_at_ms,
    }
}

/// A boolean flag that is on or off.
pub(crate) fn toggle(number: u128, key: &str, enabled: bool) -> Flag {
    Flag {
        id: id(number),
        key: key.to_owned(),
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled,
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

/// A rule for users whose attribute has one of the values.
pub(crate) fn rule(attribute: &str, values: &[&str]) -> Rule {
    Rule {
        id: "rule".to_owned(),
        conditions: vec![Condition {
            attribute: attribute.to_owned(),
            operator: "in".to_owned(),
            values: values.iter().map(|&value| value.to_owned()).collect(),
        }],
        percentage: 10_000,
        ..Rule::default()
    }
}

/// Environment number `env`, with slug `dev` and the key [`KEY`].
pub(crate) fn snapshot(env: u128, version: u64, flags: Vec<Flag>) -> Snapshot {
    let head = Head {
        org_id: id(1),
        project_id: id(2),
        env_id: id(env),
        slug: "dev".to_owned(),
        version,
    };
    Snapshot {
        head,
        flags,
        keys: vec![key(KEY, None)],
        ..Snapshot::default()
    }
}

/// An environment, as a greeting lists it.
pub(crate) fn listed(snapshot: &Snapshot) -> Listed {
    Listed {
        env_id: snapshot.head.env_id,
        version: snapshot.head.version,
        digest: Some(digest::of(snapshot)),
    }
}

/// What belongs to the edge: these.
pub(crate) fn listing<'a>(snapshots: impl IntoIterator<Item = &'a Snapshot>) -> Listing {
    Listing {
        environments: snapshots.into_iter().map(listed).collect(),
        ..Listing::default()
    }
}

pub(crate) fn held(snapshot: &Snapshot) -> Held {
    Held {
        env_id: snapshot.head.env_id,
        version: snapshot.head.version,
        digest: digest::of(snapshot),
    }
}

pub(crate) fn whole(snapshot: &Snapshot) -> Push {
    Push::Snapshot(snapshot.clone(), digest::of(snapshot))
}

/// The push that leads from one snapshot to another: the flags that differ, and all keys.
pub(crate) fn delta(from: &Snapshot, to: &Snapshot) -> Push {
    let flags = to
        .flags
        .iter()
        .filter(|flag| !from.flags.contains(flag))
        .cloned()
        .collect();
    let removed = from
        .flags
        .iter()
        .filter(|old| to.flags.iter().all(|flag| flag.key != old.key));
    let gone = from
        .keys
        .iter()
        .filter(|old| to.keys.iter().all(|key| key.hash != old.hash));
    Push::Delta(Delta {
        head: to.head.clone(),
        base: from.head.version,
        digest: digest::of(to),
        flags,
        removed_flags: removed
            .map(|flag| protocol::snapshot::RemovedFlag {
                id: flag.id,
                key: flag.key.clone(),
            })
            .collect(),
        keys: to.keys.clone(),
        removed_keys: gone.map(|key| key.hash).collect(),
        ..Delta::default()
    })
}

/// A clock that stands still.
pub(crate) fn clock() -> Clock {
    Clock::manual(datetime!(2026-01-01 00:00 UTC))
}

/// An edge that serves `on` and `off` at version 7.
pub(crate) fn serving(changed: &[(&str, &str)]) -> (Edge, Router) {
    let edge = Edge::new(settings(changed), clock(), None);
    edge.expect(Epoch([1; 16]), &Listing::default());
    let flags = vec![toggle(1, "off", false), toggle(2, "on", true)];
    let outcome = edge.apply(&whole(&snapshot(9, 7, flags)));
    assert_eq!(
        outcome,
        Outcome::Applied {
            env_id: env_id(9),
            version: 7
        }
    );
    let router = router(&edge);
    (edge, router)
}

/// What the process serves.
pub(crate) fn router(edge: &Edge) -> Router {
    let front = Arc::new(edge.front(layers::common(edge.router())));
    let answer =
        move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request| front.answer(request, peer);
    Router::new().fallback(answer)
}

/// The settings of an edge, with some of them changed.
pub(crate) fn settings(changed: &[(&str, &str)]) -> EdgeSettings {
    let source: BTreeMap<String, String> = changed
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut reader = Reader::new(&source);
    let settings = EdgeSettings::load(&mut reader);
    reader.finish().unwrap();
    settings
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends a request as a client on this machine would.
pub(crate) async fn send(router: &Router, mut request: Request<Body>) -> Answer {
    let peer: SocketAddr = ([127, 0, 0, 1], 4711).into();
    request.extensions_mut().insert(ConnectInfo(peer));
    send_from(router, request).await
}

/// Sends a request that names its own origin.
pub(crate) async fn send_from(router: &Router, request: Request<Body>) -> Answer {
    let response = router.clone().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    Answer {
        status: head.status,
        headers: head.headers,
        body: String::from_utf8(body.to_vec()).unwrap(),
    }
}

pub(crate) async fn post(router: &Router, path: &str, key: &str, body: &str) -> Answer {
    post_with(router, path, &[("x-api-key", key)], body).await
}

pub(crate) async fn post_with(
    router: &Router,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Answer {
    let request = with_headers(Request::post(path), headers);
    let request = request.header("content-type", "application/json");
    send(router, request.body(Body::from(body.to_owned())).unwrap()).await
}

pub(crate) async fn get(router: &Router, path: &str, headers: &[(&str, &str)]) -> Answer {
    let request = with_headers(Request::get(path), headers);
    send(router, request.body(Body::empty()).unwrap()).await
}

pub(crate) fn with_headers(request: Builder, headers: &[(&str, &str)]) -> Builder {
    headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    })
}

/// What one flag evaluates to, as `value reason`.
pub(crate) async fn evaluate(router: &Router, flag: &str) -> String {
    let body = format!(r#"{{"flag_key": "{flag}", "context": {{"key": "user-1"}}}}"#);
    let answer = post(router, "/v1/evaluate", KEY, &body).await;
    let json = answer.json();
    match json.get("reason") {
        Some(reason) => format!("{} {}", json["value"], reason.as_str().unwrap()),
        None => answer.status.to_string(),
    }
}

/// An open stream.
pub(crate) struct Events {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: BodyDataStream,
}

impl Events {
    pub(crate) async fn open(router: &Router, path: &str, key: &str) -> Self {
        Self::open_with(router, path, &[("x-api-key", key)]).await
    }

    pub(crate) async fn open_with(router: &Router, path: &str, headers: &[(&str, &str)]) -> Self {
        let peer: SocketAddr = ([127, 0, 0, 1], 4711).into();
        let request = with_headers(Request::get(path), headers).extension(ConnectInfo(peer));
        let response = router
            .clone()
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap();
        let (head, body) = response.into_parts();
        Self {
            status: head.status,
            headers: head.headers,
            body: body.into_data_stream(),
        }
    }

    /// The next piece of text; nothing when the stream ended.
    pub(crate) async fn next(&mut self) -> Option<String> {
        let piece = timeout(PATIENCE, self.body.next())
            .await
            .expect("the stream is silent");
        piece.map(|piece| String::from_utf8(piece.unwrap().to_vec()).unwrap())
    }

    /// Whether nothing arrives for a moment.
    pub(crate) async fn is_silent(&mut self) -> bool {
        timeout(Duration::from_millis(100), self.body.next())
            .await
            .is_err()
    }
}

/// The id of environment number `env`.
pub(crate) fn env_id(env: u128) -> EnvId {
    id(env)
}
