//! Trying an import.

use harness::source::state;
use serde_json::{Value, json};

use super::Scene;

#[tokio::test]
async fn an_import_that_is_tried_lists_what_it_would_create_and_imports_nothing() {
    let scene = Scene::set(&["production"]).await;
    scene
        .source
        .flag("plain", json!({"environments": {"production": state()}}));
    scene.source.segment("production", "beta", &["ada"]);
    let before = scene.app.contents().await;
    let path = "/v1/migration/execute?dry_run=true";
    let tried = scene.owner.act(path, scene.body()).await;
    assert_eq!(tried.body["dry_run"], true);
    assert_eq!(tried.body["total"], 4);
    let changes = tried.body["changes"].as_array().unwrap().iter();
    let places: Vec<_> = changes
        .map(|one| {
            assert_eq!(
                (&one["before"], &one["env_id"]),
                (&Value::Null, &Value::Null)
            );
            [&one["flag_key"], &one["segment_key"], &one["env_slug"]].map(Value::as_str)
        })
        .collect();
    let slug = places[0][2];
    assert!(slug.is_some());
    let (flag, segment) = (places[2][0], places[1][1]);
    assert_eq!(flag, Some("plain"));
    assert_eq!(
        places,
        [
            [None, None, slug],
            [None, segment, None],
            [flag, None, None],
            [flag, None, slug],
        ]
    );
    assert_eq!(scene.app.contents().await, before);
    let listed = scene.owner.get("/v1/migration").await;
    assert_eq!(listed.body["total"], 0);

    scene.import().await;
    let states = scene.state("plain", slug.unwrap()).await;
    let planned = &tried.body["changes"][3]["after"];
    for (field, value) in planned.as_object().unwrap() {
        assert_eq!(&states[field], value, "{field}");
    }
    let again = scene.owner.act(path, scene.body()).await;
    again.expect(200, json!({"dry_run": true, "changes": [], "total": 0}));
}

#[tokio::test]
async fn of_a_large_import_the_first_200_changes_are_listed() {
    let scene = Scene::set(&["production"]).await;
    for number in 0..250 {
        scene.source.flag(&format!("flag-{number}"), json!({}));
    }
    let path = "/v1/migration/execute?dry_run=true";
    let tried = scene.owner.act(path, scene.body()).await;
    assert_eq!(tried.body["changes"].as_array().unwrap().len(), 200);
    assert!(tried.body["total"].as_u64().unwrap() > 250);
}

#[tokio::test]
async fn a_dry_run_of_an_import_that_is_neither_true_nor_false_is_400() {
    let scene = Scene::set(&["production"]).await;
    let path = "/v1/migration/execute?dry_run=yes";
    let refused = scene.owner.post(path, scene.body()).await;
    refused.expect_error(400, "dry_run must be true or false");
    assert!(scene.source.asked().is_empty());
}
