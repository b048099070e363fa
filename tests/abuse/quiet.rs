//! A tenant that does nothing unusual, and what it has to wait for.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use harness::user::PASSWORD;
use harness::waits::{Wait, Waits};
use harness::{Edge, Stack};
use reqwest::{Client, Method, Request, RequestBuilder};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::sleep_until;

/// Where it asks from: not where the attacker does.
const ADDRESS: &str = "198.51.100.7";

/// How often it asks: often enough for a p99, and far from its rate.
const READS: Duration = Duration::from_millis(20);
const WRITES: Duration = Duration::from_millis(100);
const LOGINS: Duration = Duration::from_millis(500);
const COUNT: u32 = 6;
/// What it asks, in the order of the columns.
pub const KINDS: [&str; COUNT as usize] =
    ["evaluate", "read", "write", "explain", "login", "/ready"];

/// The quiet tenant, and what it asks.
pub struct Quiet([(Request, Duration); KINDS.len()]);

impl Clone for Quiet {
    fn clone(&self) -> Self {
        Self(self.0.each_ref().map(|(request, pause)| {
            let request = request.try_clone().expect("its body is in memory");
            (request, *pause)
        }))
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
        owner.create(&flags, flag).await;
        let state = format!("{flags}/f/environments/{}", project.dev);
        let on = json!({"enabled": true});
        owner.change(&state, on.clone()).await;

        let http = Client::new();
        let managed = |method, path: &str| {
            let url = format!("{}{path}", stack.url);
            http.request(method, url).bearer_auth(&owner.access_token)
        };
        let made = |request: RequestBuilder| {
            let request = request.header("x-forwarded-for", ADDRESS);
            request.build().expect("a request")
        };
        let question = json!({"flag_key": "f", "context": {"key": "user-1"}});
        let evaluate = http.post(format!("{}/v1/evaluate", edge.url()));
        let explained = json!({
            "project_id": project.id, "env_id": project.dev, "flag_key": "f", "context": {"key": "user-1"},
        });
        let explain = managed(Method::POST, "/v1/explain").json(&explained);
        let login = http.post(format!("{}/v1/auth/login", stack.url));
        let login = login.json(&json!({"email": owner.email, "password": PASSWORD}));
        let ready = format!("{}/ready", stack.control.url("admin"));
        Self([
            (
                made(evaluate.header("x-api-key", key).json(&question)),
                READS,
            ),
            (made(managed(Method::GET, &format!("{flags}/f"))), READS),
            (made(managed(Method::PUT, &state).json(&on)), WRITES),
            (made(explain), WRITES),
            (made(login), LOGINS),
            (made(http.get(ready)), READS),
        ])
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
        let times: [Mutex<Waits>; KINDS.len()] = Default::default();
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let http = Client::builder()
                .no_proxy()
                .build()
                .expect("a client without special demands can be built");
            let asking = (0..).zip(self.0.iter().zip(&times));
            let asking = asking.map(|(kind, ((request, pause), times))| {
                // Its users do not ask in step.
                let begin = Instant::now() + *pause * kind / COUNT;
                ask(&http, request, begin, *pause, times)
            });
            tokio::select! {
                _ = join_all(asking) => {}
                _ = stopped => {}
            }
        });
        Times(times.map(|kind| kind.into_inner().expect("nobody panics with it")))
    }
}

/// Asks at equal distances, whether there was an answer to the last question or not: as many users would.
async fn ask(
    http: &Client,
    question: &Request,
    begin: Instant,
    pause: Duration,
    waits: &Mutex<Waits>,
) {
    let mut asked = FuturesUnordered::new();
    let mut due = begin;
    loop {
        tokio::select! {
            Some(()) = asked.next() => continue,
            () = sleep_until(due.into()) => {}
        }
        let wait = Wait::since(due, waits);
        asked.push(async move {
            let request = question.try_clone().expect("its body is in memory");
            let is_good = match http.execute(request).await {
                Ok(answer) => answer.status() == 200 && answer.bytes().await.is_ok(),
                Err(_) => false,
            };
            wait.answered(is_good);
        });
        due += pause;
    }
}

/// How long it waited for each kind of answer.
pub struct Times([Waits; KINDS.len()]);

impl Times {
    /// A column for each of [`KINDS`].
    pub fn columns(&self) -> [String; KINDS.len()] {
        self.0.each_ref().map(Waits::column)
    }

    /// How many were not answered with 200.
    pub fn refused(&self) -> usize {
        self.0.iter().map(Waits::refused).sum()
    }
}
