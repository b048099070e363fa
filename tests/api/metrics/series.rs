//! What flags answered over time: minutes, hours and days that always add up to what is counted.

use std::time::Duration;

use base::{db::Db, waker::Waker};
use domain::usage;
use harness::App;
use protocol::reason::Reason;
use protocol::wire::usage::UsageBatch;
use serde_json::json;
use sha2::Digest;
use time::OffsetDateTime;
use time::macros::datetime;

use super::reports::{batch, edge};
use super::*;

pub(super) const SERIES: &str = "/v1/metrics/series";
/// When the clock of tests begins.
const START: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);
/// For tests that last for days: nobody has to log in again, and no organization is deleted meanwhile.
pub(super) const LASTING: [(&str, &str); 4] = [
    PATIENT,
    ("TOKEN_TTL_MINUTES", "1000000"),
    ("REFRESH_TTL_HOURS", "20000"),
    ("INACTIVITY_LIMIT", "0"),
];
const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 24 * HOUR;

pub(super) fn unix(after: i64) -> i64 {
    START.unix_timestamp() + after
}

/// The series of a query as `[flag_key, reason, value, variant_key, [[seconds since the start, count], …]]`.
pub(super) async fn series(scene: &Scene, query: &str) -> Value {
    let answer = scene.owner.get(&format!("{SERIES}?{query}")).await;
    answer.expect_status(200);
    let series = answer.body["series"].as_array().unwrap().iter();
    series
        .map(|one| {
            let points = one["points"].as_array().unwrap().iter();
            let since = |point: &Value| json!([point[0].as_i64().unwrap() - unix(0), point[1]]);
            let points: Vec<Value> = points.map(since).collect();
            json!([
                one["flag_key"],
                one["reason"],
                one["value"],
                one["variant_key"],
                points
            ])
        })
        .collect()
}

/// What all series of a query have together, those included that have no room.
pub(super) async fn sum(scene: &Scene, query: &str) -> i64 {
    let answer = scene.owner.get(&format!("{SERIES}?{query}")).await;
    answer.expect_status(200);
    let series = answer.body["series"].as_array().unwrap();
    assert!(series.len() <= 50);
    let points = series
        .iter()
        .flat_map(|one| one["points"].as_array().unwrap());
    let shown: i64 = points.map(|point| point[1].as_i64().unwrap()).sum();
    let left_out = &answer.body["left_out"];
    let points = left_out["points"].as_array().unwrap().iter();
    let rest: i64 = points.map(|point| point[1].as_i64().unwrap()).sum();
    assert_eq!(left_out["evaluations"], rest);
    shown + rest
}

pub(super) async fn fold(app: &App) {
    let db = Db::new(app.pool().clone(), Waker::new());
    usage::fold(&db, app.clock.now()).await.unwrap();
}

/// A batch with a count for each value of a flag.
pub(super) fn valued(
    sequence: u64,
    env_id: &str,
    flag_key: &str,
    counts: &[(&str, u64)],
) -> UsageBatch {
    let mut told = batch(1, sequence, env_id, &[]);
    for (value, count) in counts {
        let mut one = batch(1, sequence, env_id, &[(flag_key, *count)]);
        let mut one = one.evaluations.remove(0);
        (*value).clone_into(&mut one.value);
        told.evaluations.push(one);
    }
    told
}

#[tokio::test]
async fn what_was_served_is_counted_beside_the_reason() {
    let (app, scene) = Scene::start().await;
    let project = format!("/v1/projects/{}/flags", scene.project);
    let ab = json!({"key": "button", "name": "Button", "flag_type": "ab", "default_value": {}});
    scene.owner.create(&project, ab).await;
    let long = "a".repeat(200);
    let variants = json!([{"key": "x", "value": long, "weight": 10_000}]);
    let state = json!({"enabled": true, "variants": variants});
    let path = format!("{project}/button/environments/{}", scene.dev);
    scene.owner.change(&path, state).await;
    scene.evaluate("checkout").await;
    eventually("the variant is served", async || {
        scene.evaluate("button").await;
        let seen = series(&scene, "flag_key=button&step=1m").await;
        seen.to_string().contains("VARIANT").then_some(())
    })
    .await;
    scene.evaluate("nowhere").await;
    app.clock.advance(Duration::from_secs(60));
    scene.evaluate("checkout").await;
    scene.evaluate("checkout").await;

    let answer = scene
        .owner
        .get(&format!("{SERIES}?flag_key=checkout&step=1m"))
        .await;
    answer.expect(
        200,
        json!({
            "step": "1m",
            "series": [{
                "flag_key": "checkout",
                "env_id": scene.dev,
                "value": false,
                "value_digest": null,
                "variant_key": "",
                "reason": "DISABLED",
                "points": [[unix(0), 1], [unix(60), 2]],
            }],
            "left_out": {"series": 0, "evaluations": 0, "points": []},
        }),
    );
    let hours = series(&scene, "flag_key=checkout").await;
    assert_eq!(
        hours,
        json!([["checkout", "DISABLED", false, "", [[0, 3]]]])
    );

    let answer = scene
        .owner
        .get(&format!("{SERIES}?flag_key=button&step=1d"))
        .await;
    let all = answer.body["series"].as_array().unwrap();
    let served = all.iter().find(|one| one["reason"] == "VARIANT").unwrap();
    assert_eq!(
        (&served["variant_key"], &served["value"]),
        (&json!("x"), &json!(null))
    );
    let digest = sha2::Sha256::digest(format!("\"{long}\""));
    assert_eq!(served["value_digest"], hex::encode(&digest[..8]));

    // Keys that no flag has are counted together, and everything adds up.
    let unknown = series(&scene, "flag_key=__other__").await;
    assert_eq!(
        unknown,
        json!([["__other__", "NOT_FOUND", null, "", [[0, 1]]]])
    );
    let counted = scene.owner.get(EVALUATIONS).await;
    for step in ["1m", "1h", "1d"] {
        let sum = sum(&scene, &format!("step={step}")).await;
        assert_eq!(counted.body["total_evaluations"], sum, "{step}");
    }
}

#[tokio::test]
async fn hours_and_days_add_up_before_and_after_they_are_folded() {
    let app = App::start_with(&LASTING).await;
    let scene = Scene::of(&app, "acme").await;
    let mut sequence = 0;
    let mut hours = Vec::new();
    // 30 hours: each of them counts in two minutes.
    for hour in 0..30 {
        for count in [hour + 1, 100] {
            sequence += 1;
            let counted = valued(sequence, &scene.dev, "a", &[("true", count)]);
            app.usage.store(edge("fra"), counted).await.unwrap();
            app.clock.advance(Duration::from_secs(1_800));
        }
        hours.push(json!([i64::try_from(hour).unwrap() * HOUR, hour + 101]));
        if hour % 7 == 0 {
            fold(&app).await;
        }
    }
    let (from, to) = (unix(0), unix(30 * HOUR));
    let by_hour = format!("flag_key=a&from={from}&to={to}&step=1h");
    let by_day = format!("flag_key=a&from={from}&to={to}&step=1d");
    let days = |first: u64, second: u64| {
        let points = json!([[-12 * HOUR, first], [DAY - 12 * HOUR, second]]);
        json!([["a", "ROLLOUT", true, "", points]])
    };
    let first: u64 = (1..=12).map(|number| number + 100).sum();
    let second: u64 = (13..=30).map(|number| number + 100).sum();
    for _ in 0..2 {
        let expected = json!([["a", "ROLLOUT", true, "", hours]]);
        assert_eq!(series(&scene, &by_hour).await, expected);
        assert_eq!(series(&scene, &by_day).await, days(first, second));
        fold(&app).await;
    }
    let rows: Vec<(i32, i64)> =
        sqlx::query_as("SELECT step, COUNT(*) FROM evaluation_series GROUP BY step ORDER BY step")
            .fetch_all(app.pool())
            .await
            .unwrap();
    assert_eq!(rows, [(60, 60), (3_600, 30), (86_400, 1)]);

    // What comes late is added to the first minute that was not folded.
    app.clock.set(START + Duration::from_secs(29 * 3_600));
    let late = valued(sequence + 1, &scene.dev, "a", &[("true", 7)]);
    app.usage.store(edge("fra"), late).await.unwrap();
    app.clock.set(START + Duration::from_secs(31 * 3_600));
    let later = series(&scene, &format!("flag_key=a&from={to}&step=1h")).await;
    assert_eq!(later, json!([["a", "ROLLOUT", true, "", [[30 * HOUR, 7]]]]));
}

#[tokio::test]
async fn points_are_kept_for_as_long_as_their_step_says() {
    let app = App::start_with(&LASTING).await;
    let scene = Scene::of(&app, "acme").await;
    let counted = valued(1, &scene.dev, "a", &[("true", 5)]);
    app.usage.store(edge("fra"), counted).await.unwrap();
    let rows = async || {
        let rows: Vec<i32> = sqlx::query_scalar("SELECT step FROM evaluation_series ORDER BY step")
            .fetch_all(app.pool())
            .await
            .unwrap();
        rows
    };
    let from = unix(0);
    let by_day = format!("flag_key=a&from={from}&to={}&step=1d", from + 1);
    for (days, kept) in [
        (1, &[60, 3_600, 86_400][..]),
        (2, &[60, 3_600, 86_400]),
        (3, &[3_600, 86_400]),
        (90, &[3_600, 86_400]),
        (91, &[86_400]),
    ] {
        app.clock.set(START + Duration::from_secs(days * 86_400));
        fold(&app).await;
        assert_eq!(rows().await, kept, "after {days} days");
        assert_eq!(sum(&scene, &by_day).await, 5, "after {days} days");
    }
    for (days, kept) in [(729, &[86_400][..]), (732, &[])] {
        app.clock.set(START + Duration::from_secs(days * 86_400));
        fold(&app).await;
        assert_eq!(rows().await, kept, "after {days} days");
    }
}

#[tokio::test]
async fn series_are_filtered_and_belong_to_their_organization() {
    let (app, scene) = Scene::start().await;
    let stranger = Scene::of(&app, "stranger").await;
    for (sequence, env_id) in [(1, &scene.dev), (2, &scene.staging)] {
        let counted = valued(sequence, env_id, "a", &[("1", sequence), ("2", 10)]);
        app.usage.store(edge("fra"), counted).await.unwrap();
    }
    for (query, expected) in [
        (String::new(), 23),
        (format!("env_id={}", scene.dev), 11),
        (format!("env_id={}&flag_key=a", scene.staging), 12),
        (format!("project_id={}", scene.project), 23),
        (format!("project_id={}", stranger.project), 0),
        (format!("env_id={}", stranger.dev), 0),
        ("flag_key=b".to_owned(), 0),
        ("env_id=dev".to_owned(), 0),
        (
            "flag_key=&env_id=&project_id=&from=&to=&step=".to_owned(),
            23,
        ),
    ] {
        assert_eq!(sum(&scene, &query).await, expected, "{query}");
    }
    assert_eq!(sum(&stranger, &format!("env_id={}", scene.dev)).await, 0);
    scene.owner.act(RESET, json!({})).await;
    assert_eq!(
        sum(&scene, "").await,
        23,
        "a reset begins another window of counters alone"
    );
}

#[tokio::test]
async fn fifty_series_are_told_and_the_rest_is_summed_up() {
    let (app, scene) = Scene::start().await;
    let values: Vec<String> = (1..=60).map(|number| number.to_string()).collect();
    let counts: Vec<(&str, u64)> = values
        .iter()
        .map(|value| (value.as_str(), value.parse().unwrap()))
        .collect();
    let counted = valued(1, &scene.dev, "a", &counts);
    app.usage.store(edge("fra"), counted).await.unwrap();
    let answer = scene.owner.get(&format!("{SERIES}?flag_key=a")).await;
    let told = answer.body["series"].as_array().unwrap();
    let values: Vec<u64> = told
        .iter()
        .map(|one| one["value"].as_u64().unwrap())
        .collect();
    assert_eq!(values, (11..=60).rev().collect::<Vec<u64>>());
    assert_eq!(
        answer.body["left_out"],
        json!({"series": 10, "evaluations": 55, "points": [[unix(0), 55]]})
    );
}

#[tokio::test]
async fn series_beyond_two_thousand_in_a_minute_are_counted_together() {
    let (app, scene) = Scene::start().await;
    for sequence in 1..=3 {
        let mut counted = batch(1, sequence, &scene.dev, &[]);
        for number in 0..900 {
            // The last hundred of each batch are the first of the next.
            let flag_key = format!("flag-{:05}", (sequence - 1) * 800 + number);
            let mut one = batch(1, sequence, &scene.dev, &[(&flag_key, 1)]);
            counted.evaluations.append(&mut one.evaluations);
        }
        app.usage.store(edge("fra"), counted).await.unwrap();
    }
    let other = series(&scene, "flag_key=__other__&step=1m").await;
    assert_eq!(
        other,
        json!([["__other__", "ROLLOUT", null, "", [[0, 500]]]])
    );
    assert_eq!(sum(&scene, "step=1m").await, 2_700);
    let rows: i64 = app
        .value("SELECT COUNT(*) FROM evaluation_series", &[])
        .await;
    assert_eq!(rows, 2_001);
    app.clock.advance(Duration::from_secs(3_600));
    fold(&app).await;
    // Back to where the token is good.
    app.clock.set(START);
    assert_eq!(sum(&scene, "step=1h").await, 2_700);
}

#[tokio::test]
async fn what_cannot_be_a_series_is_400() {
    let (_app, owner) = App::with_owner_and(&[PATIENT]).await;
    for (query, refused) in [
        ("step=5m", "step must be 1m, 1h or 1d"),
        (
            "from=yesterday",
            "from must be a time (RFC 3339) or seconds of Unix time, from 1970 on",
        ),
        ("from=20&to=10", "from must be before to"),
        (
            "from=0&to=9000000&step=1h&flag_key=a",
            "from and to must be at most 2000 steps apart",
        ),
        (
            "from=0&to=2000000&step=1h",
            "from and to must be at most 300 steps apart without flag_key",
        ),
    ] {
        let answer = owner.get(&format!("{SERIES}?{query}")).await;
        answer.expect_error(400, refused);
    }
}

#[tokio::test]
async fn what_comes_without_a_value_is_counted_by_its_reason() {
    let (app, scene) = Scene::start().await;
    let mut counted = batch(1, 1, &scene.dev, &[("a", 5)]);
    counted.evaluations[0].value.clear();
    assert_eq!(counted.evaluations[0].reason, Reason::Rollout);
    app.usage.store(edge("fra"), counted).await.unwrap();
    let told = series(&scene, "flag_key=a").await;
    assert_eq!(told, json!([["a", "ROLLOUT", null, "", [[0, 5]]]]));
}

#[tokio::test]
async fn the_series_of_a_deleted_environment_are_deleted_too() {
    let (app, scene) = Scene::start().await;
    for (sequence, env_id) in [(1, &scene.dev), (2, &scene.staging)] {
        let counted = valued(sequence, env_id, "a", &[("1", sequence)]);
        app.usage.store(edge("fra"), counted).await.unwrap();
    }
    let path = format!("/v1/projects/{}/environments/{}", scene.project, scene.dev);
    scene.owner.remove(&path).await;
    eventually("the series are deleted", async || {
        (sum(&scene, "").await == 2).then_some(())
    })
    .await;
}
