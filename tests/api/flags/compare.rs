//! Two environments side by side.

use harness::Setup;
use serde_json::{Value, json};

fn path(setup: &Setup, query: &str) -> String {
    format!("/v1/projects/{}/compare{query}", setup.project.id)
}

async fn put(setup: &Setup, key: &str, env: &str, body: Value) -> Value {
    let path = format!("{}/{key}/environments/{env}", setup.flags());
    let answer = setup.owner.put(&path, body).await;
    answer.expect_status(200).body.clone()
}

async fn with_flags(keys: &[&str]) -> Setup {
    let setup = Setup::new().await;
    for key in keys {
        let body = json!({"key": key, "name": format!("Flag {key}")});
        setup.owner.create(&setup.flags(), body).await;
    }
    setup
}

#[tokio::test]
async fn flags_with_different_states_are_shown_with_the_fields_that_differ() {
    let setup = with_flags(&["same", "on", "never", "rich", "off", "archived"]).await;
    let rule = json!([{"id": "r", "percentage": 10_000, "value": true}]);
    for env in ["dev", "staging"] {
        put(&setup, "same", env, json!({"enabled": true, "rules": rule})).await;
    }
    // Off with nothing set is what a state is that was never stored.
    put(&setup, "off", "dev", json!({"enabled": false})).await;
    put(&setup, "archived", "dev", json!({"enabled": true})).await;
    let archive = format!("{}/archived/archive", setup.flags());
    setup
        .owner
        .post(&archive, Value::Null)
        .await
        .expect_status(204);
    let on = put(&setup, "on", "dev", json!({"enabled": true})).await;
    let rich = json!({"enabled": true, "rules": rule, "percentage_rollout": 2_500,
                      "scheduled_disable_at": "2026-12-24T08:00:00Z"});
    let rich = put(&setup, "rich", "dev", rich).await;
    let other = put(
        &setup,
        "rich",
        "staging",
        json!({"enabled": true, "default_value": true}),
    )
    .await;
    let answer = setup.owner.get(&path(&setup, "?from=dev&to=staging")).await;
    let differs = [
        "default_value",
        "rules",
        "percentage_rollout",
        "scheduled_disable_at",
    ];
    answer.expect(
        200,
        json!({
            "data": [
                {"key": "on", "name": "Flag on", "differs": ["enabled"], "from": on, "to": null},
                {"key": "rich", "name": "Flag rich", "differs": differs, "from": rich, "to": other},
            ],
            "total": 2, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
    let (dev, staging) = (&setup.project.dev, &setup.project.staging);
    let turned = path(
        &setup,
        &format!("?from={staging}&to={dev}&limit=1&offset=1"),
    );
    let turned = setup.owner.get(&turned).await;
    assert_eq!(turned.body["data"][0]["from"], other);
    assert_eq!(
        (&turned.body["total"], &turned.body["has_more"]),
        (&json!(2), &json!(false))
    );
    let behind = setup
        .owner
        .get(&path(&setup, "?from=dev&to=staging&offset=9"))
        .await;
    assert_eq!(
        (&behind.body["data"], &behind.body["total"]),
        (&json!([]), &json!(2))
    );
}

#[tokio::test]
async fn a_page_of_large_states_ends_early_and_the_next_one_goes_on() {
    let keys: Vec<_> = (0..8).map(|number| format!("f{number}")).collect();
    let keys: Vec<_> = keys.iter().map(String::as_str).collect();
    let setup = with_flags(&keys).await;
    let values: Vec<_> = (0..100).map(|number| format!("{number:060}")).collect();
    let condition = json!({"attribute": "a", "operator": "in", "values": values});
    let rule = json!({"conditions": [condition], "percentage": 10_000, "value": true});
    let rules = vec![rule; 100];
    for key in &keys {
        put(&setup, key, "dev", json!({"rules": rules})).await;
    }
    let mut seen = Vec::new();
    loop {
        let query = format!("?from=dev&to=staging&offset={}", seen.len());
        let answer = setup.owner.get(&path(&setup, &query)).await;
        let page = answer.expect_status(200).body["data"].as_array().unwrap();
        assert!(!page.is_empty() && page.len() < keys.len());
        seen.extend(
            page.iter()
                .map(|one| one["key"].as_str().unwrap().to_owned()),
        );
        assert_eq!(answer.body["total"], 8);
        if answer.body["has_more"] == false {
            break;
        }
    }
    assert_eq!(seen, keys);
}

#[tokio::test]
async fn two_different_environments_of_the_project_are_needed() {
    let setup = with_flags(&[]).await;
    let same = format!("?from=dev&to={}", setup.project.dev);
    for (query, status, message) in [
        ("", 400, "from and to are required".to_owned()),
        ("?from=dev", 400, "to is required".to_owned()),
        (same.as_str(), 400, "from and to must differ".to_owned()),
        (
            "?from=dev&to=nowhere",
            404,
            "environment not found".to_owned(),
        ),
    ] {
        let refused = setup.owner.get(&path(&setup, query)).await;
        refused.expect_error(status, &message);
    }
    let stranger = setup.app.signup("globex").await;
    let refused = stranger.get(&path(&setup, "?from=dev&to=staging")).await;
    refused.expect_error(404, "project not found");
}

#[tokio::test]
async fn equal_rules_that_were_written_apart_do_not_differ() {
    let setup = with_flags(&["f"]).await;
    for env in ["dev", "staging"] {
        let rules = json!([{"percentage": 5_000}, {"percentage": 10_000}]);
        put(&setup, "f", env, json!({"rules": rules})).await;
    }
    let query = path(&setup, "?from=dev&to=staging");
    assert_eq!(setup.owner.get(&query).await.body["total"], 0);
    let swapped = json!([{"percentage": 10_000}, {"percentage": 5_000}]);
    put(&setup, "f", "staging", json!({"rules": swapped})).await;
    let differing = setup.owner.get(&query).await;
    assert_eq!(differing.body["data"][0]["differs"], json!(["rules"]));
}
