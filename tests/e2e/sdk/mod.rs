//! SDKs that evaluate in their own process, as edges serve them.

mod changes;
mod refusals;
mod reports;
mod snapshots;

use data_encoding::BASE64;
use harness::{Caller, sse::Event};
use protocol::{
    eval::{Context, Environment, Evaluator, Scratch},
    snapshot::Delta,
    wire::{merge, message::Push, sdk},
};
use reqwest::{Method, StatusCode};

pub const SNAPSHOT: &str = "/v1/sdk/snapshot";
pub const STREAM: &str = "/v1/sdk/stream";
pub const USAGE: &str = "/v1/sdk/usage";

/// An answer whose body is bytes.
pub struct Bytes {
    pub status: StatusCode,
    pub tag: Option<String>,
    pub body: Vec<u8>,
}

/// Asks for the snapshot.
pub async fn ask(sdk: &Caller, headers: &[(&str, &str)]) -> Bytes {
    let mut request = sdk.request(Method::GET, SNAPSHOT);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    let tag = answer.headers().get("etag");
    Bytes {
        status: answer.status(),
        tag: tag.map(|tag| tag.to_str().unwrap().to_owned()),
        body: answer.bytes().await.unwrap().to_vec(),
    }
}

/// Fetches the snapshot as an SDK does, which has no keys in it.
pub async fn fetch(sdk: &Caller) -> Environment {
    let answer = ask(sdk, &[]).await;
    assert_eq!(answer.status, 200);
    let Push::Snapshot(snapshot, digest) = message(&answer.body) else {
        panic!("no snapshot")
    };
    assert_eq!(snapshot.keys, []);
    let environment = Environment::prepare(&snapshot).unwrap();
    assert_eq!(environment.digest(), digest);
    assert_eq!(answer.tag, Some(format!("\"{}\"", tag(&environment))));
    environment
}

pub fn message(bytes: &[u8]) -> Push {
    merge::read(bytes).unwrap()
}

pub fn tag(environment: &Environment) -> String {
    sdk::tag(environment.head().version, environment.digest())
}

/// The delta in an event.
pub fn delta(event: &Event) -> Delta {
    assert_eq!(event.name, "delta");
    let frame = BASE64.decode(event.data.as_str().unwrap().as_bytes());
    let Push::Delta(delta) = message(&frame.unwrap()) else {
        panic!("no delta")
    };
    assert!(delta.keys.is_empty() && delta.removed_keys.is_empty());
    delta
}

/// The value of a flag, evaluated here.
pub fn value(environment: &Environment, flag: &str) -> serde_json::Value {
    let mut scratch = Scratch::new();
    let context = Context::new("user-1");
    let mut evaluator = Evaluator::new(environment, &context, &mut scratch);
    let flag = environment.flag(flag).unwrap();
    serde_json::from_str(evaluator.evaluate(flag).value_json).unwrap()
}
