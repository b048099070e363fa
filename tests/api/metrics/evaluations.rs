//! Counters of evaluations, and their window.

use std::time::Duration;

use harness::App;
use serde_json::json;

use super::*;
use crate::trail;

#[tokio::test]
async fn every_answer_is_counted_by_flag_environment_and_reason() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    let key = scene.owner.api_key(&scene.staging).await;
    let in_staging = app.anonymous().with_key(&key);

    scene.evaluate("checkout").await;
    scene.evaluate("nowhere").await;
    let keys = ["checkout", "checkout", "nowhere"].map(str::to_owned);
    scene.bulk(&keys).await;
    let flags = scene.sdk.get("/v1/client/dev/flags").await;
    let known = scene
        .sdk
        .request(reqwest::Method::GET, "/v1/client/dev/flags")
        .header("if-none-match", flags.header("etag"));
    assert_eq!(scene.sdk.send(known).await.status, 304);
    evaluate(&in_staging, "checkout").await;

    // By environment within a flag: ids rise with creation.
    let counter = |flag_key: &str, env_id: &str, reason: &str, count: u64| json!({"flag_key": flag_key, "env_id": env_id, "reason": reason, "count": count});
    scene.owner.get(EVALUATIONS).await.expect(
        200,
        json!({
            "total_evaluations": 6,
            "window_start": "[time]",
            "counters": [
                counter("checkout", &scene.dev, "DISABLED", 3),
                counter("checkout", &scene.staging, "DISABLED", 1),
                counter("nowhere", &scene.dev, "NOT_FOUND", 2),
            ],
        }),
    );
}

#[tokio::test]
async fn a_window_begins_with_the_organization() {
    let app = App::start_with(&[PATIENT]).await;
    let owner = app.signup("acme").await;
    app.clock.advance(Duration::from_secs(600));
    let nothing =
        json!({"total_evaluations": 0, "window_start": "2026-05-04T12:00:00Z", "counters": []});
    owner.get(EVALUATIONS).await.expect(200, nothing);
}

#[tokio::test]
async fn a_reset_clears_the_counters_and_starts_a_new_window() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    scene.evaluate("checkout").await;
    app.clock.advance(Duration::from_secs(60));
    let reset = scene.owner.post(RESET, json!({})).await;
    reset.expect(200, json!({"status": "reset"}));
    assert_eq!(
        trail::newest(&app, &scene.owner).await,
        json!({
            "action": "metrics.counters_reset",
            "actor_type": "user",
            "actor_id": scene.owner.id,
            "resource_type": "metrics",
            "resource_id": scene.owner.org_id,
            "project_id": null,
            "before_state": null,
            "after_state": null,
            "metadata": {"total_evaluations": 1},
        })
    );

    app.clock.advance(Duration::from_secs(60));
    scene.evaluate("checkout").await;
    let answer = scene.owner.get(EVALUATIONS).await;
    assert_eq!(answer.text("/window_start"), "2026-05-04T12:01:00Z");
    assert_eq!(answer.body["total_evaluations"], 1);
}

#[tokio::test]
async fn nobody_sees_or_resets_the_counters_of_another_organization() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    let stranger = app.signup("stranger").await;
    scene.evaluate("checkout").await;
    let seen = stranger.get(EVALUATIONS).await;
    assert_eq!(seen.body["total_evaluations"], 0);
    stranger.post(RESET, json!({})).await.expect_status(200);
    let expected = json!([["checkout", scene.dev, "DISABLED", 1]]);
    assert_eq!(scene.counters().await, expected);
}

#[tokio::test]
async fn what_a_deleted_environment_counted_stays_in_the_window() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    scene.evaluate("checkout").await;
    let expected = json!([["checkout", scene.dev, "DISABLED", 1]]);
    assert_eq!(scene.counters().await, expected);
    let path = format!("/v1/projects/{}/environments/{}", scene.project, scene.dev);
    scene.owner.delete(&path).await.expect_status(204);
    assert_eq!(scene.counters().await, expected);
}

#[tokio::test]
async fn counters_survive_a_restart_of_the_control_plane() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    scene.evaluate("checkout").await;
    let before = scene.owner.get(EVALUATIONS).await;
    let replica = app.another_replica().await;
    let after = scene.owner.at(&replica).get(EVALUATIONS).await;
    after.expect(200, before.body);
}

#[tokio::test]
async fn whoever_reads_at_one_replica_has_the_edges_of_all_report() {
    let app = App::start_with(&[PATIENT, ("USAGE_FLUSH_INTERVAL", "1h")]).await;
    let scene = Scene::of(&app, "acme").await;
    let elsewhere = scene.owner.at(&app.another_replica().await);
    // A replica is asked once it said that it is there.
    eventually("the replicas know each other", || async {
        scene.evaluate("checkout").await;
        let seen = elsewhere.get(EVALUATIONS).await.body["total_evaluations"].clone();
        (seen != 0).then_some(())
    })
    .await;
    let seen = elsewhere.get(EVALUATIONS).await.body["total_evaluations"].as_u64();
    scene.evaluate("checkout").await;
    let after = elsewhere.get(EVALUATIONS).await.body["total_evaluations"].as_u64();
    assert_eq!(after, seen.map(|seen| seen + 1));
}

#[tokio::test]
async fn a_key_shows_when_it_was_last_used_to_the_minute() {
    let app = App::start_with(&[PATIENT]).await;
    let scene = Scene::of(&app, "acme").await;
    let path = format!("/v1/environments/{}/api-keys", scene.dev);
    let last_used = async || {
        scene.owner.get(EVALUATIONS).await.expect_status(200);
        scene.owner.get(&path).await.body["data"][0]["last_used_at"].clone()
    };
    assert_eq!(last_used().await, json!(null));
    scene.evaluate("checkout").await;
    assert_eq!(last_used().await, "2026-05-04T12:00:00Z");
    app.clock.advance(Duration::from_secs(59));
    scene.evaluate("checkout").await;
    assert_eq!(last_used().await, "2026-05-04T12:00:00Z");
    app.clock.advance(Duration::from_secs(1));
    scene.evaluate("checkout").await;
    assert_eq!(last_used().await, "2026-05-04T12:01:00Z");
}
