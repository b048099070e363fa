//! How much a change may have, and how long it takes.

use std::time::{Duration, Instant};

use harness::Setup;
use reqwest::Method;
use serde_json::json;

use super::{path, whole};

#[tokio::test]
async fn too_many_things_are_400() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let keys: Vec<_> = (0..1_001).map(|number| format!("k{number}")).collect();
    let body = json!({"segments": vec![json!({}); 5_001], "remove": {"flags": keys}});
    let refused = owner.post(&path(&project.id), body).await;
    refused.expect(
        400,
        json!({
            "error": "segments: at most 5000 in a call",
            "problems": [
                {"place": "segments", "message": "at most 5000 in a call"},
                {"place": "remove", "message": "at most 1000 in a call"},
            ],
        }),
    );
}

#[tokio::test]
async fn a_body_of_more_than_32_mib_is_413() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let long = |length: usize| format!("{{\"more\": \"{}\"}}", "x".repeat(length));
    let send = async |text: String| {
        let request = owner.request(Method::POST, &path(&project.id));
        let request = request.header("content-type", "application/json");
        owner.send(request.body(text)).await
    };
    let read = send(long((32 << 20) - 13)).await;
    read.expect_status(200);
    let refused = send(long(32 << 20)).await;
    refused.expect_error(413, "request body is too large");
}

#[tokio::test]
async fn ten_thousand_flags_with_three_states_each_come_and_go() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let state = json!({
        "enabled": true, "percentage_rollout": 5_000,
        "rules": [{"conditions": [{"attribute": "country", "operator": "in", "values": ["DE"]}], "value": true}],
    });
    let flags: Vec<_> = (0..10_000)
        .map(|number| {
            let states = json!({"dev": state, "staging": state, "production": state});
            json!({"key": format!("flag-{number:05}"), "name": "A flag", "tags": ["many"], "states": states})
        })
        .collect();
    let body = json!({"flags": flags});
    let request = || {
        let request = owner.request(Method::POST, &path(&project.id));
        request.timeout(Duration::from_secs(240)).json(&body)
    };
    let started = Instant::now();
    let done = owner.send(request()).await;
    let written = started.elapsed();
    let created = json!({"environments": 0, "segments": 0, "flags": 10_000, "states": 30_000});
    assert_eq!(done.body["created"], created, "{}", done.body["error"]);
    let started = Instant::now();
    let (all, pages) = whole(&owner, &project.id, 500).await;
    let read = started.elapsed();
    assert_eq!(all["flags"].as_array().unwrap().len(), 10_000);
    let started = Instant::now();
    let again = owner.send(request()).await;
    let compared = started.elapsed();
    assert_eq!(again.body["unchanged"], 40_000);
    // How long it takes depends on what else the machine does.
    assert!(
        pages <= 25,
        "{pages} pages: written in {written:?}, read in {read:?}, compared in {compared:?}"
    );
}
