//! Writes say what they ignored: unknown parameters are refused, warnings are in the body, and strict handling refuses them.

mod query;
mod strict;
mod warnings;

use harness::{Response, Setup};
use reqwest::Method;
use serde_json::{Value, json};

/// The path of a new flag's state in `dev`.
async fn with_flag() -> (Setup, String) {
    let setup = Setup::new().await;
    let flags = setup.flags();
    let flag = json!({"key": "f", "name": "F"});
    setup.owner.create(&flags, flag).await;
    let state = format!("{flags}/f/environments/{}", setup.project.dev);
    (setup, state)
}

/// Sends a write with these preferences.
async fn prefer(setup: &Setup, method: Method, path: &str, body: &Value, line: &str) -> Response {
    let request = setup.owner.request(method, path).header("prefer", line);
    setup.owner.send(request.json(body)).await
}

/// A warning about a misspelt field, as bodies list it.
fn misspelt(place: &str, meant: &str) -> Value {
    json!({"place": place, "message": format!("unknown field {place}; did you mean {meant}?")})
}

/// What an answer says of the preferences.
fn applied(answer: &Response) -> Option<&str> {
    let applied = answer.headers.get("preference-applied")?;
    Some(applied.to_str().expect("visible ASCII"))
}
