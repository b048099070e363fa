//! Change sets: edits that are drafted, reviewed, scheduled, applied and undone together.

mod applying;
mod approvals;
mod drafting;
mod explaining;
mod mail;
mod rights;
mod scheduling;
mod undoing;

use harness::{Caller, Response, Setup};
use serde_json::{Value, json};

/// The path of the project's change sets.
fn path(project_id: &str) -> String {
    format!("/v1/projects/{project_id}/change-sets")
}

/// A project with two flags that are off, and a segment.
async fn with_flags() -> Setup {
    let setup = Setup::new().await;
    let body = json!({
        "segments": [{"key": "beta", "name": "Beta", "rules": [{"attribute": "plan", "operator": "eq", "values": ["pro"]}]}],
        "flags": [
            {"key": "checkout", "name": "Checkout", "states": {"dev": {}, "production": {}}},
            {"key": "payment", "name": "Payment", "states": {"dev": {}, "production": {}}},
        ],
    });
    let content = format!("/v1/projects/{}/content", setup.project.id);
    setup.owner.act(&content, body).await;
    setup
}

/// Both flags switched on in these environments.
fn both_on(environments: &[&str]) -> Value {
    let on = environments
        .iter()
        .map(|slug| ((*slug).to_owned(), json!({"enabled": true})));
    let states = Value::Object(on.collect());
    json!({"flags": [{"key": "checkout", "states": states}, {"key": "payment", "states": states}]})
}

/// Drafts a set, and returns its path.
async fn draft(caller: &Caller, project_id: &str, changes: Value) -> String {
    let sets = path(project_id);
    let body = json!({"name": "Launch", "changes": changes});
    let drafted = caller.create(&sets, body).await;
    format!("{sets}/{}", drafted.text("/id"))
}

/// Does this with a set.
async fn step(caller: &Caller, set: &str, verb: &str, body: Value) -> Response {
    caller.post(&format!("{set}/{verb}"), body).await
}

/// Whether the two flags are on in an environment.
async fn are_on(setup: &Setup, env: &str) -> [bool; 2] {
    let mut are_on = [false; 2];
    for (place, key) in ["checkout", "payment"].into_iter().enumerate() {
        let state = format!("{}/{key}/environments/{env}", setup.flags());
        are_on[place] = setup.owner.get(&state).await.body["enabled"] == true;
    }
    are_on
}

async fn protect(setup: &Setup, required: i64) {
    let production = format!("/v1/projects/{}/environments/production", setup.project.id);
    let body = json!({"protected": true, "required_approvals": required});
    setup.owner.change(&production, body).await;
}
