//! Rehearsals of an outage, and what callers would use in one.

mod defaults;

use std::time::Duration;

use harness::{Response, Setup, User, eventually, statuses};
use serde_json::{Value, json};

use crate::trail;

const GOES_ON: &str = "an outage is being rehearsed in the organization";
const NONE: &str = "no outage is being rehearsed in this environment";

fn path(setup: &Setup, env: &str) -> String {
    format!(
        "/v1/projects/{}/environments/{env}/rehearsals",
        setup.project.id
    )
}

/// A key of the environment `dev`: its id, and its text.
async fn key(owner: &User, env_id: &str) -> (Value, String) {
    let keys = format!("/v1/environments/{env_id}/api-keys");
    let made = owner.create(&keys, json!({"name": "sdk"})).await;
    (made.body["id"].clone(), made.text("/key"))
}

async fn ask(setup: &Setup, key: &str) -> Response {
    let question = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    let sdk = setup.app.anonymous().with_key(key);
    sdk.post("/v1/evaluate", question).await
}

async fn answers(setup: &Setup, key: &str, status: u16) {
    eventually(&format!("an answer of {status}"), || async {
        (ask(setup, key).await.status == status).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_rehearsal_fails_the_answers_of_its_key_alone_until_it_is_stopped() {
    let setup = Setup::new().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let (id, text) = key(owner, &project.dev).await;
    let (_, other) = key(owner, &project.dev).await;
    answers(&setup, &text, 200).await;

    let dev = path(&setup, "dev");
    let begun = owner.post(&dev, json!({"api_key_id": id})).await;
    let shown = json!({
        "id": "[uuid]", "env_id": project.dev, "api_key_id": id, "failure": "unavailable", "began_at": "[time]",
        "ends_at": "[time]", "began_by": owner.id, "stopped_at": null,
    });
    begun.expect(201, shown);
    answers(&setup, &text, 503).await;
    let failed = ask(&setup, &text).await;
    failed.expect_error(503, "an outage is rehearsed with this api key");
    assert!(failed.headers.get("retry-after").is_none());
    assert_eq!(ask(&setup, &other).await.status, 200);
    let list = owner.get(&dev).await;
    assert_eq!(list.body["data"], json!([begun.body]));

    let stop = format!("{dev}/stop");
    let stopped = owner.act(&stop, Value::Null).await;
    let mut expected = begun.body.clone();
    expected["stopped_at"] = stopped.body["stopped_at"].clone();
    assert_eq!(stopped.body, expected);
    assert!(stopped.body["stopped_at"].is_string());
    answers(&setup, &text, 200).await;
    owner.post(&stop, Value::Null).await.expect_error(404, NONE);

    for (action, before, after) in [
        ("api_key.rehearsal_started", &Value::Null, &begun.body),
        ("api_key.rehearsal_stopped", &begun.body, &stopped.body),
    ] {
        let entries = trail::of_action(app, owner, action).await;
        assert_eq!(entries.len(), 1);
        let entry = &entries[0];
        assert_eq!(
            (&entry["before_state"], &entry["after_state"]),
            (before, after)
        );
        assert_eq!(entry["resource_id"], id);
    }
}

#[tokio::test]
async fn a_rehearsal_is_refused_by_what_is_wrong_with_it() {
    let setup = Setup::new().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let (id, _) = key(owner, &project.dev).await;
    let dev = path(&setup, "dev");
    for (body, message) in [
        (json!({}), "api_key_id is required"),
        (json!({"api_key_id": ""}), "api_key_id is required"),
        (
            json!({"api_key_id": id, "failure": "fire"}),
            "failure must be unavailable or silence",
        ),
        (
            json!({"api_key_id": id, "seconds": 0}),
            "seconds must be an integer from 1 to 60",
        ),
        (
            json!({"api_key_id": id, "seconds": 61}),
            "seconds must be an integer from 1 to 60",
        ),
    ] {
        owner.post(&dev, body).await.expect_error(400, message);
    }
    let (of_other_env, _) = key(owner, &project.staging).await;
    let stranger = app.signup("stranger").await;
    let (of_other_org, _) = key(&stranger, &stranger.default_project().await.dev).await;
    for id in [of_other_env, of_other_org, json!("none")] {
        let refused = owner.post(&dev, json!({"api_key_id": id})).await;
        refused.expect_error(404, "api key not found");
    }
    let revoked = format!("/v1/api-keys/{}", id.as_str().unwrap());
    owner.remove(&revoked).await;
    let refused = owner.post(&dev, json!({"api_key_id": id})).await;
    refused.expect_error(404, "api key not found");
}

#[tokio::test]
async fn one_of_two_that_begin_at_the_same_time_is_refused() {
    let setup = Setup::new().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let (dev, _) = key(owner, &project.dev).await;
    let (staging, _) = key(owner, &project.staging).await;
    for round in 0..5 {
        let (of_dev, of_staging) = (path(&setup, "dev"), path(&setup, "staging"));
        let (one, other) = tokio::join!(
            owner.post(&of_dev, json!({"api_key_id": dev, "seconds": 60})),
            owner.post(
                &of_staging,
                json!({"api_key_id": staging, "failure": "silence", "seconds": 60})
            ),
        );
        let mut both = statuses([&one, &other]);
        both.sort_unstable();
        assert_eq!(both, [201, 409], "{round}");
        let refused = if one.status == 409 { &one } else { &other };
        refused.expect_error(409, GOES_ON);
        // The next one begins when this one is over, stopped or not.
        app.clock.advance(Duration::from_secs(60));
    }
}

#[tokio::test]
async fn the_last_hundred_are_kept() {
    let setup = Setup::new().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let (id, _) = key(owner, &project.dev).await;
    let dev = path(&setup, "dev");
    let first = owner
        .create(&dev, json!({"api_key_id": id, "seconds": 1}))
        .await;
    app.execute(
        "INSERT INTO rehearsals
         SELECT gen_random_uuid(), org_id, env_id, api_key_id, failure, began_at + n * interval '1 second',
                ends_at + n * interval '1 second', began_by, stopped_at, false
         FROM rehearsals, generate_series(1, 99) AS n",
        &[],
    )
    .await;
    app.clock.advance(Duration::from_secs(300));
    let last = owner
        .create(&dev, json!({"api_key_id": id, "seconds": 1}))
        .await;
    let list = owner.get(&format!("{dev}?limit=1")).await;
    assert_eq!(
        (&list.body["total"], &list.body["data"][0]),
        (&json!(100), &last.body)
    );
    let all = owner.get(&format!("{dev}?limit=100")).await;
    assert!(!all.body["data"].as_array().unwrap().contains(&first.body));
}
