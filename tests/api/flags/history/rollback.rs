//! Setting a state back to what it was.

use std::time::Duration;

use serde_json::{Value, json};

use super::Scene;
use crate::trail;

#[tokio::test]
async fn a_state_is_set_back_as_a_whole() {
    let scene = Scene::set().await;
    let rules = json!([{"id": "r", "conditions": [{"attribute": "a", "operator": "regex", "values": ["^x$"]}],
                        "value": true}]);
    let mut then = scene
        .put(
            json!({"enabled": true, "rules": rules, "percentage_rollout": 5000, "default_value": true,
                    "variants": [{"key": "v", "value": true, "weight": 10000}],
                    "scheduled_disable_at": "2027-01-01T00:00:00Z"}),
        )
        .await;
    let before = scene
        .put(json!({"enabled": false, "rules": [], "percentage_rollout": null, "default_value": null, "variants": [],
                    "scheduled_disable_at": null}))
        .await;
    scene.app.clock.advance(Duration::from_secs(5));
    let restored = scene.roll_back(2).await;
    // Variants were warned about when they were given.
    then.as_object_mut().unwrap().remove("warnings");
    then["updated_at"] = json!("2026-05-04T12:00:05Z");
    restored.expect(200, then.clone());
    assert!(
        restored
            .header("x-snapshot-version")
            .parse::<u64>()
            .unwrap()
            > 0
    );
    let answer = scene.owner.get(&scene.dev()).await;
    answer.expect(200, then.clone());
    let flag = scene.owner.get(&scene.flag).await.body;
    assert_eq!(
        trail::newest(&scene.app, &scene.owner).await,
        json!({
            "action": "flag.rolled_back", "actor_type": "user", "actor_id": scene.owner.id, "resource_type": "flag",
            "resource_id": flag["id"], "project_id": scene.project.id, "before_state": before, "after_state": then,
            "metadata": {"env_id": scene.project.dev, "version": 2},
        })
    );
}

#[tokio::test]
async fn due_times_that_are_past_stay_out() {
    let scene = Scene::set().await;
    scene
        .put(json!({"scheduled_enable_at": "2026-05-04T12:00:30Z", "scheduled_disable_at": "2026-05-04T13:00:00Z"}))
        .await;
    scene
        .put(json!({"scheduled_enable_at": null, "scheduled_disable_at": null}))
        .await;
    scene.app.clock.advance(Duration::from_secs(30));
    let restored = scene.roll_back(2).await;
    restored.expect_status(200);
    assert_eq!(restored.body["scheduled_enable_at"], Value::Null);
    assert_eq!(
        restored.body["scheduled_disable_at"],
        "2026-05-04T13:00:00Z"
    );
}

#[tokio::test]
async fn the_size_of_the_environment_follows() {
    let scene = Scene::set().await;
    let sizes = async || -> (i64, i64) {
        sqlx::query_as(
            "SELECT state_bytes, state_pattern_bytes FROM environments WHERE id = $1::uuid",
        )
        .bind(&scene.project.dev)
        .fetch_one(scene.app.pool())
        .await
        .unwrap()
    };
    let rules = json!([{"conditions": [{"attribute": "a", "operator": "regex", "values": ["^[a-z]{3,20}$"]}],
                        "value": true}]);
    scene.put(json!({"rules": rules})).await;
    let full = sizes().await;
    assert!(full.1 > 0);
    scene.put(json!({"rules": []})).await;
    assert!(sizes().await < full);
    scene.roll_back(2).await.expect_status(200);
    assert_eq!(sizes().await, full);
}

#[tokio::test]
async fn what_the_restored_state_may_not_mean_is_told() {
    let scene = Scene::set().await;
    let segments = format!("/v1/projects/{}/segments", scene.project.id);
    let beta = json!({"key": "beta", "name": "Beta", "rules": []});
    scene.owner.create(&segments, beta).await;
    let rules = json!([{"segment_keys": ["beta"], "value": true}]);
    scene.put(json!({"rules": rules})).await;
    scene.put(json!({"rules": []})).await;
    let beta = format!("{segments}/beta");
    scene.owner.remove(&beta).await;
    let restored = scene.roll_back(2).await;
    restored.expect_status(200);
    assert_eq!(
        restored.header("x-warnings"),
        "rules[0].segment_keys: no segment has the key beta"
    );
}
