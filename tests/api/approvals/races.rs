//! Reviews at the same time, on one replica and on two, and beside what changes the flag otherwise.

use std::collections::HashSet;

use harness::{App, Caller, Response, eventually};
use serde_json::{Value, json};

use super::{Setup, approve};

/// Sends two reviews so that both wait for the request's row, then lets them go on.
async fn both_at_once(
    app: &App,
    approval: &str,
    one: (&Caller, &str),
    other: (&Caller, &str),
) -> [Response; 2] {
    let mut holding = app.pool().begin().await.unwrap();
    sqlx::query("SELECT id FROM approvals FOR UPDATE")
        .execute(&mut *holding)
        .await
        .unwrap();
    let path = format!("{approval}/review");
    let review = |(caller, action): (&Caller, &str)| {
        let (caller, path, body) = (caller.clone(), path.clone(), json!({"action": action}));
        tokio::spawn(async move { caller.post(&path, body).await })
    };
    let (one, other) = (review(one), review(other));
    eventually("both reviews wait", async || {
        (app.waiting_for_locks().await == 2).then_some(())
    })
    .await;
    holding.rollback().await.unwrap();
    [one.await.unwrap(), other.await.unwrap()]
}

/// Asserts that one review won, and tells what came of the request.
#[track_caller]
fn expect_one_winner(answers: &[Response; 2]) -> String {
    let (won, lost) = match answers {
        [won, lost] if won.status == 200 => (won, lost),
        [lost, won] => (won, lost),
    };
    won.expect_status(200);
    lost.expect_error(409, "approval request is not pending");
    won.text("/status")
}

async fn entries(app: &App, action: &str) -> i64 {
    app.value(
        "SELECT COUNT(*) FROM audit_entries WHERE action = $1",
        &[action],
    )
    .await
}

#[tokio::test]
async fn of_two_reviewers_at_once_one_wins_and_the_other_is_409() {
    let setup = Setup::new().await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let elsewhere = admin.at(&setup.app.another_replica().await);
    let mut applied = 0;
    for (second, action) in [
        (&*admin, "approve"),
        (&elsewhere, "approve"),
        (&*admin, "reject"),
        (&elsewhere, "reject"),
    ] {
        let approval = setup.ask("enable", Value::Null).await;
        let answers = both_at_once(
            &setup.app,
            &approval,
            (&setup.owner, "approve"),
            (second, action),
        )
        .await;
        let status = expect_one_winner(&answers);
        applied += i64::from(status == "applied");
        let shown = setup.owner.get(&approval).await;
        assert_eq!(shown.text("/status"), status);
    }
    let action = "flag.approved_change_applied";
    assert_eq!(entries(&setup.app, action).await, applied);
    assert_eq!(entries(&setup.app, "approval.rejected").await, 4 - applied);
}

#[tokio::test]
async fn approvals_and_updates_of_one_state_all_survive() {
    let setup = Setup::new().await;
    let state = format!("{}/environments/{}", setup.flag, setup.project.dev);
    for round in 0..5 {
        let rules = json!({"rules": [{"id": format!("round-{round}")}]});
        let one = setup.ask("update_state", rules).await;
        let other = setup
            .ask("update_state", json!({"enabled": round % 2 == 0}))
            .await;
        let (one, other, update) = tokio::join!(
            approve(&setup.owner, &one),
            approve(&setup.owner, &other),
            setup
                .developer
                .put(&state, json!({"percentage_rollout": round})),
        );
        let versions: HashSet<_> = [&one, &other, &update]
            .map(|answer| answer.header("x-snapshot-version").to_owned())
            .into();
        assert_eq!(versions.len(), 3, "each change has a version of its own");
        let now = setup.state().await;
        assert_eq!(now["rules"][0]["id"], format!("round-{round}"));
        assert_eq!(now["enabled"], round % 2 == 0);
        assert_eq!(now["percentage_rollout"], round);
    }
}

#[tokio::test]
async fn an_approval_beside_the_deletion_of_its_flag_is_applied_before_or_refused() {
    let setup = Setup::new().await;
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    for round in 0..5 {
        let flag = json!({"key": format!("g{round}"), "name": "G"});
        let flag_id = setup.owner.post(&flags, flag).await.text("/id");
        let mut asked = setup.asking("enable", &Value::Null);
        asked["flag_id"] = json!(flag_id);
        let asked = setup.developer.post("/v1/approvals", asked).await;
        let approval = format!("/v1/approvals/{}", asked.text("/id"));

        let flag = format!("{flags}/g{round}");
        let (approved, deleted) =
            tokio::join!(approve(&setup.owner, &approval), setup.owner.delete(&flag));
        let shown = setup.owner.get(&approval).await.text("/status");
        match approved.status {
            // It switched the flag on.
            200 => {
                deleted.expect_status(409);
                assert_eq!(shown, "applied");
            }
            _ => {
                deleted.expect_status(204);
                approved.expect_error(409, "the flag of the approval request is gone");
                assert_eq!(shown, "pending");
            }
        }
    }
}
