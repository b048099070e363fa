//! What a request changes, beside what was there when it was made and what is there now; and that nobody approves it blindly.

use harness::{Response, User};
use serde_json::{Value, json};

use super::{Setup, approve, expect_pending, reject};

const UNSEEN: &str = "the flag has changed since the request was made: look at the difference again, and send its current_version \
                      with the review";
const OUTDATED: &str = "the flag has changed since you looked at the request: look at the difference again, and send its \
                        current_version with the review";

impl Setup {
    fn state_path(&self) -> String {
        format!("{}/environments/{}", self.flag, self.project.dev)
    }

    async fn write(&self, fields: Value) {
        self.owner
            .put(&self.state_path(), fields)
            .await
            .expect_status(200);
    }

    /// The version of the state now.
    async fn version(&self) -> i64 {
        let state = self.owner.get(&self.state_path()).await;
        state.header("etag").trim_matches('"').parse().unwrap()
    }
}

async fn diff(user: &User, approval: &str) -> Value {
    let shown = user.get(&format!("{approval}/diff")).await;
    shown.expect_status(200).body.clone()
}

async fn approve_seen(user: &User, approval: &str, version: &Value) -> Response {
    let body = json!({"action": "approve", "current_version": version});
    user.post(&format!("{approval}/review"), body).await
}

/// A rule as it is stored.
fn rule(id: &str) -> Value {
    json!({
        "id": id, "priority": 0, "description": "", "conditions": [], "segment_keys": [], "percentage": 10_000,
        "match_type": "all",
    })
}

#[tokio::test]
async fn the_difference_is_the_same_before_at_and_after_it_is_applied() {
    let setup = Setup::new().await;
    setup
        .write(json!({"percentage_rollout": 500, "rules": [{"id": "a"}]}))
        .await;
    let base_version = setup.version().await;
    let payload =
        json!({"enabled": true, "percentage_rollout": 1_000, "rules": [{"id": "b"}], "unknown": 1});
    let approval = setup.ask("update_state", payload).await;
    let base = json!({"enabled": false, "percentage_rollout": 500, "rules": [rule("a")]});
    let proposed = json!({"enabled": true, "percentage_rollout": 1_000, "rules": [rule("b")]});
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let path = format!("{approval}/diff");
    viewer.get(&path).await.expect(
        200,
        json!({
            "base_version": base_version, "base": base, "proposed": proposed,
            "current_version": base_version, "current": base, "conflicts": [],
        }),
    );

    approve(&setup.owner, &approval).await.expect_status(200);
    viewer.get(&path).await.expect(
        200,
        json!({
            "base_version": base_version, "base": base, "proposed": proposed,
            "current_version": setup.version().await, "current": proposed, "conflicts": [],
        }),
    );

    setup.write(json!({"enabled": false, "rules": []})).await;
    let later = diff(&viewer, &approval).await;
    assert_eq!((&later["base"], &later["proposed"]), (&base, &proposed));
    assert_eq!(later["current"]["rules"], json!([]));
    assert_eq!(later["conflicts"], json!([]));
}

#[tokio::test]
async fn a_state_that_was_never_stored_has_version_0() {
    let setup = Setup::new().await;
    let enabling = setup.ask("enable", Value::Null).await;
    let expected = json!({
        "base_version": 0, "base": {"enabled": false}, "proposed": {"enabled": true},
        "current_version": 0, "current": {"enabled": false}, "conflicts": [],
    });
    assert_eq!(diff(&setup.owner, &enabling).await, expected);
    let nothing = setup.ask("archive", Value::Null).await;
    let expected = json!({
        "base_version": 0, "base": {}, "proposed": {}, "current_version": 0, "current": {}, "conflicts": [],
    });
    assert_eq!(diff(&setup.owner, &nothing).await, expected);
    let applied = approve_seen(&setup.owner, &enabling, &json!(0)).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
}

#[tokio::test]
async fn what_changed_since_the_request_is_a_conflict_unless_it_is_as_asked_for() {
    let setup = Setup::new().await;
    let payload = json!({"enabled": true, "rules": [{"id": "b"}], "scheduled_enable_at": null});
    let approval = setup.ask("update_state", payload).await;
    // Not of the request, and as the request wants it.
    setup
        .write(json!({"percentage_rollout": 5, "enabled": true}))
        .await;
    assert_eq!(diff(&setup.owner, &approval).await["conflicts"], json!([]));
    setup
        .write(json!({"rules": [{"id": "c", "percentage": 0}], "scheduled_enable_at": "2030-01-01T00:00:00Z"}))
        .await;
    let moved = diff(&setup.owner, &approval).await;
    assert_eq!(moved["conflicts"], json!(["rules", "scheduled_enable_at"]));
    assert_eq!(moved["current"]["rules"][0]["id"], "c");
    reject(&setup.owner, &approval).await.expect_status(200);
    let decided = diff(&setup.owner, &approval).await;
    assert_eq!(decided["conflicts"], json!([]));
}

#[tokio::test]
async fn an_approval_over_unseen_changes_is_409_and_names_them() {
    let setup = Setup::new().await;
    let approval = setup
        .ask("update_state", json!({"percentage_rollout": 100}))
        .await;
    setup.write(json!({"percentage_rollout": 200})).await;
    let current = setup.version().await;
    let refused = approve(&setup.owner, &approval).await;
    refused.expect(
        409,
        json!({"error": UNSEEN, "conflicts": ["percentage_rollout"], "current_version": current}),
    );
    let refused = approve_seen(&setup.owner, &approval, &json!(current - 1)).await;
    refused.expect(
        409,
        json!({"error": OUTDATED, "conflicts": ["percentage_rollout"], "current_version": current}),
    );
    expect_pending(&setup.owner, &approval).await;
    assert_eq!(setup.state().await["percentage_rollout"], 200);
    let applied = approve_seen(&setup.owner, &approval, &json!(current)).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
    assert_eq!(setup.state().await["percentage_rollout"], 100);
}

#[tokio::test]
async fn a_named_version_that_is_no_longer_the_current_one_is_409_without_conflicts_too() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    setup.write(json!({"percentage_rollout": 200})).await;
    let refused = approve_seen(&setup.owner, &approval, &json!(0)).await;
    let current = setup.version().await;
    refused.expect(
        409,
        json!({"error": OUTDATED, "conflicts": [], "current_version": current}),
    );
    // Without one it is applied as ever: it touches nothing that changed.
    approve(&setup.owner, &approval).await.expect_status(200);
    let state = setup.state().await;
    assert_eq!(
        (&state["enabled"], &state["percentage_rollout"]),
        (&json!(true), &json!(200))
    );
}

#[tokio::test]
async fn a_version_that_is_no_whole_number_is_400() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    for wrong in [json!("7"), json!(1.5), json!([1])] {
        approve_seen(&setup.owner, &approval, &wrong)
            .await
            .expect_status(400);
    }
    expect_pending(&setup.owner, &approval).await;
}

#[tokio::test]
async fn of_several_approvals_the_one_that_applies_must_have_seen_the_changes() {
    let setup = Setup::new().await;
    setup.require(2).await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let approval = setup
        .ask("update_state", json!({"percentage_rollout": 100}))
        .await;
    setup.write(json!({"percentage_rollout": 200})).await;
    // The first applies nothing; it is held to the version that it names.
    let refused = approve_seen(&admin, &approval, &json!(0)).await;
    refused.expect_status(409);
    let noted = approve(&admin, &approval).await;
    assert_eq!(noted.expect_status(200).body["status"], "pending");
    let refused = approve(&setup.owner, &approval).await;
    assert_eq!(
        refused.expect_status(409).body["conflicts"],
        json!(["percentage_rollout"])
    );
    let current = setup.version().await;
    let applied = approve_seen(&setup.owner, &approval, &json!(current)).await;
    assert_eq!(applied.expect_status(200).body["status"], "applied");
}

#[tokio::test]
async fn a_request_made_before_differences_were_kept_has_no_base_and_is_applied_as_ever() {
    let setup = Setup::new().await;
    let enabling = setup.ask("enable", Value::Null).await;
    let rollout = setup
        .ask("update_state", json!({"percentage_rollout": 7, "more": 1}))
        .await;
    setup
        .app
        .execute(
            "UPDATE approvals SET base_version = NULL, base = NULL, proposed = NULL",
            &[],
        )
        .await;
    setup.write(json!({"enabled": false})).await;
    let current = setup.version().await;
    let expected = json!({
        "base_version": null, "base": null, "proposed": {"enabled": true},
        "current_version": current, "current": {"enabled": false}, "conflicts": [],
    });
    assert_eq!(diff(&setup.owner, &enabling).await, expected);
    let proposed = &diff(&setup.owner, &rollout).await["proposed"];
    assert_eq!(*proposed, json!({"percentage_rollout": 7}));
    approve(&setup.owner, &enabling).await.expect_status(200);
    approve(&setup.owner, &rollout).await.expect_status(200);
}

#[tokio::test]
async fn of_a_deleted_flag_only_the_base_is_left() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    setup.owner.remove(&setup.flag).await;
    let expected = json!({
        "base_version": 0, "base": {"enabled": false}, "proposed": {"enabled": true},
        "current_version": null, "current": null, "conflicts": [],
    });
    assert_eq!(diff(&setup.owner, &approval).await, expected);
}

#[tokio::test]
async fn the_difference_of_an_unknown_or_foreign_request_is_404() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    let stranger = setup.app.signup("globex").await;
    for path in [
        format!("{approval}/diff"),
        "/v1/approvals/01890000-0000-7000-8000-000000000000/diff".to_owned(),
    ] {
        let refused = stranger.get(&path).await;
        refused.expect_error(404, "approval request not found");
    }
}

#[tokio::test]
async fn of_an_approval_and_a_change_at_once_the_approval_never_overwrites_unseen() {
    let setup = Setup::new().await;
    let there = setup.app.another_replica().await;
    for is_approved_first in [true, false] {
        setup.write(json!({"percentage_rollout": 1})).await;
        let approval = setup
            .ask("update_state", json!({"percentage_rollout": 100}))
            .await;
        let seen = diff(&setup.owner, &approval).await["current_version"].clone();
        let mut holder = setup.app.pool().begin().await.unwrap();
        sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
            .bind(&setup.project.id)
            .execute(&mut *holder)
            .await
            .unwrap();
        let review = {
            let (owner, path) = (setup.owner.at(&there), format!("{approval}/review"));
            let body = json!({"action": "approve", "current_version": seen});
            move || tokio::spawn(async move { owner.post(&path, body).await })
        };
        let write = {
            let (owner, path) = (setup.owner.clone(), setup.state_path());
            move || {
                tokio::spawn(
                    async move { owner.put(&path, json!({"percentage_rollout": 200})).await },
                )
            }
        };
        let (reviewed, written) = if is_approved_first {
            let reviewed = review();
            setup.app.until_waiting_for_locks(1).await;
            let written = write();
            setup.app.until_waiting_for_locks(2).await;
            (reviewed, written)
        } else {
            let written = write();
            setup.app.until_waiting_for_locks(1).await;
            let reviewed = review();
            setup.app.until_waiting_for_locks(2).await;
            (reviewed, written)
        };
        holder.commit().await.unwrap();
        written.await.unwrap().expect_status(200);
        let reviewed = reviewed.await.unwrap();
        if is_approved_first {
            reviewed.expect_status(200);
        } else {
            assert_eq!(
                reviewed.expect_status(409).body["conflicts"],
                json!(["percentage_rollout"])
            );
            expect_pending(&setup.owner, &approval).await;
        }
        assert_eq!(setup.state().await["percentage_rollout"], 200);
    }
}

#[tokio::test]
async fn rules_without_ids_are_stored_with_those_that_were_proposed() {
    let setup = Setup::new().await;
    let payload = json!({"rules": [{"percentage": 5_000}, {"id": "last"}]});
    let approval = setup.ask("update_state", payload).await;
    let before = diff(&setup.owner, &approval).await;
    approve(&setup.owner, &approval).await.expect_status(200);
    let after = diff(&setup.owner, &approval).await;
    assert_eq!(after["proposed"], before["proposed"]);
    assert_eq!(after["current"], before["proposed"]);
}

#[tokio::test]
async fn equal_rules_that_were_stored_again_are_no_conflict() {
    let setup = Setup::new().await;
    setup.write(json!({"rules": [{"percentage": 5_000}]})).await;
    let approval = setup.ask("update_state", json!({"rules": []})).await;
    setup.write(json!({"rules": []})).await;
    setup.write(json!({"rules": [{"percentage": 5_000}]})).await;
    assert_eq!(diff(&setup.owner, &approval).await["conflicts"], json!([]));
    setup.write(json!({"rules": [{"percentage": 5_001}]})).await;
    assert_eq!(
        diff(&setup.owner, &approval).await["conflicts"],
        json!(["rules"])
    );
}

#[tokio::test]
async fn a_role_without_flags_read_sees_no_state_of_the_flag() {
    let setup = Setup::new().await;
    let approval = setup.ask("enable", Value::Null).await;
    setup.app.set_plan(&setup.owner, "enterprise").await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let keys = ["approvals.read", "approvals.review"];
    setup.app.hold_to(&setup.owner, &admin, &keys).await;
    let seen = diff(&admin, &approval).await;
    assert_eq!(
        seen,
        json!({
            "base_version": 0, "base": null, "proposed": {"enabled": true}, "current_version": 0, "current": null,
            "conflicts": [],
        })
    );
    let path = format!("{approval}/review?dry_run=true");
    let refused = admin.post(&path, json!({"action": "approve"})).await;
    refused.expect_error(403, "insufficient permissions");
    approve(&admin, &approval).await.expect_status(200);
}
