//! Keys that SDKs ask for and that no flag has.

use harness::App;
use serde_json::json;

use super::*;

fn report(env_id: &str) -> String {
    format!("/v1/metrics/unknown-flags?env_id={env_id}")
}

#[tokio::test]
async fn keys_beyond_ten_thousand_are_counted_together() {
    let app = App::start_with(&[PATIENT, ("RATE_EVALUATION", "0")]).await;
    let scene = Scene::of(&app, "acme").await;
    for first in (0..10_100).step_by(100) {
        let keys: Vec<_> = (first..first + 100)
            .map(|number| format!("junk-{number:05}"))
            .collect();
        scene.bulk(&keys).await;
    }
    let answer = scene.owner.get(EVALUATIONS).await;
    assert_eq!(answer.body["total_evaluations"], 10_100);
    let counters = answer.body["counters"].as_array().unwrap();
    assert_eq!(counters.len(), 10_001);
    let expected =
        json!({"flag_key": "__other__", "env_id": scene.dev, "reason": "NOT_FOUND", "count": 100});
    let other = counters
        .iter()
        .find(|counter| counter["flag_key"] == "__other__");
    assert_eq!(other, Some(&expected));

    // A key that has a counter keeps it, and so does every flag.
    let counted = counters
        .iter()
        .find(|counter| counter["flag_key"] != "__other__");
    let counted = counted.unwrap()["flag_key"].as_str().unwrap().to_owned();
    scene
        .bulk(&[counted.clone(), "new".to_owned(), "checkout".to_owned()])
        .await;
    let answer = scene.owner.get(EVALUATIONS).await;
    let count = |key: &str| {
        let counters = answer.body["counters"].as_array().unwrap().iter();
        let mut of_key = counters.filter(|counter| counter["flag_key"] == key);
        of_key.next().map(|counter| counter["count"].clone())
    };
    assert_eq!(count(&counted), Some(json!(2)));
    assert_eq!(count("__other__"), Some(json!(101)));
    assert_eq!(count("checkout"), Some(json!(1)));

    // A reset makes room again.
    scene.owner.act(RESET, json!({})).await;
    scene.evaluate("new").await;
    let expected = json!([["new", scene.dev, "NOT_FOUND", 1]]);
    assert_eq!(scene.counters().await, expected);
}

#[tokio::test]
async fn a_key_that_no_flag_can_have_is_counted_together_with_others() {
    let (_app, scene) = Scene::start().await;
    scene.evaluate(&"a".repeat(256)).await;
    scene.evaluate(&"b".repeat(100_000)).await;
    let expected = json!([["__other__", scene.dev, "NOT_FOUND", 2]]);
    assert_eq!(scene.counters().await, expected);
}

#[tokio::test]
async fn unknown_keys_of_an_environment_are_listed_by_key() {
    let (_app, scene) = Scene::start().await;
    for key in ["b", "a", "checkout", "b"] {
        scene.evaluate(key).await;
    }
    let seen = |flag_key: &str, count: u64| json!({"flag_key": flag_key, "env_id": scene.dev, "count": count, "first_seen_at": "[time]", "last_seen_at": "[time]"});
    scene.owner.get(&report(&scene.dev)).await.expect(
        200,
        json!({"data": [seen("a", 1), seen("b", 2)], "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
    let second = format!("{}&limit=1&offset=1", report(&scene.dev));
    scene.owner.get(&second).await.expect(
        200,
        json!({"data": [seen("b", 2)], "total": 2, "limit": 1, "offset": 1, "has_more": false}),
    );
    let nothing = json!({"data": [], "total": 0, "limit": 50, "offset": 0, "has_more": false});
    let elsewhere = scene.owner.get(&report(&scene.staging)).await;
    elsewhere.expect(200, nothing.clone());

    let flags = format!("/v1/projects/{}/flags", scene.project);
    for key in ["a", "b"] {
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        scene.owner.create(&flags, flag).await;
    }
    let known = scene.owner.get(&report(&scene.dev)).await;
    known.expect(200, nothing);
}

#[tokio::test]
async fn the_report_is_of_an_environment_of_the_organization() {
    let (app, scene) = Scene::start().await;
    let stranger = app.signup("stranger").await;
    for missing in ["/v1/metrics/unknown-flags", &report("")] {
        let answer = scene.owner.get(missing).await;
        answer.expect_error(400, "env_id or project_id is required");
    }
    for unknown in ["none", "019a0000-0000-7000-8000-000000000000"] {
        let answer = scene.owner.get(&report(unknown)).await;
        answer.expect_error(404, "environment not found");
    }
    let foreign = stranger.get(&report(&scene.dev)).await;
    foreign.expect_error(404, "environment not found");
}

#[tokio::test]
async fn unknown_keys_of_a_project_say_where_they_were_asked_for() {
    let (app, scene) = Scene::start().await;
    let stranger = app.signup("stranger").await;
    let key = scene.owner.api_key(&scene.staging).await;
    let staging = app.anonymous().with_key(&key);
    for flag_key in ["b", "a", "b", "checkout"] {
        scene.evaluate(flag_key).await;
    }
    evaluate(&staging, "b").await;
    let path = |project: &str| format!("/v1/metrics/unknown-flags?project_id={project}");
    let seen = |flag_key: &str, env_id: &str, count: u64| json!({"flag_key": flag_key, "env_id": env_id, "count": count, "first_seen_at": "[time]", "last_seen_at": "[time]"});
    let mut of_b = [(&scene.dev, 2), (&scene.staging, 1)];
    of_b.sort();
    let expected = json!({
        "data": [seen("a", &scene.dev, 1), seen("b", of_b[0].0, of_b[0].1), seen("b", of_b[1].0, of_b[1].1)],
        "total": 3, "limit": 50, "offset": 0, "has_more": false,
    });
    for project in [scene.project.as_str(), "default"] {
        scene
            .owner
            .get(&path(project))
            .await
            .expect(200, expected.clone());
    }
    for unknown in ["nowhere", "019a0000-0000-7000-8000-000000000000"] {
        let answer = scene.owner.get(&path(unknown)).await;
        answer.expect_error(404, "project not found");
    }
    let foreign = stranger.get(&path(&scene.project)).await;
    foreign.expect_error(404, "project not found");
}
