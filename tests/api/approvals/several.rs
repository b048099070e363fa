//! Requests that several people have to approve.

use std::time::Duration;

use harness::User;
use serde_json::{Value, json};

use super::{Setup, approve, expect_pending, reject};
use crate::trail;

impl Setup {
    /// How many people have to approve in `dev`.
    pub(super) async fn require(&self, number: i32) {
        let path = format!(
            "/v1/projects/{}/environments/{}",
            self.project.id, self.project.dev
        );
        let body = json!({"required_approvals": number});
        self.owner.change(&path, body).await;
    }

    async fn set_role(&self, member: &User, role: &str) {
        let path = format!(
            "/v1/members/{}",
            self.owner.member_id_of(&member.email).await
        );
        let changed = self.owner.put(&path, json!({"role": role})).await;
        changed.expect(204, Value::Null);
    }
}

fn given(by: &User, note: Option<&str>) -> Value {
    json!({"reviewer_id": by.id, "note": note, "reviewed_at": "2026-05-04T12:01:00Z"})
}

#[tokio::test]
async fn the_last_approval_that_is_required_applies_the_request() {
    let setup = Setup::new().await;
    setup.require(2).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    let pending = setup.owner.get(&approval).await.body;
    assert_eq!(pending["required_approvals"], 2);
    assert_eq!(pending["approvals"], json!([]));

    setup.app.clock.advance(Duration::from_secs(60));
    let mut expected = pending.clone();
    expected["approvals"] = json!([given(&admin, Some("fine"))]);
    expected["updated_at"] = json!("2026-05-04T12:01:00Z");
    let body = json!({"action": "approve", "note": "fine"});
    let noted = admin.post(&format!("{approval}/review"), body).await;
    noted.expect(200, expected.clone());
    assert!(!noted.headers.contains_key("x-snapshot-version"));
    setup
        .developer
        .get(&approval)
        .await
        .expect(200, expected.clone());
    let list = setup.developer.get("/v1/approvals?status=pending").await;
    assert_eq!(list.body["data"], json!([expected]));
    assert_eq!(setup.state().await, json!({"enabled": false}));
    let entry = json!({
        "action": "approval.approved", "actor_type": "user", "actor_id": admin.id, "resource_type": "approval",
        "resource_id": pending["id"], "project_id": setup.project.id, "before_state": pending,
        "after_state": expected, "metadata": {"env_id": setup.project.dev},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);

    let applied = approve(&setup.owner, &approval).await;
    for (field, value) in [
        ("status", json!("applied")),
        ("reviewer_id", json!(setup.owner.id)),
        ("reviewer_name", json!("Owner")),
        ("reviewed_at", json!("2026-05-04T12:01:00Z")),
        (
            "approvals",
            json!([given(&admin, Some("fine")), given(&setup.owner, None)]),
        ),
    ] {
        expected[field] = value;
    }
    applied.expect(200, expected.clone());
    assert_eq!(setup.state().await["enabled"], true);

    setup.require(5).await;
    setup.owner.get(&approval).await.expect(200, expected);
}

#[tokio::test]
async fn a_second_approval_by_the_same_member_is_409() {
    let setup = Setup::new().await;
    setup.require(2).await;
    let approval = setup.ask("enable", Value::Null).await;
    approve(&setup.owner, &approval).await.expect_status(200);
    let refused = approve(&setup.owner, &approval).await;
    refused.expect_error(409, "you have approved this request already");
    expect_pending(&setup.owner, &approval).await;
    // Where one is enough now, it decides.
    setup.require(1).await;
    let applied = approve(&setup.owner, &approval).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
    assert_eq!(applied.body["approvals"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn one_rejection_rejects_whoever_approved_before() {
    let setup = Setup::new().await;
    setup.require(3).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    approve(&setup.owner, &approval).await.expect_status(200);
    let rejected = reject(&admin, &approval).await;
    assert_eq!(rejected.expect_status(200).body["status"], "rejected");
    assert_eq!(rejected.body["reviewer_id"], admin.id);
    assert_eq!(rejected.body["required_approvals"], 3);
    assert_eq!(rejected.body["approvals"][0]["reviewer_id"], setup.owner.id);
    assert_eq!(setup.state().await, json!({"enabled": false}));
}

#[tokio::test]
async fn the_number_at_the_deciding_review_counts() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    setup.require(2).await;
    let noted = approve(&admin, &approval).await;
    assert_eq!(noted.expect_status(200).body["status"], "pending");
    setup.require(1).await;
    let applied = approve(&setup.owner, &approval).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
    assert_eq!(applied.body["required_approvals"], 1);
}

#[tokio::test]
async fn the_approval_of_a_member_who_lost_the_right_does_not_count() {
    let setup = Setup::new().await;
    setup.require(2).await;
    let [one, two] = [
        setup.app.member(&setup.owner, "admin").await,
        setup.app.member(&setup.owner, "admin").await,
    ];
    let approval = setup.ask("enable", Value::Null).await;
    approve(&one, &approval).await.expect_status(200);
    setup.set_role(&one, "developer").await;
    let noted = approve(&two, &approval).await;
    assert_eq!(noted.expect_status(200).body["status"], "pending");
    assert_eq!(
        noted.body["approvals"].as_array().unwrap().len(),
        1,
        "{:#}",
        noted.body
    );
    assert_eq!(noted.body["approvals"][0]["reviewer_id"], two.id);
    let applied = approve(&setup.owner, &approval).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
}

#[tokio::test]
async fn a_custom_role_without_the_key_ends_an_approval() {
    let setup = Setup::new().await;
    setup.require(2).await;
    setup.app.set_plan(&setup.owner, "enterprise").await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    approve(&admin, &approval).await.expect_status(200);
    setup
        .app
        .hold_to(&setup.owner, &admin, &["approvals.read"])
        .await;
    let noted = approve(&setup.owner, &approval).await;
    assert_eq!(noted.expect_status(200).body["status"], "pending");
}

#[tokio::test]
async fn a_reviewer_who_is_demoted_while_they_wait_is_403() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup.ask("enable", Value::Null).await;
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let waiting = {
        let (admin, path) = (admin.clone(), format!("{approval}/review"));
        tokio::spawn(async move { admin.post(&path, json!({"action": "approve"})).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    setup.set_role(&admin, "developer").await;
    holder.commit().await.unwrap();
    let refused = waiting.await.unwrap();
    refused.expect_error(403, "insufficient permissions");
    expect_pending(&setup.owner, &approval).await;
}

#[tokio::test]
async fn of_two_approvals_at_once_both_count_and_one_applies() {
    let setup = Setup::new().await;
    setup.require(2).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let there = setup.app.another_replica().await;
    for _ in 0..3 {
        let approval = setup.ask("enable", Value::Null).await;
        let path = format!("{approval}/review");
        let (admin, body) = (admin.at(&there), json!({"action": "approve"}));
        let (one, other) = tokio::join!(approve(&setup.owner, &approval), admin.post(&path, body));
        let mut statuses = [one.text("/status"), other.text("/status")];
        statuses.sort();
        assert_eq!(statuses, ["applied", "pending"]);
        let shown = setup.owner.get(&approval).await;
        assert_eq!(shown.body["approvals"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_request_of_a_member_who_was_removed_is_reviewed_like_any_other() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let member = setup.owner.member_id_of(&setup.developer.email).await;
    setup.owner.remove(&format!("/v1/members/{member}")).await;
    let applied = approve(&setup.owner, &approval).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
    assert_eq!(applied.body["requestor_id"], setup.developer.id);
}
