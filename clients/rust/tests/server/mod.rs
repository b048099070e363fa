//! An edge for tests: a server that speaks what SDKs speak, and does what the test wants.

#![allow(dead_code, unreachable_pub, reason = "a module of several tests")]

pub mod signing;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use data_encoding::BASE64;
use futures_util::stream;
use halyard::{
    Client,
    snapshot::{Delta, Flag, Head, Snapshot},
};
use protocol::{
    eval::Environment,
    timestamp::{Register, leaf},
    wire::{
        codec,
        frame::{self, FrameHeader},
        message::Push,
        sdk::{self, MEDIA_TYPE, REPORT_LIMIT, Report},
        signed,
    },
};
use tokio::{net::TcpListener, sync::broadcast, task::AbortHandle, time::Instant};
use uuid::Uuid;

use self::signing::Signing;

pub const KEY: &str = "srv_000000000000000000000000000000000000000000000000";

/// A running server; dropping it ends it.
pub struct Server {
    pub url: String,
    inner: Arc<Mutex<Inner>>,
    task: AbortHandle,
}

struct Inner {
    snapshot: Snapshot,
    signing: Signing,
    /// Answered to everything instead of what it should be.
    refusal: Option<StatusCode>,
    /// Answered to so many reports after they were taken.
    report_failures: usize,
    events: broadcast::Sender<String>,
    reports: Vec<Report>,
    snapshots: usize,
    streams: usize,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    pub async fn start(snapshot: Snapshot) -> Self {
        let inner = Arc::new(Mutex::new(Inner {
            snapshot,
            signing: Signing::Nothing,
            refusal: None,
            report_failures: 0,
            events: broadcast::Sender::new(1_000),
            reports: Vec::new(),
            snapshots: 0,
            streams: 0,
        }));
        let routes = Router::new()
            .route("/below/v1/sdk/snapshot", get(answer_snapshot))
            .route("/below/v1/sdk/stream", get(answer_stream))
            .route("/below/v1/sdk/usage", post(take_usage))
            .with_state(Arc::clone(&inner));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/below/", listener.local_addr().unwrap());
        let serving = async move { axum::serve(listener, routes).await.unwrap() };
        let task = tokio::spawn(serving).abort_handle();
        Self { url, inner, task }
    }

    pub fn client(&self) -> halyard::Builder {
        Client::builder(KEY, &self.url).usage_interval(Duration::from_millis(20))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// Refuses everything, and ends the streams; or serves again.
    pub fn refuse(&self, refusal: Option<StatusCode>) {
        let mut inner = self.inner();
        inner.refusal = refusal;
        inner.events = broadcast::Sender::new(1_000);
    }

    /// Takes so many of the next reports, and then answers as if it had not.
    pub fn fail_reports(&self, times: usize) {
        self.inner().report_failures = times;
    }

    /// Changes a flag, and the delta of it, which was not sent yet.
    pub fn change(&self, flag: Flag) -> Delta {
        let mut inner = self.inner();
        let held = inner.snapshot.clone();
        let mut delta = Delta {
            head: Head {
                version: held.head.version + 1,
                ..held.head.clone()
            },
            base: held.head.version,
            flags: vec![flag],
            ..Delta::default()
        };
        let mut after = held;
        after.head = delta.head.clone();
        after.flags.retain(|flag| flag.key != delta.flags[0].key);
        after.flags.push(delta.flags[0].clone());
        after.flags.sort_by(|a, b| a.key.cmp(&b.key));
        delta.digest = protocol::digest::of(&after);
        inner.snapshot = after;
        delta
    }

    /// Sends an event on all streams.
    pub fn send(&self, name: &str, data: &str) {
        let event = format!("id: x\nevent: {name}\ndata: {data}\n\n");
        _ = self.inner().events.send(event);
    }

    pub fn send_delta(&self, delta: &Delta) {
        let push = self.inner().push(&Push::Delta(delta.clone()));
        self.send("delta", &BASE64.encode(&push));
    }

    /// Sends the proof that a version was current, signed by a key, at a time in Unix milliseconds.
    pub fn send_proof(&self, env_id: Uuid, version: u64, key: u8, at_ms: i64) {
        let leaves = vec![leaf(env_id.into(), version), [7; 16], [9; 16]];
        let register = Register::sign(&signing::key(key), leaves, at_ms);
        let proof = register.prove(env_id.into(), version).unwrap();
        self.send("proof", &BASE64.encode(&codec::encode(&proof)));
    }

    /// Signs from now on what is served, as it is then; at a time in Unix milliseconds.
    pub fn sign(&self, key: u8, at_ms: i64) {
        self.inner().signing = Signing::By(signing::key(key), at_ms);
    }

    /// Signs nothing from now on.
    pub fn sign_nothing(&self) {
        self.inner().signing = Signing::Nothing;
    }

    /// From now on the signature of what is served now stands behind everything.
    pub fn keep_signature(&self) {
        let mut inner = self.inner();
        let signature = inner.signing.signature(&inner.snapshot).unwrap();
        inner.signing = Signing::Always(signature);
    }

    pub fn send_refetch(&self) {
        let data = at(&self.inner().snapshot);
        self.send("refetch", &data);
    }

    /// Serves something else, without telling.
    pub fn replace(&self, snapshot: Snapshot) {
        self.inner().snapshot = snapshot;
    }

    pub fn reports(&self) -> Vec<Report> {
        self.inner().reports.clone()
    }

    /// How often a whole environment was fetched, and a stream was opened.
    pub fn fetched(&self) -> (usize, usize) {
        let inner = self.inner();
        (inner.snapshots, inner.streams)
    }
}

impl Inner {
    /// A push that leads to what is served, and the signature behind it.
    fn push(&self, push: &Push) -> Vec<u8> {
        let signature = self.signing.signature(&self.snapshot);
        signed::with(frame::encode(push).unwrap(), signature.as_ref())
    }
}

fn at(snapshot: &Snapshot) -> String {
    let environment = Environment::prepare(snapshot).unwrap();
    let version = snapshot.head.version;
    let tag = sdk::tag(version, environment.digest());
    serde_json::json!({"version": version, "tag": tag}).to_string()
}

type Shared = State<Arc<Mutex<Inner>>>;

/// What a request is refused with.
fn refusal(inner: &Inner, headers: &HeaderMap) -> Option<Response> {
    let message = r#"{"error":"as the test wants"}"#;
    let refused = inner
        .refusal
        .map(|status| (status, message).into_response());
    let has_key = headers.get("x-api-key").is_some_and(|key| key == KEY);
    refused.or_else(|| (!has_key).then(|| StatusCode::UNAUTHORIZED.into_response()))
}

async fn answer_snapshot(State(inner): Shared, headers: HeaderMap) -> Response {
    let mut inner = inner.lock().unwrap();
    if let Some(refusal) = refusal(&inner, &headers) {
        return refusal;
    }
    inner.snapshots += 1;
    let push = inner.push(&sdk::snapshot(inner.snapshot.clone()));
    ([("content-type", MEDIA_TYPE)], push).into_response()
}

async fn answer_stream(State(inner): Shared, headers: HeaderMap) -> Response {
    let mut inner = inner.lock().unwrap();
    if let Some(refusal) = refusal(&inner, &headers) {
        return refusal;
    }
    inner.streams += 1;
    let first = format!(
        "retry: 3000\n\n: hello\n\nid: x\nevent: at\ndata: {}\n\n",
        at(&inner.snapshot)
    );
    let events = stream::unfold(
        (Some(first), inner.events.subscribe()),
        |(first, mut events)| async {
            let event = match first {
                Some(first) => first,
                None => events.recv().await.ok()?,
            };
            Some((Ok::<_, Infallible>(event), (None, events)))
        },
    );
    (
        [("content-type", "text/event-stream")],
        Body::from_stream(events),
    )
        .into_response()
}

async fn take_usage(State(inner): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let mut inner = inner.lock().unwrap();
    if let Some(refusal) = refusal(&inner, &headers) {
        return refusal;
    }
    assert_eq!(headers["content-type"], MEDIA_TYPE);
    let (header, payload) = body.split_first_chunk().unwrap();
    let header = FrameHeader::parse(*header, REPORT_LIMIT).unwrap();
    let report: Report = frame::decode(header, payload).unwrap();
    report.check().unwrap();
    inner.reports.push(report);
    if inner.report_failures > 0 {
        inner.report_failures -= 1;
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    StatusCode::NO_CONTENT.into_response()
}

/// Waits until it is so.
pub async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < end, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
