//! Requests about things that changed or went meanwhile: approving is refused, rejecting is not.

use harness::User;
use serde_json::{Value, json};

use super::{Setup, approve, expect_pending, reject};

/// Asserts that an approval is refused for this reason, leaves no trace, and can still be rejected.
async fn expect_only_rejection(setup: &Setup, approval: &str, reason: &str) {
    let owner: &User = &setup.owner;
    approve(owner, approval).await.expect_error(409, reason);
    expect_pending(owner, approval).await;
    approve(owner, approval).await.expect_error(409, reason);
    let rejected = reject(owner, approval).await;
    rejected.expect_status(200);
    assert_eq!(rejected.body["status"], "rejected");
    let applied: i64 = setup
        .app
        .value(
            "SELECT COUNT(*) FROM audit_entries WHERE action = 'flag.approved_change_applied'",
            &[],
        )
        .await;
    assert_eq!(applied, 0);
}

#[tokio::test]
async fn the_request_of_a_deleted_flag_stays_and_cannot_be_approved() {
    let setup = Setup::new().await;
    let enabling = setup.ask("enable", Value::Null).await;
    let nothing = setup.ask("archive", Value::Null).await;
    let mut expected = setup.owner.get("/v1/approvals").await.body;
    for approval in expected["data"].as_array_mut().unwrap() {
        approval["flag_key"] = Value::Null;
    }
    setup.owner.remove(&setup.flag).await;
    // Another flag of the same key is another flag.
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    let again = json!({"key": "f", "name": "F", "flag_type": "boolean"});
    setup.owner.create(&flags, again).await;

    setup.owner.get("/v1/approvals").await.expect(200, expected);
    let gone = "the flag of the approval request is gone";
    expect_only_rejection(&setup, &enabling, gone).await;
    expect_only_rejection(&setup, &nothing, gone).await;
    assert_eq!(setup.state().await, json!({"enabled": false}));
}

#[tokio::test]
async fn the_request_of_a_deleted_environment_stays_and_cannot_be_approved() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let env = format!(
        "/v1/projects/{}/environments/{}",
        setup.project.id, setup.project.dev
    );
    setup.owner.remove(&env).await;
    let gone = "the environment of the approval request is gone";
    expect_only_rejection(&setup, &approval, gone).await;
}

#[tokio::test]
async fn the_request_of_a_deleted_project_stays_and_cannot_be_approved() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let mut expected = setup.owner.get(&approval).await.body;
    for name in ["project_slug", "flag_key", "env_slug"] {
        expected[name] = Value::Null;
    }
    let project = format!("/v1/projects/{}", setup.project.id);
    setup.owner.remove(&project).await;
    setup.owner.get(&approval).await.expect(200, expected);
    let gone = "the flag of the approval request is gone";
    expect_only_rejection(&setup, &approval, gone).await;
}

#[tokio::test]
async fn a_request_stays_when_those_who_asked_and_reviewed_leave() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    approve(&admin, &approval).await.expect_status(200);
    let mut expected = setup.owner.get(&approval).await.body;
    for name in ["requestor_name", "reviewer_name"] {
        expected[name] = Value::Null;
    }
    // With their accounts, which no endpoint deletes.
    for user in [&setup.developer, &admin] {
        setup
            .app
            .execute("DELETE FROM users WHERE id = $1::uuid", &[&user.id])
            .await;
    }
    setup.owner.get(&approval).await.expect(200, expected);
}

#[tokio::test]
async fn a_payload_that_became_invalid_cannot_be_approved() {
    let setup = Setup::new().await;
    // A rule that a later version of the service has, and a form that it no longer knows.
    for (stored, reason) in [
        (
            json!({"enabled": true, "default_value": "yes"}),
            "the approval request can no longer be applied: default_value must be a boolean",
        ),
        (
            json!({"enabled": "yes"}),
            "the approval request can no longer be applied: payload is no flag state",
        ),
    ] {
        let approval = setup.ask("update_state", json!({"enabled": true})).await;
        sqlx::query("UPDATE approvals SET payload = $1 WHERE status = 'pending'")
            .bind(stored)
            .execute(setup.app.pool())
            .await
            .unwrap();
        expect_only_rejection(&setup, &approval, reason).await;
    }
    assert_eq!(setup.state().await, json!({"enabled": false}));
}

#[tokio::test]
async fn a_change_for_which_the_environment_has_no_room_cannot_be_approved() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    setup
        .app
        .execute(
            "UPDATE environments SET state_bytes = 48 * 1024 * 1024 WHERE id = $1::uuid",
            &[&setup.project.dev],
        )
        .await;
    expect_only_rejection(
        &setup,
        &approval,
        "the approval request can no longer be applied: the compiled environment would exceed 48 MiB",
    )
    .await;
}
