//! How percentages and variants draw, where that is another platform's way.

use serde_json::{Value, json};

use super::{Setup, plain};
use crate::trail;

fn unleash() -> Value {
    json!({"algorithm": "unleash", "group_id": "g"})
}

fn launchdarkly() -> Value {
    json!({"algorithm": "launchdarkly", "salt": "s", "seed": 61})
}

#[tokio::test]
async fn a_bucketing_is_shown_where_there_is_one_and_null_clears_it() {
    let setup = Setup::with("boolean").await;
    let stored = setup
        .put(json!({"enabled": true, "bucketing": unleash()}))
        .await;
    let mut expected = plain(true);
    expected["bucketing"] = unleash();
    stored.expect(200, expected.clone());
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["after_state"]["bucketing"], unleash());
    setup.owner.get(&setup.dev()).await.expect(200, expected);

    let mut expected = plain(true);
    expected["bucketing"] = launchdarkly();
    let stored = setup.put(json!({"bucketing": launchdarkly()})).await;
    stored.expect(200, expected.clone());
    let stored = setup.put(json!({"percentage_rollout": null})).await;
    stored.expect(200, expected);
    let cleared = setup.put(json!({"bucketing": null})).await;
    cleared.expect(200, plain(true));
}

#[tokio::test]
async fn a_bucketing_that_breaks_a_rule_is_400() {
    let setup = Setup::with("boolean").await;
    setup.put(json!({"enabled": true})).await;
    let entries = trail::length(&setup.app, &setup.owner).await;
    let long = "x".repeat(256);
    for (bucketing, message) in [
        (
            json!({"algorithm": "unleash", "group_id": long}),
            "bucketing.group_id must have at most 255 characters",
        ),
        (
            json!({"algorithm": "launchdarkly", "salt": long}),
            "bucketing.salt must have at most 255 characters",
        ),
    ] {
        let refused = setup.put(json!({"bucketing": bucketing})).await;
        refused.expect_error(400, message);
    }
    for bucketing in [
        json!("unleash"),
        json!({"group_id": "g"}),
        json!({"algorithm": "flagsmith", "salt": "s"}),
        json!({"algorithm": "unleash"}),
        json!({"algorithm": "unleash", "group_id": "g", "salt": "s"}),
        json!({"algorithm": "unleash", "group_id": "a\u{0}b"}),
        json!({"algorithm": "launchdarkly", "salt": "s", "seed": "61"}),
    ] {
        let refused = setup.put(json!({"bucketing": bucketing})).await;
        assert_eq!(refused.status, 400, "{bucketing}");
    }
    setup.owner.get(&setup.dev()).await.expect(200, plain(true));
    assert_eq!(trail::length(&setup.app, &setup.owner).await, entries);
}

#[tokio::test]
async fn an_explanation_shows_the_buckets_that_were_drawn() {
    let setup = Setup::with("ab").await;
    let variants = json!([{"key": "a", "value": 1, "weight": 8_000}, {"key": "b", "value": 2, "weight": 2_000}]);
    for (bucketing, rollout, variant, value) in [
        (unleash(), 498, 8_004, json!(2)),
        (
            json!({"algorithm": "launchdarkly", "salt": "s"}),
            9_195,
            9_195,
            json!(2),
        ),
        (launchdarkly(), 8_018, 8_018, json!(2)),
    ] {
        let body = json!({"enabled": true, "variants": variants, "percentage_rollout": 9_999, "bucketing": bucketing});
        setup.put(body).await.expect_status(200);
        let question = json!({
            "project_id": setup.project.id, "env_id": setup.project.dev, "flag_key": "f",
            "context": {"key": "user-1", "attributes": {}},
        });
        let explained = setup.owner.post("/v1/explain", question).await;
        explained.expect_status(200);
        assert_eq!(
            explained.body["buckets"],
            json!({"rollout": rollout, "mutex": null, "variant": variant}),
            "{bucketing}"
        );
        assert_eq!(explained.body["result"]["value"], value, "{bucketing}");
    }
}

#[tokio::test]
async fn promoting_copies_the_bucketing_and_rolling_back_restores_it() {
    let setup = Setup::with("boolean").await;
    let (dev, staging) = (setup.project.dev.clone(), setup.project.staging.clone());
    setup
        .put(json!({"enabled": true, "percentage_rollout": 5_000, "bucketing": unleash()}))
        .await;
    let between = json!({"source_env_id": dev, "target_env_id": staging});
    let promoted = setup
        .owner
        .post(&format!("{}/promote", setup.flag), between)
        .await;
    assert_eq!(promoted.body["bucketing"], unleash());

    let changed = setup.put(json!({"bucketing": launchdarkly()})).await;
    changed.expect_status(200);
    let history = format!("{}/history?env_id={dev}", setup.flag);
    let history = setup.owner.get(&history).await;
    history.expect_status(200);
    let newest = &history.body["data"][0];
    assert_eq!(newest["changed"], json!(["bucketing"]));
    let earlier = history.body["data"][1]["version"].as_i64().unwrap();
    let restored = setup
        .owner
        .post(
            &format!("{}/rollback", setup.flag),
            json!({"env_id": dev, "version": earlier}),
        )
        .await;
    restored.expect_status(200);
    assert_eq!(restored.body["bucketing"], unleash());

    let cleared = setup.put(json!({"bucketing": null})).await;
    cleared.expect_status(200);
    let restored = setup
        .owner
        .post(
            &format!("{}/rollback", setup.flag),
            json!({"env_id": dev, "version": earlier}),
        )
        .await;
    assert_eq!(restored.body["bucketing"], unleash());
}
