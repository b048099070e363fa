//! Members who change flags and a segment all the time, in turn at each control plane.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use harness::{Caller, User};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{SEGMENT, SEGMENTED, ask, version_of};
use crate::chaos::history::{OFF, Write};
use crate::chaos::recorder::Recorder;

/// Two flags that are only changed together.
pub const ONE: &str = "one";
pub const OTHER: &str = "other";
/// A flag that is also killed.
pub const SOLO: &str = "solo";
const PAUSE: Duration = Duration::from_millis(30);

/// Whoever writes, where, and what all of them have written.
#[derive(Clone)]
pub struct Writer {
    pub recorder: Arc<Recorder>,
    /// Owner of the organization.
    pub owner: User,
    pub project: String,
    pub env: String,
    /// Control planes by name, as the owner.
    pub servers: Vec<(String, Caller)>,
    numbers: Arc<AtomicU64>,
}

/// One change.
#[derive(Clone, Copy, Debug)]
enum Change {
    Pair,
    Solo,
    Kill,
    Segment,
}

impl Writer {
    pub fn new(
        recorder: Arc<Recorder>,
        owner: User,
        [project, env]: [String; 2],
        servers: Vec<(String, Caller)>,
    ) -> Self {
        Self {
            recorder,
            owner,
            project,
            env,
            servers,
            numbers: Arc::new(AtomicU64::new(1)),
        }
    }

    /// How many values there are.
    pub fn number(&self) -> u64 {
        self.numbers.load(Ordering::Relaxed)
    }

    /// Makes all that there is to be changed.
    pub async fn set_up(&self) {
        let project = format!("/v1/projects/{}", self.project);
        let segment = json!({"key": SEGMENT, "name": "Members", "rules": condition(0)});
        self.owner
            .create(&format!("{project}/segments"), segment)
            .await;
        let flag =
            |key| json!({"key": key, "name": key, "flag_type": "string", "default_value": OFF});
        let segmented = json!({"enabled": true, "default_value": "out", "rules": [{"segment_keys": [SEGMENT], "value": "in"}]});
        for key in [ONE, OTHER, SOLO, SEGMENTED] {
            self.owner
                .create(&format!("{project}/flags"), flag(key))
                .await;
        }
        let state = format!("{project}/flags/{SEGMENTED}/environments/{}", self.env);
        self.owner.change(&state, segmented).await;
        for change in [Change::Pair, Change::Solo, Change::Segment] {
            let made = self.make(change, 0).await;
            assert!(made.is_some(), "{change:?} is possible");
        }
    }

    /// Changes the pair at one of the control planes; the version, if that was acknowledged.
    pub async fn change_pair(&self, server: usize) -> Option<u64> {
        self.make(Change::Pair, server).await
    }

    pub(super) fn start(&self, tasks: &mut JoinSet<()>, stop: &CancellationToken) {
        const TURNS: [&[Change]; 4] = [
            &[Change::Pair],
            &[Change::Pair],
            &[Change::Solo, Change::Solo, Change::Kill],
            &[Change::Segment],
        ];
        for (first, turns) in TURNS.into_iter().enumerate() {
            let (writer, stop) = (self.clone(), stop.clone());
            tasks.spawn(async move {
                let changes = turns.iter().cycle();
                for (number, change) in (first..).zip(changes) {
                    if stop.is_cancelled() {
                        return;
                    }
                    let server = number % writer.servers.len();
                    writer.make(*change, server).await;
                    sleep(PAUSE).await;
                }
            });
        }
    }

    async fn make(&self, change: Change, server: usize) -> Option<u64> {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        let (name, caller) = &self.servers[server];
        let note = format!("change-{number}");
        let (method, path, body) = self.request(change, number);
        let request = caller.request(method, &path);
        let request = request.query(&[("comment", &note)]).json(&body);
        let from = self.recorder.now();
        let outcome = ask(caller, request, version_of).await;
        let version = outcome.done().copied().flatten();
        let (items, value): (&[&str], _) = match change {
            Change::Pair => (&[ONE, OTHER], format!("v{number}")),
            Change::Solo => (&[SOLO], format!("v{number}")),
            Change::Kill => (&[SOLO], OFF.to_owned()),
            Change::Segment => (&[SEGMENTED], number.to_string()),
        };
        let write = Write {
            span: self.recorder.since(from),
            server: name.clone(),
            items: items.iter().map(|&item| item.to_owned()).collect(),
            value,
            note,
            outcome,
        };
        self.recorder.history().writes.push(write);
        version
    }

    fn request(&self, change: Change, number: u64) -> (Method, String, Value) {
        let project = format!("/v1/projects/{}", self.project);
        let state = json!({"enabled": true, "default_value": format!("v{number}")});
        match change {
            Change::Pair => {
                let flag = |key| json!({"key": key, "name": key, "flag_type": "string", "states": {"dev": state}});
                let flags = [ONE, OTHER].map(flag);
                let body = json!({"flags": flags});
                (Method::POST, format!("{project}/content"), body)
            }
            Change::Solo => {
                let path = format!("{project}/flags/{SOLO}/environments/{}", self.env);
                (Method::PUT, path, state)
            }
            Change::Kill => {
                let path = format!("{project}/flags/{SOLO}/kill");
                (Method::POST, path, json!({"env_id": self.env}))
            }
            Change::Segment => {
                let path = format!("{project}/segments/{SEGMENT}");
                (Method::PUT, path, json!({"rules": condition(number)}))
            }
        }
    }
}

/// Whoever has at most this number.
fn condition(number: u64) -> Value {
    json!([{"attribute": "n", "operator": "lte", "values": [number.to_string()]}])
}
