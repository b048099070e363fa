//! Deciding about a request: what it answers, and in which order it refuses.

use std::time::Duration;

use harness::User;
use serde_json::{Value, json};

use super::{Setup, approve, decide, expect_pending, reject};
use crate::trail;

/// A pending request as it is after the owner decided, a minute later.
fn decided(setup: &Setup, pending: &Value, status: &str, note: Option<&str>) -> Value {
    let mut expected = pending.clone();
    for (field, value) in [
        ("status", json!(status)),
        ("reviewer_id", json!(setup.owner.id)),
        ("reviewer_name", json!("Owner")),
        ("review_note", json!(note)),
        ("reviewed_at", json!("2026-05-04T12:01:00Z")),
        ("updated_at", json!("2026-05-04T12:01:00Z")),
    ] {
        expected[field] = value;
    }
    if status == "applied" {
        expected["approvals"] = json!([
            {"reviewer_id": setup.owner.id, "note": note, "reviewed_at": "2026-05-04T12:01:00Z"},
        ]);
    }
    expected
}

#[tokio::test]
async fn an_approved_request_is_applied_to_the_given_fields_alone() {
    let setup = Setup::new().await;
    let state = format!("{}/environments/{}", setup.flag, setup.project.dev);
    let before = setup
        .owner
        .put(
            &state,
            json!({"percentage_rollout": 500, "scheduled_disable_at": "2026-07-01T00:00:00Z"}),
        )
        .await
        .body;
    let payload = json!({"enabled": true, "rules": [{"id": "r"}], "scheduled_disable_at": null, "unknown": 1});
    let approval = setup.ask("update_state", payload).await;
    let pending = setup.owner.get(&approval).await.body;

    setup.app.clock.advance(Duration::from_secs(60));
    let body = json!({"action": "approve", "note": "Looks good"});
    let applied = setup.owner.post(&format!("{approval}/review"), body).await;
    applied.expect(
        200,
        decided(&setup, &pending, "applied", Some("Looks good")),
    );
    let answer = setup.developer.get(&approval).await;
    answer.expect(200, applied.body.clone());

    let after = setup.state().await;
    let mut expected = before.clone();
    expected["enabled"] = json!(true);
    expected["rules"] = json!([{
        "id": "r", "priority": 0, "description": "", "conditions": [], "segment_keys": [], "percentage": 10_000,
        "match_type": "all",
    }]);
    expected["scheduled_disable_at"] = Value::Null;
    expected["updated_at"] = json!("2026-05-04T12:01:00Z");
    assert_eq!(after, expected);

    let entry = json!({
        "action": "flag.approved_change_applied", "actor_type": "user", "actor_id": setup.owner.id,
        "resource_type": "flag", "resource_id": setup.flag_id, "project_id": setup.project.id,
        "before_state": before, "after_state": after,
        "metadata": {"env_id": setup.project.dev, "approval_id": pending["id"]},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}

#[tokio::test]
async fn enable_and_disable_toggle_without_a_payload() {
    let setup = Setup::new().await;
    for (change_type, enabled) in [("enable", true), ("disable", false), ("disable", false)] {
        let approval = setup.ask(change_type, Value::Null).await;
        approve(&setup.owner, &approval).await.expect_status(200);
        assert_eq!(setup.state().await["enabled"], enabled);
    }
}

#[tokio::test]
async fn another_change_type_without_a_payload_applies_nothing() {
    let setup = Setup::new().await;
    let expected_entry = |approval_id: &Value, state: &Value| {
        json!({
            "action": "flag.approved_change_applied", "actor_type": "user", "actor_id": setup.owner.id,
            "resource_type": "flag", "resource_id": setup.flag_id, "project_id": setup.project.id,
            "before_state": state, "after_state": state,
            "metadata": {"env_id": setup.project.dev, "approval_id": approval_id},
        })
    };
    let approval = setup.ask("archive", Value::Null).await;
    let applied = approve(&setup.owner, &approval).await;
    applied.expect_status(200);
    assert_eq!(applied.body["status"], "applied");
    assert_eq!(applied.headers.get("x-snapshot-version"), None);
    assert_eq!(setup.state().await, json!({"enabled": false}));
    let entry = expected_entry(&applied.body["id"], &Value::Null);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);

    let enabling = setup.ask("enable", Value::Null).await;
    approve(&setup.owner, &enabling).await.expect_status(200);
    let state = setup.state().await;
    let approval = setup.ask("archive", json!({})).await;
    let applied = approve(&setup.owner, &approval).await;
    assert_eq!(applied.headers.get("x-snapshot-version"), None);
    assert_eq!(setup.state().await, state);
    let entry = expected_entry(&applied.body["id"], &state);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}

#[tokio::test]
async fn a_rejected_request_changes_nothing() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let pending = setup.owner.get(&approval).await.body;
    setup.app.clock.advance(Duration::from_secs(60));
    let rejected = reject(&setup.owner, &approval).await;
    rejected.expect(200, decided(&setup, &pending, "rejected", None));
    assert_eq!(rejected.headers.get("x-snapshot-version"), None);
    assert_eq!(setup.state().await, json!({"enabled": false}));

    let entry = json!({
        "action": "approval.rejected", "actor_type": "user", "actor_id": setup.owner.id, "resource_type": "approval",
        "resource_id": pending["id"], "project_id": setup.project.id, "before_state": pending,
        "after_state": rejected.body, "metadata": {"env_id": setup.project.dev},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}

#[tokio::test]
async fn an_action_other_than_approve_and_reject_is_400() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    for action in [json!(null), json!(""), json!("Approve"), json!("apply")] {
        let body = json!({"action": action});
        let refused = setup.owner.post(&format!("{approval}/review"), body).await;
        refused.expect_error(400, "action must be approve or reject");
    }
    for body in [
        json!({"action": 1}),
        json!({"action": "approve", "note": 1}),
    ] {
        let refused = setup.owner.post(&format!("{approval}/review"), body).await;
        refused.expect_status(400);
    }
    expect_pending(&setup.owner, &approval).await;
}

#[tokio::test]
async fn only_a_pending_request_can_be_reviewed() {
    let setup = Setup::new().await;
    let applied = setup.ask("enable", Value::Null).await;
    approve(&setup.owner, &applied).await.expect_status(200);
    let rejected = setup.ask("enable", Value::Null).await;
    reject(&setup.owner, &rejected).await.expect_status(200);

    let entries = trail::length(&setup.app, &setup.owner).await;
    for approval in [applied, rejected] {
        let before = setup.owner.get(&approval).await.body;
        for action in ["approve", "reject"] {
            decide(&setup.owner, &approval, action)
                .await
                .expect_error(409, "approval request is not pending");
        }
        setup.owner.get(&approval).await.expect(200, before);
    }
    assert_eq!(trail::length(&setup.app, &setup.owner).await, entries);
}

#[tokio::test]
async fn nobody_reviews_their_own_request() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let asked = setup.asking("enable", &Value::Null);
    let asked = admin.post("/v1/approvals", asked).await;
    let approval = format!("/v1/approvals/{}", asked.text("/id"));
    for action in ["approve", "reject"] {
        decide(&admin, &approval, action).await.expect_error(
            403,
            "your own approval request must be reviewed by somebody else",
        );
        expect_pending(&admin, &approval).await;
    }
    reject(&setup.owner, &approval).await.expect_status(200);
}

#[tokio::test]
async fn refusals_come_in_the_order_of_the_contract() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let review = |user: &User, approval: &str, body: &'static str| {
        let request = user
            .request(reqwest::Method::POST, &format!("{approval}/review"))
            .header("content-type", "application/json")
            .body(body);
        let user = user.clone();
        async move { user.send(request).await }
    };
    let asked = setup.asking("enable", &Value::Null);
    let asked = admin.post("/v1/approvals", asked).await;
    let own = format!("/v1/approvals/{}", asked.text("/id"));
    let unknown = "/v1/approvals/01890000-0000-7000-8000-000000000000";

    for refused in [
        &setup.developer,
        &setup.app.member(&setup.owner, "viewer").await,
    ] {
        review(refused, unknown, "{")
            .await
            .expect_error(403, "insufficient permissions");
    }
    review(&admin, unknown, "{")
        .await
        .expect_error(404, "approval request not found");
    review(&admin, &own, "{").await.expect_status(400);
    review(&admin, &own, "{}")
        .await
        .expect_error(400, "action must be approve or reject");

    reject(&setup.owner, &own).await.expect_status(200);
    review(&admin, &own, "{}")
        .await
        .expect_error(400, "action must be approve or reject");
    approve(&admin, &own)
        .await
        .expect_error(409, "approval request is not pending");
}
