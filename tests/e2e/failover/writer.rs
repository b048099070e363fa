//! Members who write all the time, and send what fails once more to another control plane.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use harness::{User, eventually};
use reqwest::Method;
use serde_json::json;
use tokio::task::JoinSet;

/// Longer than a request waits for a connection, also on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(50);

/// What became of the writes.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Keys of the flags whose creation was acknowledged.
    pub acknowledged: Vec<String>,
    /// What failed at two control planes.
    pub failed: Vec<String>,
    /// When the last one was acknowledged, and the longest time between two.
    last: Option<Instant>,
    pub longest_gap: Duration,
}

/// Writers; dropping this stops them.
pub struct Writer {
    written: Arc<Mutex<Written>>,
    tasks: JoinSet<()>,
}

impl Writer {
    /// Two writers. Each creates one flag after the other, in turn at each of these control planes.
    pub fn start(owner: &User, project: &str, urls: &[String]) -> Self {
        let written = Arc::<Mutex<Written>>::default();
        let mut tasks = JoinSet::new();
        for _ in 0..2 {
            let name = uuid::Uuid::new_v4().simple();
            let (owner, written, urls) = (owner.clone(), Arc::clone(&written), urls.to_vec());
            let path = format!("/v1/projects/{project}/flags");
            tasks.spawn(async move {
                for number in 0.. {
                    let key = format!("{name}-{number}");
                    let mut done = false;
                    for attempt in 0..2 {
                        done = done
                            || create(&owner, &urls[(number + attempt) % urls.len()], &path, &key)
                                .await;
                    }
                    note(&written, key, done);
                    tokio::time::sleep(PAUSE).await;
                }
            });
        }
        Self { written, tasks }
    }

    /// Waits until so many more were acknowledged.
    pub async fn goes_on(&self, more: usize) {
        let before = self.now().acknowledged.len();
        eventually("writes go on", async || {
            (self.now().acknowledged.len() >= before + more).then_some(())
        })
        .await;
    }

    /// What became of them until now.
    pub fn now(&self) -> Written {
        self.written.lock().unwrap().clone()
    }

    /// Stops, once what is being written is.
    pub async fn stop(mut self) -> Written {
        self.tasks.shutdown().await;
        self.now()
    }
}

/// Whether it is there now. What was created by an attempt without an answer is.
async fn create(owner: &User, url: &str, path: &str, key: &str) -> bool {
    let caller = owner.at(url);
    let request = caller.request(Method::POST, path).timeout(PATIENCE);
    let request = request.json(&json!({"key": key, "name": "Written"}));
    let answer = caller.try_send(request).await;
    answer.is_ok_and(|answer| [201, 409].contains(&answer.status))
}

fn note(written: &Mutex<Written>, key: String, done: bool) {
    let mut written = written.lock().unwrap();
    if !done {
        written.failed.push(key);
        return;
    }
    let now = Instant::now();
    let gap = written.last.map_or(Duration::ZERO, |last| now - last);
    written.longest_gap = written.longest_gap.max(gap);
    written.last = Some(now);
    written.acknowledged.push(key);
}
