//! Clients that know two servers of each kind: what fails at one is sent once more, to the other.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use harness::{Caller, Response, sse::Stream};
use reqwest::{Method, RequestBuilder};
use tokio::{task::JoinSet, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::scene::{question, state_serving};

const ASKERS: u64 = 4;
const BETWEEN_WRITES: Duration = Duration::from_millis(50);
const BETWEEN_OPENINGS: Duration = Duration::from_millis(50);

pub struct Load {
    /// SDKs at two edges.
    edges: [Caller; 2],
    /// The newest value that each edge has answered with, and the newest version of its stream.
    served: [AtomicU64; 2],
    streamed: [AtomicU64; 2],
    /// Somebody who may write, at two control planes.
    controls: [Caller; 2],
    state_path: String,
    /// The newest value of a write that was sent, the newest that was accepted, and the version of that.
    sent: AtomicU64,
    accepted: AtomicU64,
    version: AtomicU64,
    answered: AtomicU64,
    failures: Mutex<Vec<String>>,
    over: CancellationToken,
}

impl Load {
    /// For a flag that serves `v0`.
    pub fn new(edges: [Caller; 2], controls: [Caller; 2], state_path: String) -> Arc<Self> {
        Arc::new(Self {
            edges,
            served: Default::default(),
            streamed: Default::default(),
            controls,
            state_path,
            sent: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            version: AtomicU64::new(0),
            answered: AtomicU64::new(0),
            failures: Mutex::default(),
            over: CancellationToken::new(),
        })
    }

    pub fn start(self: &Arc<Self>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for first in 0..ASKERS {
            let this = Arc::clone(self);
            tasks.spawn(async move { this.ask(first).await });
        }
        for edge in 0..self.edges.len() {
            let this = Arc::clone(self);
            tasks.spawn(async move { this.listen(edge).await });
        }
        let this = Arc::clone(self);
        tasks.spawn(async move { this.write().await });
        tasks
    }

    pub fn end(&self) {
        self.over.cancel();
    }

    pub fn answered(&self) -> u64 {
        self.answered.load(SeqCst)
    }

    pub fn accepted(&self) -> u64 {
        self.accepted.load(SeqCst)
    }

    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap().clone()
    }

    /// Whether what has been accepted up to now was answered by both edges, and came over both streams, once this is asked with the
    /// same mark.
    pub fn is_everywhere(&self, (value, version): (u64, u64)) -> bool {
        let has = |all: &[AtomicU64; 2], one| all.iter().all(|newest| newest.load(SeqCst) >= one);
        has(&self.served, value) && has(&self.streamed, version)
    }

    /// The newest accepted value, with its version.
    pub fn mark(&self) -> (u64, u64) {
        let version = self.version.load(SeqCst);
        (self.accepted(), version)
    }

    fn fail(&self, failure: String) {
        self.failures.lock().unwrap().push(failure);
    }

    async fn ask(&self, first: u64) {
        for number in first.. {
            if self.over.is_cancelled() {
                return;
            }
            let edge = usize::from(number % 2 == 1);
            let lower = [0, 1].map(|edge: usize| self.served[edge].load(SeqCst));
            let (edge, answer) = match ask(&self.edges[edge]).await {
                Ok(answer) => (edge, answer),
                Err(one) => match ask(&self.edges[1 - edge]).await {
                    Ok(answer) => (1 - edge, answer),
                    Err(other) => {
                        self.fail(format!("not answered: {one}, {other}"));
                        continue;
                    }
                },
            };
            let text = answer.body["value"].as_str().unwrap_or_default();
            let value = text.strip_prefix('v').and_then(|text| text.parse().ok());
            // Never what was not written. An edge that is not ready yet may answer from an older copy.
            match value {
                Some(value) if value <= self.sent.load(SeqCst) => {
                    self.served[edge].fetch_max(value, SeqCst);
                    self.answered.fetch_add(1, SeqCst);
                }
                _ => self.fail(format!(
                    "edge {edge} after {}: {}",
                    lower[edge], answer.body
                )),
            }
        }
    }

    async fn write(&self) {
        for number in 1.. {
            if self.over.is_cancelled() {
                return;
            }
            self.sent.store(number, SeqCst);
            let control = usize::from(number % 2 == 1);
            let request = |control: usize| {
                let request = self.controls[control].request(Method::PUT, &self.state_path);
                request.json(&state_serving(&format!("v{number}")))
            };
            let mut answer = send(&self.controls[control], request(control)).await;
            if answer.is_err() {
                answer = send(&self.controls[1 - control], request(1 - control)).await;
            }
            match answer {
                Ok(answer) => {
                    let version = answer.header("x-snapshot-version").parse().unwrap();
                    self.version.store(version, SeqCst);
                    self.accepted.store(number, SeqCst);
                }
                Err(failure) => self.fail(format!("not written: {failure}")),
            }
            sleep(BETWEEN_WRITES).await;
        }
    }

    /// Keeps a stream open. Versions never go back, over all connections.
    async fn listen(&self, edge: usize) {
        while !self.over.is_cancelled() {
            let request = self.edges[edge]
                .request(Method::GET, "/v1/stream/dev")
                .timeout(Duration::from_secs(3_600));
            match Stream::try_open(request).await {
                Ok(mut stream) if stream.status == 200 => {
                    while let Some(Some(event)) = self.over.run_until_cancelled(stream.next()).await
                    {
                        let id = event.id.and_then(|id| id.parse().ok());
                        if let Some(version) = id {
                            let newest = self.streamed[edge].fetch_max(version, SeqCst);
                            if version < newest {
                                self.fail(format!("stream {edge}: {version} after {newest}"));
                            }
                        }
                    }
                }
                _ => {}
            }
            sleep(BETWEEN_OPENINGS).await;
        }
    }
}

async fn ask(edge: &Caller) -> Result<Response, String> {
    let request = edge.request(Method::POST, "/v1/evaluate");
    send(edge, request.json(&question())).await
}

/// What may be sent to another server is an error: no answer, or 5xx. Anything else must be 200.
async fn send(caller: &Caller, request: RequestBuilder) -> Result<Response, String> {
    let answer = caller.try_send(request).await;
    let answer = answer.map_err(|error| format!("{error:?}"))?;
    if answer.status >= 500 {
        return Err(format!("{}: {}", answer.status, answer.body));
    }
    Ok(answer.expect_status(200).clone())
}
