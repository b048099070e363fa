//! SDKs at one edge: they ask for several flags at once, keep what has not changed, follow the stream and report variants.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use harness::sse::Stream;
use harness::{Caller, Response};
use reqwest::Method;
use reqwest::header::{ETAG, IF_NONE_MATCH};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{ONE, OTHER, Place, SEGMENTED, SOLO, Writer, ask, version_of};
use crate::chaos::history::{Read, Said, Seen, Sight, Track};
use crate::chaos::recorder::Recorder;

const EVALUATE_PAUSE: Duration = Duration::from_millis(25);
const FETCH_PAUSE: Duration = Duration::from_millis(60);
const PROBE_PAUSE: Duration = Duration::from_millis(150);
const RETURN_PAUSE: Duration = Duration::from_millis(100);
/// A variant is reported after so many evaluations.
const SHOWN: u64 = 4;

/// The flag that counts the evaluations of an edge: none has that key, so nothing but these questions counts for it.
pub fn counter(edge: &str) -> String {
    format!("count-{edge}")
}

/// A client, and where it writes down what happens.
#[derive(Clone)]
struct Reader {
    recorder: Arc<Recorder>,
    place: Place,
    stop: CancellationToken,
}

pub(super) fn start(
    tasks: &mut JoinSet<()>,
    stop: &CancellationToken,
    recorder: &Arc<Recorder>,
    place: &Place,
    writer: &Writer,
) {
    let reader = Reader {
        recorder: Arc::clone(recorder),
        place: place.clone(),
        stop: stop.clone(),
    };
    tasks.spawn(reader.clone().evaluate(writer.clone()));
    tasks.spawn(reader.clone().fetch());
    tasks.spawn(reader.clone().probe());
    tasks.spawn(reader.follow());
}

impl Reader {
    fn goes_on(&self) -> bool {
        !self.stop.is_cancelled()
    }

    fn sdk(&self) -> &Caller {
        &self.place.sdk
    }

    async fn evaluate(self, writer: Writer) {
        for turn in 0_u64.. {
            if !self.goes_on() {
                return;
            }
            // Around what is written now.
            let number = writer.number().saturating_sub(turn % 5);
            let keys = [ONE, OTHER, SOLO, SEGMENTED, &counter(&self.place.name)];
            let context = json!({"key": "user-1", "attributes": {"n": number}});
            let request = self.sdk().request(Method::POST, "/v1/evaluate/bulk");
            let request = request.json(&json!({"flag_keys": keys, "context": context}));
            let from = self.recorder.now();
            let outcome = ask(self.sdk(), request, |answer| {
                seen(
                    answer,
                    |key| answer.body[key]["value"].clone(),
                    Some(number),
                )
            });
            let read = Read {
                outcome: outcome.await,
                span: self.recorder.since(from),
                edge: self.place.name.clone(),
                is_counted: true,
            };
            self.recorder.read(read);
            if turn % SHOWN == 0 {
                self.track().await;
            }
            sleep(EVALUATE_PAUSE).await;
        }
    }

    async fn track(&self) {
        let shown = json!({"flag_key": ONE, "variant_key": self.place.name, "user_key": "user-1"});
        let request = self.sdk().request(Method::POST, "/v1/track").json(&shown);
        let from = self.recorder.now();
        let track = Track {
            outcome: ask(self.sdk(), request, |_| ()).await,
            span: self.recorder.since(from),
            edge: self.place.name.clone(),
        };
        self.recorder.history().tracks.push(track);
    }

    /// Keeps the answer, and asks for it only if it has changed.
    async fn fetch(self) {
        let mut kept = None::<(String, Value)>;
        while self.goes_on() {
            let path = "/v1/client/dev/flags?key=user-1";
            let mut request = self.sdk().request(Method::GET, path);
            if let Some((tag, _)) = &kept {
                request = request.header(IF_NONE_MATCH, tag);
            }
            let from = self.recorder.now();
            let outcome = ask(self.sdk(), request, |answer| {
                if answer.status == 200 {
                    let tag = answer.header(ETAG.as_str()).to_owned();
                    kept = Some((tag, answer.body.clone()));
                }
                let body = kept.as_ref().map(|(_, body)| body);
                seen(
                    answer,
                    |key| body.map_or(Value::Null, |body| body[key].clone()),
                    None,
                )
            });
            let read = Read {
                outcome: outcome.await,
                span: self.recorder.since(from),
                edge: self.place.name.clone(),
                is_counted: false,
            };
            self.recorder.read(read);
            sleep(FETCH_PAUSE).await;
        }
    }

    /// Asks how old what the edge serves is.
    async fn probe(self) {
        while self.goes_on() {
            let admin = &self.place.admin;
            let from = self.recorder.now();
            let age = ask(admin, admin.request(Method::GET, "/ready"), |answer| {
                answer.body["snapshot_age_ms"].as_u64()
            });
            if let Some(age) = age.await.done().copied().flatten() {
                let said = Said {
                    span: self.recorder.since(from),
                    edge: self.place.name.clone(),
                    age: Duration::from_millis(age),
                };
                self.recorder.history().said.push(said);
            }
            sleep(PROBE_PAUSE).await;
        }
    }

    /// Follows the stream, and connects again when it ends.
    async fn follow(self) {
        for stream in 0.. {
            let followed = self.follow_one(stream);
            if self.stop.run_until_cancelled(followed).await.is_none() {
                return;
            }
            sleep(RETURN_PAUSE).await;
        }
    }

    async fn follow_one(&self, stream: u64) {
        const AS_LONG_AS_IT_LASTS: Duration = Duration::from_secs(3_600);
        let request = self.sdk().request(Method::GET, "/v1/stream/dev");
        let opening = Stream::try_open(request.timeout(AS_LONG_AS_IT_LASTS));
        let Ok(mut events) = opening.await else {
            return;
        };
        if events.status != 200 {
            return;
        }
        while let Some(event) = events.next().await {
            let version = event.id.and_then(|id| id.parse().ok());
            let version = version.expect("events are named by versions");
            self.recorder.told(&self.place.name, stream, version);
        }
    }
}

/// What an answer says of the things that are changed.
fn seen(answer: &Response, value: impl Fn(&str) -> Value, number: Option<u64>) -> Seen {
    let text = |key: &str| match value(key) {
        Value::String(text) => text,
        other => other.to_string(),
    };
    let mut items: BTreeMap<_, _> = [ONE, OTHER, SOLO]
        .map(|key| (key.to_owned(), Sight::Is(text(key))))
        .into();
    if let Some(number) = number {
        let sight = match text(SEGMENTED).as_str() {
            "in" => Sight::AtLeast(number),
            "out" => Sight::Below(number),
            other => Sight::Is(other.to_owned()),
        };
        items.insert(SEGMENTED.to_owned(), sight);
    }
    Seen {
        version: version_of(answer).expect("answers name their version"),
        items,
    }
}
