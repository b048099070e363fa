//! All definitions of a project: read page by page, and written as one change.

mod applying;
mod approvals;
mod limits;
mod races;
mod reading;
mod refusals;
mod rights;
mod tokens;

use harness::{Caller, Response, Setup, User};
use reqwest::Method;
use serde_json::{Value, json};

/// The path of the project's definitions.
fn path(project_id: &str) -> String {
    format!("/v1/projects/{project_id}/content")
}

/// Counts of things; those that are left out are zero.
fn counts(given: &Value) -> Value {
    let mut counts = json!({"environments": 0, "segments": 0, "flags": 0, "states": 0});
    let given = given.as_object().unwrap().clone();
    counts.as_object_mut().unwrap().extend(given);
    counts
}

/// The answer to a change that created, updated and removed so much.
fn applied(version: i64, [created, updated, removed]: [Value; 3], unchanged: usize) -> Value {
    json!({
        "version": version, "created": counts(&created), "updated": counts(&updated), "removed": counts(&removed),
        "unchanged": unchanged, "approvals": [], "warnings": [],
    })
}

fn nothing() -> Value {
    json!({})
}

/// Applies what was read at this version.
async fn apply_at(caller: &Caller, path: &str, version: i64, body: &Value) -> Response {
    let request = caller.request(Method::POST, path);
    let request = request.header("if-match", format!("\"{version}\""));
    caller.send(request.json(body)).await
}

async fn version(user: &User, project_id: &str) -> i64 {
    let page = user.get(&path(project_id)).await;
    page.body["version"].as_i64().unwrap()
}

/// All definitions of a project, and the number of pages.
async fn whole(user: &Caller, project_id: &str, limit: usize) -> (Value, usize) {
    let mut whole = json!({"environments": [], "segments": [], "flags": []});
    let (mut pages, mut after) = (0, String::new());
    loop {
        let path = format!("{}?limit={limit}&after={after}", path(project_id));
        let page = user.get(&path).await;
        page.expect_status(200);
        pages += 1;
        for list in ["environments", "segments", "flags"] {
            let more = page.body[list].as_array().unwrap().clone();
            whole[list].as_array_mut().unwrap().extend(more);
        }
        match page.body["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => return (whole, pages),
        }
    }
}

/// A project with segments, flags that require each other, states of every kind, and archived ones.
async fn with_content() -> Setup {
    let setup = Setup::new().await;
    let rule = json!({
        "id": "r1", "priority": 3, "description": "some", "percentage": 5_000, "value": "new", "match_type": "any",
        "conditions": [{"attribute": "country", "operator": "in", "values": ["DE", "AT"]}], "segment_keys": ["beta"],
    });
    let body = json!({
        "segments": [
            {"key": "beta", "name": "Beta", "description": "testers", "match_type": "any",
             "rules": [{"attribute": "plan", "operator": "eq", "values": ["pro"]}]},
            {"key": "all", "name": "All", "rules": []},
        ],
        "flags": [
            {"key": "checkout", "name": "Checkout", "flag_type": "string", "default_value": "old", "tags": ["shop"],
             "prerequisites": ["base"], "mutual_exclusion_group": "g", "permanent": true, "description": "the new one",
             "states": {
                 "dev": {"enabled": true, "rules": [rule], "percentage_rollout": 2_500, "default_value": "dev"},
                 "production": {"scheduled_enable_at": "2030-01-02T03:04:05Z"},
             }},
            {"key": "base", "name": "Base", "states": {"dev": {"enabled": true}}},
            {"key": "test", "name": "Test", "flag_type": "ab", "states": {"staging": {
                "variants": [{"key": "a", "value": {"n": 1}, "weight": 4_000}, {"key": "b", "value": null, "weight": 6_000}],
                "bucketing": {"algorithm": "unleash", "group_id": "test"},
            }}},
            {"key": "gone", "name": "Gone", "archived": true, "states": {"dev": {"enabled": true}}},
        ],
    });
    setup.owner.act(&path(&setup.project.id), body).await;
    setup
}
