//! What is accepted of a state and may not have been meant: the answer, the trail and explanations tell of it.

use harness::Response;
use serde_json::{Value, json};

use super::Setup;
use crate::trail;

fn warnings(answer: &Response) -> Option<&str> {
    let told = answer.headers.get("x-warnings")?;
    Some(told.to_str().expect("visible ASCII"))
}

/// A state with one of each, of a flag that is not `ab`.
fn doubtful() -> Value {
    json!({
        "enabled": true,
        "percentage_rollout": 25,
        "variants": [{"key": "a", "value": 1, "weight": 10_000}],
        "rules": [
            {"id": "good", "segment_keys": ["beta"], "value": true},
            {"id": "bad", "segment_keys": ["beta", "gama; x"], "percentage": 100, "value": true},
        ],
    })
}

/// What is told of it, as in the header.
const DOUBTS: &str = "percentage_rollout: 25 is 0.25 %, and 2500 is 25 %; \
                      variants: only flags of type ab use variants; \
                      rules[1].segment_keys: no segment has the key gama%3B%20x; \
                      rules[1].percentage: 100 is 1 %, and 10000 is 100 %";

/// The same as in bodies.
fn doubts() -> Value {
    let doubts = DOUBTS.split("; ").map(|text| {
        let (place, message) = text.split_once(": ").unwrap();
        json!({"place": place, "message": message})
    });
    doubts.collect()
}

async fn with_segment() -> Setup {
    let setup = Setup::with("boolean").await;
    let segments = format!("/v1/projects/{}/segments", setup.project.id);
    let beta = json!({"key": "beta", "name": "Beta", "rules": []});
    setup.owner.create(&segments, beta).await;
    setup
}

async fn explained(setup: &Setup, draft: Option<Value>) -> Value {
    let question = json!({
        "project_id": setup.project.id, "env_id": setup.project.dev, "flag_key": "f",
        "context": {"key": "user-1"}, "state": draft,
    });
    let told = setup.owner.post("/v1/explain", question).await;
    told.expect_status(200).body["warnings"].clone()
}

#[tokio::test]
async fn what_may_not_be_meant_is_stored_and_told() {
    let setup = with_segment().await;
    let stored = setup.put(doubtful()).await;
    stored.expect_status(200);
    assert_eq!(warnings(&stored), Some(DOUBTS));
    assert_eq!(stored.body["percentage_rollout"], 25);
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, stored.without_warnings(&doubts()).body);

    let entry = &trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["action"], "flag.state_updated");
    assert_eq!(
        entry["metadata"],
        json!({"env_id": setup.project.dev, "warnings": doubts()})
    );
    assert_eq!(explained(&setup, None).await, doubts());
}

#[tokio::test]
async fn only_what_is_given_is_told_of() {
    let setup = with_segment().await;
    setup.put(doubtful()).await.expect_status(200);
    for harmless in [
        json!({"enabled": false}),
        json!({"percentage_rollout": 0}),
        json!({"percentage_rollout": 101, "variants": []}),
        json!({"rules": [{"segment_keys": ["beta"], "value": true}]}),
    ] {
        let stored = setup.put(harmless.clone()).await;
        stored.expect_status(200);
        assert_eq!(warnings(&stored), None, "{harmless}");
        let entry = trail::newest(&setup.app, &setup.owner).await;
        assert_eq!(entry["metadata"], json!({"env_id": setup.project.dev}));
    }
}

#[tokio::test]
async fn a_draft_is_told_of_and_not_stored() {
    let setup = with_segment().await;
    assert_eq!(explained(&setup, None).await, json!([]));
    assert_eq!(explained(&setup, Some(doubtful())).await, doubts());
    assert_eq!(explained(&setup, None).await, json!([]));
}

#[tokio::test]
async fn variants_of_an_ab_flag_are_meant() {
    let setup = Setup::with("ab").await;
    let variants = json!({"variants": doubtful()["variants"]});
    let stored = setup.put(variants).await;
    stored.expect_status(200);
    assert_eq!(warnings(&stored), None);
}

#[tokio::test]
async fn a_segment_of_another_project_is_none() {
    let setup = with_segment().await;
    let other = setup.app.signup("other").await;
    let second = setup
        .owner
        .create("/v1/projects", json!({"name": "Second"}))
        .await;
    let theirs = other.default_project().await.id;
    for (user, project) in [(&setup.owner, second.text("/id")), (&other, theirs)] {
        let segment = json!({"key": "theirs", "name": "Theirs", "rules": []});
        let path = format!("/v1/projects/{project}/segments");
        user.create(&path, segment).await;
    }
    let stored = setup
        .put(json!({"rules": [{"segment_keys": ["theirs"]}]}))
        .await;
    assert_eq!(
        warnings(&stored),
        Some("rules[0].segment_keys: no segment has the key theirs")
    );
}

#[tokio::test]
async fn promoting_tells_of_what_it_copies() {
    let setup = with_segment().await;
    setup.put(doubtful()).await.expect_status(200);
    let between =
        json!({"source_env_id": setup.project.dev, "target_env_id": setup.project.staging});
    let promoted = setup
        .owner
        .act(&format!("{}/promote", setup.flag), between)
        .await;
    let copied: Vec<_> = DOUBTS
        .split("; ")
        .filter(|one| !one.starts_with("variants"))
        .collect();
    assert_eq!(warnings(&promoted), Some(copied.join("; ").as_str()));
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["action"], "flag.promoted");
    assert_eq!(entry["metadata"]["warnings"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn who_asks_for_approval_is_told_and_so_is_who_gives_it() {
    let setup = with_segment().await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let asked = json!({
        "flag_id": setup.flag_id, "env_id": setup.project.dev, "change_type": "update_state", "payload": doubtful(),
    });
    let asked = developer.create("/v1/approvals", asked).await;
    assert_eq!(warnings(&asked), Some(DOUBTS));
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["action"], "approval.created");
    assert_eq!(entry["metadata"]["warnings"], doubts());

    let path = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approved = setup.owner.act(&path, json!({"action": "approve"})).await;
    assert_eq!(warnings(&approved), Some(DOUBTS));
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["action"], "flag.approved_change_applied");
    assert_eq!(entry["metadata"]["warnings"], doubts());
}

#[tokio::test]
async fn ten_warnings_are_told_and_the_trail_keeps_all_of_them() {
    let setup = Setup::with("boolean").await;
    let keys: Vec<_> = (0..100)
        .map(|n| format!("{n:03}{}", "ü".repeat(250)))
        .collect();
    let stored = setup.put(json!({"rules": [{"segment_keys": keys}]})).await;
    stored.expect_status(200);
    let told: Vec<_> = warnings(&stored).unwrap().split("; ").collect();
    assert_eq!(told.len(), 10);
    let first = format!(
        "rules[0].segment_keys: no segment has the key 000{}...",
        "%C3%BC".repeat(16)
    );
    assert_eq!(told[0], first);
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["metadata"]["env_id"], setup.project.dev);
    assert_eq!(entry["metadata"]["warnings"].as_array().unwrap().len(), 10);
}
