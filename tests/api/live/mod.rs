//! `GET /v1/events`: what happens to an organization, told to its members as it happens.

mod changes;
mod edges;
mod ending;
mod resuming;
mod usage;
mod waves;

use harness::sse::{Event, Stream};
use harness::user::DefaultProject;
use harness::{App, Caller, User};
use reqwest::Method;
use serde_json::{Value, json};

const EVENTS: &str = "/v1/events";

struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
}

impl Setup {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let (app, owner) = App::with_owner_and(settings).await;
        let project = owner.default_project().await;
        Self {
            app,
            owner,
            project,
        }
    }

    /// Makes a flag; gives its id.
    async fn flag(&self, key: &str) -> String {
        let path = format!("/v1/projects/{}/flags", self.project.id);
        let body = json!({"key": key, "name": key, "flag_type": "boolean", "default_value": false});
        let made = self.owner.create(&path, body).await;
        made.text("/id")
    }
}

/// A stream that has begun, and its position.
async fn follow(caller: &Caller) -> (Stream, String) {
    let mut stream = caller.stream(EVENTS).await;
    assert_eq!(stream.status, 200);
    let connected = stream.next().await.expect("an event");
    assert_eq!(connected.name, "connected");
    (stream, connected.id.expect("a position"))
}

/// What is told besides changes: it comes whenever it comes.
const NEWS: [&str; 3] = ["wave", "edges", "usage"];

/// The next event that is none of those; `None` when the stream ends.
async fn told(stream: &mut Stream) -> Option<Event> {
    loop {
        let event = stream.next().await?;
        if !NEWS.contains(&&*event.name) {
            return Some(event);
        }
    }
}

/// A stream of somebody who comes back, from its beginning.
async fn resume(caller: &Caller, last_seen: &str) -> Stream {
    let request = caller.request(Method::GET, EVENTS);
    let request = request.header("last-event-id", last_seen);
    let request = request.timeout(std::time::Duration::from_secs(3_600));
    let stream = Stream::open(request).await;
    assert_eq!(stream.status, 200);
    stream
}

#[track_caller]
fn assert_change(event: &Event, action: &str, resource_id: &str) {
    assert_eq!(event.name, "change");
    assert_eq!(event.data["action"], action);
    assert_eq!(event.data["resource_id"], resource_id);
}

/// The names of the fields of an event.
fn fields(data: &Value) -> Vec<&str> {
    let fields = data.as_object().expect("an object");
    fields.keys().map(String::as_str).collect()
}
