//! What is asked for, and recorded answers.

use harness::migration::{Evaluator, import};
use harness::source::state;
use harness::{App, Source, places};
use serde_json::{Value, json};

use crate::migration::Scene;

fn recorded(name: &str) -> Vec<Value> {
    let pages = (1..=2).map(|number| {
        let path = format!("tests/platforms/launchdarkly/{name}_{number}.json");
        let text = std::fs::read_to_string(places::repository().join(path)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    });
    pages
        .flat_map(|page| page["items"].as_array().unwrap().clone())
        .collect()
}

/// The recorded lists are short ones: they do not tell what is served, and the import says so.
#[tokio::test]
async fn recorded_answers_are_read() {
    let (_app, owner) = App::with_owner_and(&[("RATE_MIGRATION", "0")]).await;
    let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let source = Source::holding(&json!({
        "environments": recorded("getEnvironmentsByProject"), "flags": recorded("getFeatureFlags"), "segments": {},
    }));
    let imported = import(&owner, &source.body(&project.text("/id"))).await;
    assert_eq!(imported.status["status"], "completed");
    let path = format!("/v1/projects/{}/flags", project.text("/id"));
    let flags = owner.get(&path).await;
    let shown: Vec<_> = flags.body["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| (flag["key"].clone(), flag["flag_type"].clone()))
        .collect();
    // In the order in which they were created there.
    assert_eq!(
        shown,
        [
            ("flag1", "boolean"),
            ("flag2_value", "string"),
            ("flag4_multivalue", "string"),
            ("flag3_multivalue", "string"),
            ("flag5", "boolean"),
        ]
        .map(|(key, flag_type)| (json!(key), json!(flag_type)))
    );
    for key in ["flag1", "flag5"] {
        assert!(!imported.said_of(key).is_empty(), "{key}");
    }
}

#[tokio::test]
async fn three_environments_are_asked_for_at_once() {
    let scene = Scene::set(&["a", "b", "c", "d"]).await;
    scene.source.flag("plain", json!({}));
    let imported = scene.import().await;
    assert_eq!(imported.exact_flags().len(), 1);
    for slug in ["a", "b", "c", "d"] {
        assert_eq!(scene.state("plain", slug).await["enabled"], true, "{slug}");
    }
    let asked = scene.source.asked();
    let mut of_flags: Vec<_> = asked
        .iter()
        .map(|(_, path)| path.as_str())
        .filter(|path| path.contains("summary=0"))
        .collect();
    // They are on their way at the same time.
    of_flags.sort_unstable();
    assert_eq!(
        of_flags,
        [
            "/api/v2/flags/shop?summary=0&limit=100&env=a&env=b&env=c",
            "/api/v2/flags/shop?summary=0&limit=100&env=d",
        ]
    );
}

#[tokio::test]
async fn archived_flags_are_left_out_and_named() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    scene.source.flag("old", json!({"archived": true}));
    let imported = scene.import().await;
    assert_eq!(imported.status["flags_total"], 1);
    assert_eq!(
        imported.status["errors"],
        json!([{"flag": "old", "error": "it is archived"}])
    );
}

#[tokio::test]
async fn a_source_of_many_pages_is_read_to_its_end() {
    let scene = Scene::set(&["production"]).await;
    for number in 0..250 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    for number in 0..120 {
        let key = format!("segment-{number}");
        scene.source.segment("production", &key, &["ada"]);
    }
    let imported = scene.import().await;
    assert_eq!(
        (
            &imported.status["flags_imported"],
            &imported.status["segments_imported"]
        ),
        (&json!(250), &json!(120))
    );
}

#[tokio::test]
async fn a_flag_that_is_off_serves_what_it_serves_there() {
    let scene = Scene::set(&["production"]).await;
    let mut off = state();
    off["on"] = json!(false);
    off["offVariation"] = json!(0);
    scene
        .source
        .flag("backwards", json!({"environments": {"production": off}}));
    let imported = scene.import().await;
    assert_eq!(imported.exact_flags().len(), 1);
    let path = format!("/v1/projects/{}/flags/backwards", scene.target);
    assert_eq!(scene.owner.get(&path).await.body["default_value"], true);
}

#[tokio::test]
async fn dates_are_compared_as_numbers_and_as_texts() {
    let scene = Scene::set(&["production"]).await;
    let millis = 1_700_000_000_000_i64;
    for (key, op, negate, operand) in [
        ("after", "after", false, json!(millis)),
        ("after-text", "after", false, json!("2023-11-14T22:13:20Z")),
        ("not-before", "before", true, json!(millis)),
    ] {
        let mut state = state();
        let clause = json!({"attribute": "at", "op": op, "negate": negate, "values": [operand]});
        state["rules"] = json!([{"clauses": [clause], "variation": 0}]);
        state["fallthrough"] = json!({"variation": 1});
        scene
            .source
            .flag(key, json!({"environments": {"production": state}}));
    }
    scene.import().await;
    let keys = ["after", "after-text", "not-before"];
    let evaluator = Evaluator::new(&scene.app, &scene.owner, &scene.target, "production").await;
    for (at, after, not_before) in [
        (json!(millis + 1), true, true),
        (json!(1_700_000_000_000.5), true, true),
        (json!(millis), false, true),
        (json!(millis - 1), false, false),
        (json!("2023-11-14T22:13:20.001Z"), true, true),
        (json!("2023-11-14T23:13:20+01:00"), false, true),
        (json!("2023-11-14T22:13:19Z"), false, false),
        (json!("yesterday"), false, false),
        (json!(true), false, false),
        (json!(null), false, false),
    ] {
        let context = json!({"key": "ada", "attributes": {"at": at}});
        let values = evaluator.values(&keys, &context).await;
        let expected = [after, after, not_before].map(Value::Bool);
        assert_eq!(keys.map(|key| values[key].clone()), expected, "{at}");
    }
}
