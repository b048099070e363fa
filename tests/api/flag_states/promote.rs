//! Promoting a state from one environment to another.

use serde_json::{Value, json};

use super::{Setup, version};
use crate::trail;

fn between(source: &str, target: &str) -> Value {
    json!({"source_env_id": source, "target_env_id": target})
}

#[tokio::test]
async fn promote_copies_four_fields_and_leaves_the_rest_of_the_target() {
    let setup = Setup::with("ab").await;
    let (dev, staging) = (setup.project.dev.clone(), setup.project.staging.clone());
    let variant = |key: &str| json!([{"key": key, "value": key, "weight": 10_000}]);
    let source = setup
        .put(json!({
            "enabled": true, "default_value": "dev", "rules": [{"id": "r", "percentage": 500}], "percentage_rollout": 7_000,
            "variants": variant("dev"), "scheduled_enable_at": "2026-06-01T00:00:00Z",
        }))
        .await;
    let target = setup
        .owner
        .put(
            &setup.state(&staging),
            json!({"default_value": "staging", "variants": variant("staging"),
                   "scheduled_disable_at": "2026-07-01T00:00:00Z"}),
        )
        .await;

    let promoted = setup
        .owner
        .post(&format!("{}/promote", setup.flag), between(&dev, &staging))
        .await;
    let mut expected = target.body.clone();
    for copied in ["enabled", "default_value", "rules", "percentage_rollout"] {
        expected[copied] = source.body[copied].clone();
    }
    promoted.expect(200, expected.clone());
    assert!(version(&promoted) > version(&target));
    let answer = setup.owner.get(&setup.state(&staging)).await;
    answer.expect(200, expected);
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, source.body.clone());

    let mut entry = setup.entry("flag.promoted", &target.body, &promoted.body);
    entry["metadata"] = between(&dev, &staging);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}

#[tokio::test]
async fn promote_creates_the_target_and_copies_what_is_not_set_as_not_set() {
    let setup = Setup::with("boolean").await;
    let (dev, staging) = (&setup.project.dev, &setup.project.staging);
    let promote = format!("{}/promote", setup.flag);
    let source = setup.put(json!({"enabled": true})).await.body;

    let created = setup.owner.act(&promote, between(dev, staging)).await;
    assert_ne!(created.body["id"], source["id"]);
    assert_eq!(created.body["enabled"], true);

    setup
        .owner
        .put(
            &setup.state(staging),
            json!({"percentage_rollout": 5, "default_value": true}),
        )
        .await;
    let again = setup.owner.post(&promote, between(dev, staging)).await;
    again.expect(200, created.body.clone());
}

#[tokio::test]
async fn promote_needs_two_environments_of_the_project_and_a_stored_source() {
    let setup = Setup::with("boolean").await;
    let (dev, staging) = (setup.project.dev.as_str(), setup.project.staging.as_str());
    let promote = format!("{}/promote", setup.flag);
    let foreign = setup.app.signup("globex").await.default_project().await.dev;
    let unknown = "environment not found";
    for (body, status, message) in [
        (
            json!({}),
            400,
            "source_env_id and target_env_id are required",
        ),
        (
            json!({"source_env_id": dev}),
            400,
            "target_env_id is required",
        ),
        (between("", staging), 400, "source_env_id is required"),
        (
            between(dev, dev),
            400,
            "source_env_id and target_env_id must differ",
        ),
        (
            between(dev, &dev.to_uppercase()),
            400,
            "source_env_id and target_env_id must differ",
        ),
        (
            between("dev", dev),
            400,
            "source_env_id and target_env_id must differ",
        ),
        (between("nowhere", staging), 404, unknown),
        (between(&foreign, staging), 404, unknown),
        (between(dev, &foreign), 404, unknown),
        (
            between(dev, staging),
            404,
            "the flag has no state in the source environment",
        ),
    ] {
        let refused = setup.owner.post(&promote, body).await;
        refused.expect_error(status, message);
    }
    let unknown_flag = promote.replace("/f/", "/g/");
    let refused = setup.owner.post(&unknown_flag, json!({})).await;
    refused.expect_error(404, "flag not found");
    let answer = setup.owner.get(&setup.state(staging)).await;
    answer.expect(200, json!({"enabled": false}));
}
