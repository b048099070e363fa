//! Flags that may go, and why.

use std::time::Duration;

use base::{db::Db, waker::Waker};
use domain::usage;
use protocol::wire::usage::UsageBatch;

use super::reports::{batch, edge};
use super::*;

/// For tests that last for months: nobody has to log in again, and no organization is deleted meanwhile.
const LASTING: [(&str, &str); 4] = [
    PATIENT,
    ("TOKEN_TTL_MINUTES", "1000000"),
    ("REFRESH_TTL_HOURS", "20000"),
    ("INACTIVITY_LIMIT", "0"),
];
const DAY: Duration = Duration::from_secs(86_400);

async fn start() -> (App, Scene) {
    let app = App::start_with(&LASTING).await;
    let scene = Scene::of(&app, "acme").await;
    (app, scene)
}

impl Scene {
    async fn flag(&self, body: Value) {
        let path = format!("/v1/projects/{}/flags", self.project);
        self.owner.create(&path, body).await;
    }

    async fn state(&self, key: &str, env_id: &str, body: Value) {
        let path = format!(
            "/v1/projects/{}/flags/{key}/environments/{env_id}",
            self.project
        );
        self.owner.change(&path, body).await;
    }

    async fn stale(&self, query: &str) -> Response {
        let path = format!("/v1/projects/{}/stale-flags?{query}", self.project);
        self.owner.get(&path).await
    }

    /// The flags of a page as `[key, [[reason, everywhere, environments, value], …]]`.
    async fn reasons(&self, query: &str) -> Value {
        let answer = self.stale(query).await;
        let flags = answer.expect_status(200).body["data"].as_array().unwrap();
        let of = |flag: &Value| {
            let reasons = flag["reasons"].as_array().unwrap().iter();
            let reasons: Vec<Value> = reasons
                .map(|one| {
                    let places = one["env_ids"].as_array().unwrap().len();
                    json!([one["reason"], one["everywhere"], places, one["value"]])
                })
                .collect();
            json!([flag["key"], reasons])
        };
        flags.iter().map(of).collect()
    }
}

async fn fold(app: &App) {
    let db = Db::new(app.pool().clone(), Waker::new());
    usage::fold(&db, app.clock.now()).await.unwrap();
}

fn serving(sequence: u64, env_id: &str, flag_key: &str, value: &str) -> UsageBatch {
    let mut served = batch(1, sequence, env_id, &[(flag_key, 3)]);
    value.clone_into(&mut served.evaluations[0].value);
    served
}

#[tokio::test]
async fn a_flag_that_nothing_evaluated_for_thirty_days_is_stale() {
    let (app, scene) = start().await;
    scene
        .flag(json!({"key": "kept", "name": "Kept", "permanent": true}))
        .await;
    scene.evaluate("checkout").await;
    assert_eq!(scene.counters().await.as_array().unwrap().len(), 1);
    assert_eq!(scene.reasons("").await, json!([]));
    app.clock.advance(29 * DAY);
    assert_eq!(scene.reasons("").await, json!([]));
    app.clock.advance(2 * DAY);
    scene.flag(json!({"key": "new", "name": "New"})).await;
    scene.stale("").await.expect(
        200,
        json!({
            "data": [{
                "id": "[uuid]", "key": "checkout", "name": "Checkout", "flag_type": "boolean",
                "created_at": "2026-05-04T12:00:00Z", "last_evaluated_at": "2026-05-04T12:00:00Z",
                "reference_count": null,
                "reasons": [{
                    "reason": "fully_off", "everywhere": true,
                    "env_ids": ["[uuid]", "[uuid]", "[uuid]"],
                    "value": null, "value_digest": null, "since": null,
                }, {
                    "reason": "not_evaluated", "everywhere": true,
                    "env_ids": ["[uuid]", "[uuid]", "[uuid]"],
                    "value": null, "value_digest": null, "since": "2026-05-04T12:00:00Z",
                }],
            }],
            "undistinguished": [],
            "total": 1, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
    // A reset deletes counters, not what series know.
    scene.evaluate("checkout").await;
    scene.owner.act(RESET, json!({})).await;
    assert_eq!(scene.reasons("reason=not_evaluated").await, json!([]));
}

#[tokio::test]
async fn a_flag_that_served_one_value_for_thirty_days_is_stale() {
    let (app, scene) = start().await;
    for key in ["mixed", "late"] {
        scene.flag(json!({"key": key, "name": key})).await;
    }
    let mut sequence = 0;
    let mut served = Vec::new();
    for day in 0..33 {
        served.clear();
        served.push((&scene.dev, "checkout", "true"));
        served.push((&scene.staging, "mixed", "true"));
        served.push((
            &scene.dev,
            "mixed",
            if day == 20 { "false" } else { "true" },
        ));
        if day > 10 {
            served.push((&scene.dev, "late", "true"));
        }
        for (env_id, flag_key, value) in &served {
            sequence += 1;
            let counted = serving(sequence, env_id, flag_key, value);
            app.usage.store(edge("fra"), counted).await.unwrap();
        }
        app.clock.advance(DAY);
        if day % 5 == 0 {
            fold(&app).await;
        }
    }
    let expected = json!([
        ["checkout", [["one_value", true, 1, true]]],
        ["mixed", [["one_value", false, 1, true]]],
    ]);
    assert_eq!(scene.reasons("reason=one_value").await, expected);
    fold(&app).await;
    assert_eq!(scene.reasons("reason=one_value").await, expected);
    let in_staging = json!([["mixed", [["one_value", false, 1, true]]]]);
    for env in [scene.staging.as_str(), "staging"] {
        let query = format!("reason=one_value&env_id={env}");
        assert_eq!(scene.reasons(&query).await, in_staging);
    }
    assert_eq!(scene.reasons("reason=fully_on").await, json!([]));

    // Another value, a moment ago, ends it.
    let other = serving(sequence + 1, &scene.dev, "checkout", "false");
    app.usage.store(edge("fra"), other).await.unwrap();
    assert_eq!(scene.reasons("reason=one_value").await, in_staging);
    // So does a change of the state.
    scene
        .state("mixed", &scene.staging, json!({"enabled": true}))
        .await;
    assert_eq!(scene.reasons("reason=one_value").await, json!([]));
}

#[tokio::test]
async fn one_value_is_not_claimed_where_series_share_a_row() {
    let (app, scene) = start().await;
    let first = serving(1, &scene.dev, "checkout", "true");
    app.usage.store(edge("fra"), first).await.unwrap();
    let shared = batch(1, 2, &scene.dev, &[("__other__", 5)]);
    app.usage.store(edge("fra"), shared).await.unwrap();
    app.clock.advance(31 * DAY);
    for (sequence, flag_key) in [(3, "checkout"), (4, "__other__")] {
        let counted = serving(sequence, &scene.dev, flag_key, "true");
        app.usage.store(edge("fra"), counted).await.unwrap();
    }
    let answer = scene.stale("reason=one_value").await;
    let expected = json!({"data": [], "undistinguished": [scene.dev], "total": 0, "limit": 50, "offset": 0, "has_more": false});
    answer.expect(200, expected);
}

#[tokio::test]
async fn a_flag_that_is_on_for_everyone_for_thirty_days_is_stale() {
    let (app, scene) = start().await;
    for key in ["partly", "ruled", "needs"] {
        let prerequisites = if key == "needs" {
            vec!["partly"]
        } else {
            Vec::new()
        };
        scene
            .flag(json!({"key": key, "name": key, "prerequisites": prerequisites}))
            .await;
    }
    let places = scene.owner.default_project().await;
    for env_id in [&places.dev, &places.staging, &places.production] {
        scene
            .state(
                "checkout",
                env_id,
                json!({"enabled": true, "percentage_rollout": 10_000}),
            )
            .await;
        scene.state("needs", env_id, json!({"enabled": true})).await;
    }
    scene
        .state("partly", &scene.dev, json!({"enabled": true}))
        .await;
    scene
        .state(
            "partly",
            &scene.staging,
            json!({"enabled": true, "percentage_rollout": 5_000}),
        )
        .await;
    let rule = json!({"percentage": 10_000, "value": true, "segment_keys": ["x"]});
    scene
        .state(
            "ruled",
            &scene.dev,
            json!({"enabled": true, "rules": [rule]}),
        )
        .await;
    app.clock.advance(31 * DAY);
    let expected = json!([
        ["checkout", [["fully_on", true, 3, null]]],
        ["partly", [["fully_on", false, 1, null]]],
    ]);
    assert_eq!(scene.reasons("reason=fully_on").await, expected);
    let page = scene.stale("reason=fully_on&limit=1&offset=1").await;
    assert_eq!(page.body["data"][0]["key"], "partly");
    assert_eq!(
        (&page.body["total"], &page.body["has_more"]),
        (&json!(2), &json!(false))
    );
    let beyond = scene.stale("reason=fully_on&offset=5").await;
    assert_eq!(
        (&beyond.body["total"], &beyond.body["data"]),
        (&json!(2), &json!([]))
    );

    let archive = format!("/v1/projects/{}/flags/checkout/archive", scene.project);
    let archived = scene.owner.post(&archive, json!({})).await;
    archived.expect_status(204);
    let left = json!([["partly", [["fully_on", false, 1, null]]]]);
    assert_eq!(scene.reasons("reason=fully_on").await, left);
}

#[tokio::test]
async fn a_flag_that_is_off_everywhere_for_thirty_days_is_stale() {
    let (app, scene) = start().await;
    for key in ["planned", "partly"] {
        scene.flag(json!({"key": key, "name": key})).await;
    }
    let on = json!({"enabled": true});
    scene.state("partly", &scene.dev, on).await;
    let off = json!({"enabled": false});
    scene.state("checkout", &scene.dev, off).await;
    let later = json!({"enabled": false, "scheduled_enable_at": "2027-05-04T12:00:00Z"});
    scene.state("planned", &scene.staging, later).await;
    app.clock.advance(31 * DAY);
    let expected = json!([["checkout", [["fully_off", true, 3, null]]]]);
    assert_eq!(scene.reasons("reason=fully_off").await, expected);
    assert_eq!(scene.reasons("reason=fully_off&env_id=dev").await, expected);
    let on = json!({"enabled": true});
    scene.state("checkout", &scene.dev, on).await;
    assert_eq!(scene.reasons("reason=fully_off").await, json!([]));
}

#[tokio::test]
async fn reasons_hold_for_as_many_days_as_are_asked_for() {
    let (app, scene) = start().await;
    app.clock.advance(8 * DAY);
    let settled = json!([["checkout", [["fully_off", true, 3, null]]]]);
    assert_eq!(scene.reasons("reason=fully_off&days=7").await, settled);
    assert_eq!(scene.reasons("reason=fully_off").await, json!([]));
    app.clock.advance(23 * DAY);
    assert_eq!(scene.reasons("reason=fully_off").await, settled);
    assert_eq!(scene.reasons("days=32").await, json!([]));
}

#[tokio::test]
async fn what_is_asked_of_stale_flags_is_checked() {
    let (app, scene) = start().await;
    let stranger = Scene::of(&app, "stranger").await;
    let refused = scene.stale("reason=old").await;
    refused.expect_error(
        400,
        "reason must be one of not_evaluated, one_value, fully_on, fully_off",
    );
    for env_id in [
        "nowhere",
        &stranger.dev,
        "019a0000-0000-7000-8000-000000000000",
    ] {
        let refused = scene.stale(&format!("env_id={env_id}")).await;
        refused.expect_error(404, "environment not found");
    }
    for project in [
        "nowhere",
        "019a0000-0000-7000-8000-000000000000",
        &stranger.project,
    ] {
        let path = format!("/v1/projects/{project}/stale-flags");
        let refused = scene.owner.get(&path).await;
        refused.expect_error(404, "project not found");
    }
}
