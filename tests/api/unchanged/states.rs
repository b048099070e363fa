//! States that are written as they are: by promoting, rolling back, an approval; and a kill, which is always recorded.

use serde_json::{Value, json};

use super::Scene;
use crate::trail;

#[tokio::test]
async fn the_answer_names_the_version_that_stored_it() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    for (path, body) in [
        (&state, json!({"enabled": true})),
        (&flag, json!({"name": "G"})),
    ] {
        let [first, second] = scene.writes_once(path, &body).await;
        let version = first.header("x-snapshot-version");
        assert_eq!(second.header("x-snapshot-version"), version, "{path}");
        assert_eq!(second.header("etag"), format!("\"{version}\""));
        // Another environment's change moves the project's version on, and not this one.
        let staging = format!("{flag}/environments/{}", scene.project.staging);
        let rollout = json!({"percentage_rollout": body.to_string().len()});
        scene.owner.change(&staging, rollout).await;
        let third = scene.owner.change(path, body).await;
        assert_eq!(third.header("x-snapshot-version"), version, "{path}");
        let waited = format!("{path}?wait=edges");
        let waited = scene.owner.change(&waited, json!({})).await;
        assert_eq!(waited.header("x-snapshot-version"), version, "{path}");
        assert!(waited.headers.contains_key("x-edges-lagging"));
    }
}

#[tokio::test]
async fn a_state_that_was_never_stored_is_stored_once() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    scene
        .owner
        .get(&state)
        .await
        .expect(200, json!({"enabled": false}));
    let [first, _] = scene.writes_once(&state, &json!({"enabled": false})).await;
    assert_ne!(first.header("etag"), "\"0\"");
}

#[tokio::test]
async fn promoting_the_same_and_rolling_back_to_the_same_leave_no_trace() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let (dev, staging) = (&scene.project.dev, &scene.project.staging);
    let state = |env: &str| format!("{flag}/environments/{env}");
    let on = json!({"enabled": true, "percentage_rollout": 5_000});
    scene.owner.change(&state(dev), on).await;
    let promotion = json!({"source_env_id": dev, "target_env_id": staging});
    let rollback = json!({"env_id": dev, "version": 2});
    for (action, env, body) in [("promote", staging, promotion), ("rollback", dev, rollback)] {
        let path = format!("{flag}/{action}");
        scene.owner.act(&path, body.clone()).await;
        let shown = scene.owner.get(&state(env)).await;
        let marks = scene.marks().await;
        let again = scene.owner.act(&path, body).await;
        assert_eq!(again.body, shown.body, "{action}");
        assert_eq!(again.header("etag"), shown.header("etag"), "{action}");
        assert_eq!(scene.marks().await, marks, "{action}");
    }
}

#[tokio::test]
async fn a_kill_is_recorded_each_time() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let kill = format!("{flag}/kill");
    let body = json!({"env_id": scene.project.dev});
    for killed in 1..4 {
        let (_, _, events, ..) = scene.marks().await;
        scene.owner.act(&kill, body.clone()).await;
        let entries = trail::of_action(&scene.app, &scene.owner, "flag.killed").await;
        assert_eq!(entries.len(), killed);
        assert_eq!(scene.marks().await.2, events + 1);
    }
}

#[tokio::test]
async fn an_approved_change_of_nothing_records_the_decision_alone() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    let stored = scene.owner.change(&state, json!({"enabled": true})).await;
    let developer = scene.app.member(&scene.owner, "developer").await;
    let request = json!({
        "flag_key": "f", "env_id": scene.project.dev, "change_type": "enable", "payload": {"enabled": true},
    });
    let request = developer.create("/v1/approvals", request).await.text("/id");
    let before = scene.marks().await;
    let review = format!("/v1/approvals/{request}/review");
    let reviewed = scene.owner.act(&review, json!({"action": "approve"})).await;
    assert_eq!(reviewed.body["status"], "applied");
    let after = scene.marks().await;
    // Versions of the flag, the project and the environments stay.
    assert_eq!((after.1, after.3, after.4), (before.1, before.3, before.4));
    let mut entry = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(entry["action"], "flag.approved_change_applied");
    assert_eq!(entry["metadata"]["approval_id"], json!(request));
    assert_eq!(entry["before_state"].take(), entry["after_state"].take());
    let shown = scene.owner.get(&state).await;
    shown.expect(200, stored.body.clone());
    assert_eq!(shown.header("etag"), stored.header("etag"));
}

#[tokio::test]
async fn nothing_reaches_the_event_stream_of_edges() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    scene.owner.change(&state, json!({"enabled": true})).await;
    let seen = async || -> Vec<(i64, Option<String>)> {
        sqlx::query_as("SELECT version, changed_in::text FROM environments ORDER BY id")
            .fetch_all(scene.app.pool())
            .await
            .unwrap()
    };
    let before = seen().await;
    let again = scene.owner.change(&state, json!({"enabled": true})).await;
    assert_ne!(again.body, Value::Null);
    assert_eq!(seen().await, before);
}
