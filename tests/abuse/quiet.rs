//! A tenant that does nothing unusual, and what it has to wait for.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use harness::{Edge, Stack};
use reqwest::{Client, Method, Request, RequestBuilder};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep;

/// Pauses between its requests: quick enough for a p99, and far from its rate.
const READS: Duration = Duration::from_millis(20);
const WRITES: Duration = Duration::from_millis(100);

/// The quiet tenant, and what it asks.
pub struct Quiet {
    evaluate: Request,
    read: Request,
    write: Request,
    ready: Request,
}

impl Clone for Quiet {
    fn clone(&self) -> Self {
        let copy = |request: &Request| request.try_clone().expect("its body is in memory");
        Self {
            evaluate: copy(&self.evaluate),
            read: copy(&self.read),
            write: copy(&self.write),
            ready: copy(&self.ready),
        }
    }
}

impl Quiet {
    /// Registers, with a flag that is on and an API key.
    pub async fn begin(stack: &Stack, edge: &Edge) -> Self {
        let owner = stack.signup("quiet").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F", "flag_type": "boolean"});
        owner.post(&flags, flag).await.expect_status(201);
        let state = format!("{flags}/f/environments/{}", project.dev);
        let on = json!({"enabled": true});
        owner.put(&state, on.clone()).await.expect_status(200);

        let http = Client::new();
        let managed = |method, path: &str| {
            let url = format!("{}{path}", stack.url);
            http.request(method, url).bearer_auth(&owner.access_token)
        };
        let made = |request: RequestBuilder| request.build().expect("a request");
        let question = json!({"flag_key": "f", "context": {"key": "user-1"}});
        let evaluate = http.post(format!("{}/v1/evaluate", edge.url()));
        let ready = format!("{}/ready", stack.control.url("admin"));
        Self {
            evaluate: made(evaluate.header("x-api-key", key).json(&question)),
            read: made(managed(Method::GET, &format!("{flags}/f"))),
            write: made(managed(Method::PUT, &state).json(&on)),
            ready: made(http.get(ready)),
        }
    }

    /// Goes on asking while something else happens: on a thread of its own, since the attacker is busy.
    pub async fn watch(&self, happening: impl Future<Output = ()>) -> Times {
        let (stop, stopped) = oneshot::channel::<()>();
        let quiet = self.clone();
        let asking = thread::spawn(move || quiet.ask_until(stopped));
        happening.await;
        drop(stop);
        asking.join().expect("it only asks")
    }

    fn ask_until(self, stopped: oneshot::Receiver<()>) -> Times {
        let times = Times::default();
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let http = Client::builder()
                .no_proxy()
                .build()
                .expect("a client without special demands can be built");
            let asking = async {
                tokio::join!(
                    ask(&http, &self.evaluate, READS, &times.evaluate),
                    ask(&http, &self.read, READS, &times.read),
                    ask(&http, &self.write, WRITES, &times.write),
                    ask(&http, &self.ready, READS, &times.ready),
                )
            };
            tokio::select! {
                _ = asking => {}
                _ = stopped => {}
            }
        });
        times
    }
}

async fn ask(http: &Client, question: &Request, pause: Duration, times: &Mutex<Kind>) {
    loop {
        let request = question.try_clone().expect("its body is in memory");
        let mut asked = Asked {
            begun: Instant::now(),
            is_good: true,
            times,
        };
        asked.is_good = match http.execute(request).await {
            Ok(answer) => answer.status() == 200 && answer.bytes().await.is_ok(),
            Err(_) => false,
        };
        drop(asked);
        sleep(pause).await;
    }
}

/// A request, until it is answered or nobody waits any more: one without an answer took as long too.
struct Asked<'a> {
    begun: Instant,
    is_good: bool,
    times: &'a Mutex<Kind>,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let mut times = self.times.lock().expect("nobody panics with it");
        times.note(self.begun.elapsed(), self.is_good);
    }
}

/// How long its requests took.
#[derive(Default)]
pub struct Times {
    evaluate: Mutex<Kind>,
    read: Mutex<Kind>,
    write: Mutex<Kind>,
    ready: Mutex<Kind>,
}

#[derive(Default)]
struct Kind {
    times: Vec<Duration>,
    refused: usize,
}

impl Kind {
    fn note(&mut self, time: Duration, is_good: bool) {
        self.times.push(time);
        self.refused += usize::from(!is_good);
    }

    /// p50 and p99, in milliseconds.
    fn column(&mut self) -> String {
        self.times.sort_unstable();
        let at = |percent: usize| {
            let index = self.times.len().saturating_sub(1) * percent / 100;
            let time = self.times.get(index).copied().unwrap_or_default();
            time.as_secs_f64() * 1_000.0
        };
        format!("{:.1}/{:.1}", at(50), at(99))
    }
}

impl Times {
    fn kinds(&self) -> [&Mutex<Kind>; 4] {
        [&self.evaluate, &self.read, &self.write, &self.ready]
    }

    /// Of evaluations, reads, writes and probes.
    pub fn columns(&self) -> [String; 4] {
        self.kinds()
            .map(|kind| kind.lock().expect("nobody panics with it").column())
    }

    /// How many were not answered with 200.
    pub fn refused(&self) -> usize {
        let refused = |kind: &Mutex<Kind>| kind.lock().expect("nobody panics with it").refused;
        self.kinds().into_iter().map(refused).sum()
    }
}
