//! Withdrawing one's own request.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::{Setup, approve, expect_pending};
use crate::trail;

async fn withdraw(user: &harness::User, approval: &str) -> harness::Response {
    let request = user.request(Method::POST, &format!("{approval}/withdraw"));
    user.send(request).await
}

#[tokio::test]
async fn a_withdrawn_request_is_rejected_by_its_requestor() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let pending = setup.owner.get(&approval).await.body;
    setup.app.clock.advance(Duration::from_secs(60));
    let mut expected = pending.clone();
    for (field, value) in [
        ("status", json!("rejected")),
        ("reviewer_id", json!(setup.developer.id)),
        ("reviewer_name", json!("developer")),
        ("reviewed_at", json!("2026-05-04T12:01:00Z")),
        ("updated_at", json!("2026-05-04T12:01:00Z")),
    ] {
        expected[field] = value;
    }
    withdraw(&setup.developer, &approval)
        .await
        .expect(200, expected.clone());
    setup
        .owner
        .get(&approval)
        .await
        .expect(200, expected.clone());
    let entry = json!({
        "action": "approval.withdrawn", "actor_type": "user", "actor_id": setup.developer.id, "resource_type": "approval",
        "resource_id": pending["id"], "project_id": setup.project.id, "before_state": pending,
        "after_state": expected, "metadata": {"env_id": setup.project.dev},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
    assert_eq!(setup.state().await, json!({"enabled": false}));
}

#[tokio::test]
async fn the_request_of_another_member_cannot_be_withdrawn() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    withdraw(&setup.owner, &approval).await.expect_error(
        403,
        "only the member who made an approval request can withdraw it: reject it instead",
    );
    expect_pending(&setup.owner, &approval).await;
    let stranger = setup.app.signup("globex").await;
    withdraw(&stranger, &approval)
        .await
        .expect_error(404, "approval request not found");
}

#[tokio::test]
async fn a_request_that_is_not_pending_cannot_be_withdrawn() {
    let setup = Setup::new().await;
    let applied = setup.ask("enable", Value::Null).await;
    approve(&setup.owner, &applied).await.expect_status(200);
    let withdrawn = setup.ask("enable", Value::Null).await;
    withdraw(&setup.developer, &withdrawn)
        .await
        .expect_status(200);
    for approval in [applied, withdrawn.clone()] {
        let refused = withdraw(&setup.developer, &approval).await;
        refused.expect_error(409, "approval request is not pending");
    }
    let refused = approve(&setup.owner, &withdrawn).await;
    refused.expect_error(409, "approval request is not pending");
}

#[tokio::test]
async fn of_an_approval_and_a_withdrawal_at_once_one_wins() {
    let setup = Setup::new().await;
    for _ in 0..3 {
        let approval = setup.ask("enable", Value::Null).await;
        let (one, other) = tokio::join!(
            approve(&setup.owner, &approval),
            withdraw(&setup.developer, &approval)
        );
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409]);
    }
}
