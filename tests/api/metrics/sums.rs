//! Series told apart by some of their members, which always add up to what is counted.

use std::time::Duration;

use serde_json::json;

use super::reports::edge;
use super::series::{DAY, LASTING, SERIES, fold, series, sum, unix, valued};
use super::*;

#[tokio::test]
async fn series_are_told_apart_by_what_is_asked_for() {
    let (app, scene) = Scene::start().await;
    for (sequence, env_id) in [(1, &scene.dev), (2, &scene.staging)] {
        for flag_key in ["a", "b"] {
            let mut counted = valued(sequence, env_id, flag_key, &[("1", sequence), ("2", 10)]);
            counted.boot = [flag_key.as_bytes()[0]; 16];
            app.usage.store(edge("fra"), counted).await.unwrap();
        }
    }
    let answer = scene.owner.get(&format!("{SERIES}?by=env_id")).await;
    let of = |env_id: &str, count: u64| {
        json!({"flag_key": null, "env_id": env_id, "value": null, "value_digest": null, "variant_key": null,
               "reason": null, "points": [[unix(0), count]]})
    };
    answer.expect(
        200,
        json!({
            "step": "1h",
            "series": [of(&scene.staging, 24), of(&scene.dev, 22)],
            "left_out": {"series": 0, "evaluations": 0, "points": []},
        }),
    );
    let by_value = series(&scene, "by=value,flag_key&env_id=&flag_key=a").await;
    assert_eq!(
        by_value,
        json!([
            ["a", null, 2, null, [[0, 20]]],
            ["a", null, 1, null, [[0, 3]]]
        ])
    );
    let refused = scene.owner.get(&format!("{SERIES}?by=color")).await;
    refused.expect_error(
        400,
        "by must list flag_key, env_id, value, variant_key or reason",
    );
}

/// A million evaluations, in batches of an edge over three days.
#[tokio::test]
async fn a_million_evaluations_are_the_same_in_every_step_and_split() {
    const BATCHES: u64 = 250;
    let app = App::start_with(&LASTING).await;
    let scene = Scene::of(&app, "acme").await;
    let values: Vec<String> = (0..80).map(|number| format!("\"v{number}\"")).collect();
    for sequence in 1..=BATCHES {
        let counts: Vec<(&str, u64)> = values.iter().map(|value| (value.as_str(), 50)).collect();
        let env_id = if sequence % 4 == 0 {
            &scene.staging
        } else {
            &scene.dev
        };
        let flag_key = ["a", "b", "c"][usize::try_from(sequence % 3).unwrap()];
        let counted = valued(sequence, env_id, flag_key, &counts);
        app.usage.store(edge("fra"), counted).await.unwrap();
        app.clock.advance(Duration::from_secs(1_000));
        if sequence % 90 == 0 {
            fold(&app).await;
        }
    }
    let (from, to) = (unix(-DAY), unix(4 * DAY));
    for filter in [
        String::new(),
        format!("&env_id={}", scene.staging),
        "&flag_key=a".to_owned(),
    ] {
        let counted = scene.owner.get(&format!("{EVALUATIONS}?{}", &filter)).await;
        let total = counted.body["total_evaluations"].as_i64().unwrap();
        if filter.is_empty() {
            assert_eq!(total, 1_000_000);
        }
        for split in [
            "",
            "&by=value",
            "&by=env_id",
            "&by=flag_key,reason",
            "&by=variant_key",
        ] {
            for step in ["1h", "1d"] {
                let query = format!("from={from}&to={to}&step={step}{filter}{split}");
                assert_eq!(sum(&scene, &query).await, total, "{query}");
            }
        }
    }
}
