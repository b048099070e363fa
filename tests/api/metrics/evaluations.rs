//! Counters of evaluations, and their window.

use std::collections::HashSet;
use std::time::Duration;

use harness::App;
use serde_json::json;

use super::*;
use crate::trail;

#[tokio::test]
async fn every_answer_is_counted_by_flag_environment_and_reason() {
    let (app, scene) = Scene::start().await;
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
    let (app, owner) = App::with_owner_and(&[PATIENT]).await;
    app.clock.advance(Duration::from_secs(600));
    let nothing =
        json!({"total_evaluations": 0, "window_start": "2026-05-04T12:00:00Z", "counters": []});
    owner.get(EVALUATIONS).await.expect(200, nothing);
}

#[tokio::test]
async fn a_reset_clears_the_counters_and_starts_a_new_window() {
    let (app, scene) = Scene::start().await;
    scene.evaluate("checkout").await;
    app.clock.advance(Duration::from_secs(60));
    let reset = scene.owner.post(RESET, json!({})).await;
    reset.expect(200, json!({"status": "reset"}));
    let entry = scene.entry("metrics.counters_reset", json!({"total_evaluations": 1}));
    assert_eq!(trail::newest(&app, &scene.owner).await, entry);

    app.clock.advance(Duration::from_secs(60));
    scene.evaluate("checkout").await;
    let answer = scene.owner.get(EVALUATIONS).await;
    assert_eq!(answer.text("/window_start"), "2026-05-04T12:01:00Z");
    assert_eq!(answer.body["total_evaluations"], 1);
}

#[tokio::test]
async fn nobody_sees_or_resets_the_counters_of_another_organization() {
    let (app, scene) = Scene::start().await;
    let stranger = app.signup("stranger").await;
    scene.evaluate("checkout").await;
    let seen = stranger.get(EVALUATIONS).await;
    assert_eq!(seen.body["total_evaluations"], 0);
    stranger.act(RESET, json!({})).await;
    let expected = json!([["checkout", scene.dev, "DISABLED", 1]]);
    assert_eq!(scene.counters().await, expected);
}

#[tokio::test]
async fn what_a_deleted_environment_counted_is_deleted_too() {
    let (app, scene) = Scene::start().await;
    let staging = app
        .anonymous()
        .with_key(&scene.owner.api_key(&scene.staging).await);
    for sdk in [&scene.sdk, &staging] {
        evaluate(sdk, "checkout").await;
        evaluate(sdk, "unknown").await;
    }
    assert_eq!(scene.counters().await.as_array().unwrap().len(), 4);
    let path = format!("/v1/projects/{}/environments/{}", scene.project, scene.dev);
    scene.owner.remove(&path).await;
    let left = json!([
        ["checkout", scene.staging, "DISABLED", 1],
        ["unknown", scene.staging, "NOT_FOUND", 1],
    ]);
    eventually("the counters are deleted", async || {
        (scene.counters().await == left).then_some(())
    })
    .await;
    let unknown: i64 = app
        .value(
            "SELECT unknown_keys FROM usage_windows WHERE org_id = $1::uuid",
            &[&scene.owner.org_id],
        )
        .await;
    assert_eq!(unknown, 1, "there is room for others");
}

#[tokio::test]
async fn counters_beyond_twenty_thousand_are_in_the_next_part() {
    let (app, scene) = Scene::start().await;
    app.execute(
        "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
         SELECT $1::uuid, $2::uuid, 'flag-' || number, 'DISABLED', 2, now(), now()
         FROM generate_series(1, 20050) AS number",
        &[&scene.owner.org_id, &scene.dev],
    )
    .await;
    let first = scene.owner.get(EVALUATIONS).await;
    first.expect_status(200);
    assert_eq!(first.body["counters"].as_array().unwrap().len(), 20_000);
    assert_eq!(first.body["total_evaluations"], 40_100);
    let next = "/v1/metrics/evaluations?limit=20000&offset=20000";
    assert_eq!(first.header("link"), format!("<{next}>; rel=\"next\""));
    let last = scene.owner.get(next).await;
    assert_eq!(last.body["counters"].as_array().unwrap().len(), 50);
    assert_eq!(last.body["total_evaluations"], 40_100);
    assert_eq!(last.headers.get("link"), None);
}

#[tokio::test]
async fn counters_survive_a_restart_of_the_control_plane() {
    let (app, scene) = Scene::start().await;
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
    let (app, scene) = Scene::start().await;
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

#[tokio::test]
async fn a_reset_of_many_counters_leaves_the_window_free_between_batches() {
    let (app, scene) = Scene::start().await;
    scene.evaluate("unknown").await;
    scene.counters().await;
    // What each transaction deletes.
    for statement in [
        "CREATE TABLE batches (transaction text, deleted bigint)",
        "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO batches SELECT pg_current_xact_id()::text, COUNT(*) FROM gone; RETURN NULL;
         END $$",
        "CREATE TRIGGER note AFTER DELETE ON evaluation_counters REFERENCING OLD TABLE AS gone
         FOR EACH STATEMENT EXECUTE FUNCTION note()",
        "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
         SELECT org_id, env_id, 'flag-' || number, 'DISABLED', 2, first_seen_at, last_seen_at
         FROM evaluation_counters, generate_series(1, 20050) AS number",
    ] {
        sqlx::query(statement).execute(app.pool()).await.unwrap();
    }
    app.clock.advance(Duration::from_secs(60));
    let reset = scene.owner.post(RESET, json!({})).await;
    reset.expect(200, json!({"status": "reset"}));
    let batches: Vec<(String, i64)> =
        sqlx::query_as("SELECT transaction, deleted FROM batches WHERE deleted > 0")
            .fetch_all(app.pool())
            .await
            .unwrap();
    let deleted: Vec<_> = batches.iter().map(|(_, deleted)| *deleted).collect();
    assert_eq!(deleted, [10_000, 10_000, 51]);
    let transactions: HashSet<_> = batches.iter().map(|(transaction, _)| transaction).collect();
    assert_eq!(transactions.len(), 3);

    // All of it is in the trail, and the new window has room for others.
    let told: i64 = app
        .value(
            "SELECT sum((metadata ->> 'total_evaluations')::bigint)::bigint
         FROM audit_entries
         WHERE action = 'metrics.counters_reset'",
            &[],
        )
        .await;
    assert_eq!(told, 40_101);
    let unknown: i64 = app
        .value(
            "SELECT unknown_keys FROM usage_windows WHERE org_id = $1::uuid",
            &[&scene.owner.org_id],
        )
        .await;
    assert_eq!(unknown, 0);
    scene.owner.get(EVALUATIONS).await.expect(
        200,
        json!({"total_evaluations": 0, "window_start": "2026-05-04T12:01:00Z", "counters": []}),
    );
}

#[tokio::test]
async fn counters_whose_keys_are_long_when_escaped_are_in_several_parts() {
    let (app, scene) = Scene::start().await;
    // Six bytes in JSON for each of these characters.
    app.execute(
        "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
         SELECT $1::uuid, $2::uuid, repeat(chr(1), 250) || lpad(number::text, 5, '0'), 'NOT_FOUND', 1, now(), now()
         FROM generate_series(1, 4000) AS number",
        &[&scene.owner.org_id, &scene.dev],
    )
    .await;
    let mut seen = HashSet::new();
    let mut path = EVALUATIONS.to_owned();
    let mut parts = 0;
    loop {
        let part = scene.owner.get(&path).await;
        part.expect_status(200);
        assert_eq!(part.body["total_evaluations"], 4_000);
        assert!(part.body.to_string().len() < 5 * 1024 * 1024);
        let counters = part.body["counters"].as_array().unwrap().iter();
        seen.extend(counters.map(|counter| counter["flag_key"].as_str().unwrap().to_owned()));
        parts += 1;
        let Some(next) = next_part(&part) else {
            break;
        };
        path = next;
    }
    assert_eq!((parts, seen.len()), (2, 4_000));
}
