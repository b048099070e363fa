//! Schedules of archived flags pause.

use std::time::Duration;

use harness::{Setup, eventually};
use serde_json::{Value, json};
use sqlx::Connection;
use time::format_description::well_known::Rfc3339;

use super::{post, published, with_flag};

const MINUTE: Duration = Duration::from_secs(60);
const ENABLE: &str = "scheduled_enable_at";
const DISABLE: &str = "scheduled_disable_at";

/// Minutes from now, as the API writes a time.
fn at(setup: &Setup, minutes: i64) -> String {
    let time = setup.app.clock.now() + time::Duration::minutes(minutes);
    time.format(&Rfc3339).unwrap()
}

/// Waits until another flag, due now, was switched on: then everything else that is due has fired.
async fn fired(setup: &Setup, flags: &str, key: &str) {
    let body = json!({"key": key, "name": key});
    setup.owner.create(flags, body).await;
    let state = format!("{flags}/{key}/environments/{}", setup.project.dev);
    let due = json!({ENABLE: at(setup, 0)});
    setup.owner.change(&state, due).await;
    eventually("the other flag is on", async || {
        let state = setup.owner.get(&state).await;
        (state.body["enabled"] == true).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_due_time_that_passes_meanwhile_never_fires() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let staging = format!("{}/environments/{}", paths.flag, setup.project.staging);
    let dev_due = json!({DISABLE: at(&setup, 10), ENABLE: at(&setup, 50)});
    let dev = owner.change(&paths.dev, dev_due).await.body;
    let due = json!({ENABLE: at(&setup, 50)});
    let later = owner.change(&staging, due).await;
    published(&post(owner, &paths.archive).await);
    assert_eq!(owner.get(&paths.dev).await.body, dev);

    setup.app.clock.advance(MINUTE * 20);
    fired(&setup, &paths.flags, "one").await;
    assert_eq!(owner.get(&paths.dev).await.body, dev);
    let version = published(&post(owner, &paths.restore).await);
    let restored = owner.get(&paths.dev).await;
    let mut expected = dev.clone();
    expected[DISABLE] = Value::Null;
    expected["updated_at"] = "[time]".into();
    restored.expect(200, expected);
    assert_eq!(restored.header("etag"), format!("\"{version}\""));
    let unchanged = owner.get(&staging).await;
    unchanged.expect(200, later.body.clone());
    assert_eq!(unchanged.header("etag"), later.header("etag"));
    fired(&setup, &paths.flags, "two").await;
    assert_eq!(owner.get(&paths.dev).await.body["enabled"], true);

    // History says that the due time is gone, and what it was.
    let history = format!("{}/history", paths.flag);
    let path = format!("{history}?env_id={}", setup.project.dev);
    let listed = owner.get(&path).await.body;
    let newest = listed["data"].as_array().unwrap().iter();
    let of_state: Vec<_> = newest
        .filter(|item| item["env_id"].is_string())
        .take(1)
        .collect();
    assert_eq!(of_state[0]["action"], "flag.restored");
    assert_eq!(of_state[0]["changed"], json!([DISABLE]));
    let then = format!("{history}/3?env_id={}", setup.project.dev);
    assert_eq!(owner.get(&then).await.body["state"][DISABLE], dev[DISABLE]);

    // What is still to come fires.
    owner.change(&paths.dev, json!({"enabled": false})).await;
    setup.app.clock.advance(MINUTE * 30);
    for path in [&paths.dev, &staging] {
        eventually("the flag is switched on when it is due", async || {
            let state = owner.get(path).await.body;
            (state["enabled"] == true && state[ENABLE].is_null()).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn archiving_wins_over_a_due_time_that_waits_for_the_project() {
    let (setup, paths) = with_flag().await;
    let due = json!({"enabled": false, ENABLE: at(&setup, 1)});
    setup.owner.change(&paths.dev, due).await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    let (owner, archive) = (setup.owner.clone(), paths.archive.clone());
    let archiving = tokio::spawn(async move { post(&owner, &archive).await });
    setup.app.until_waiting_for_locks(1).await;
    setup.app.clock.advance(MINUTE);
    setup.app.until_waiting_for_locks(2).await;
    held.rollback().await.unwrap();
    published(&archiving.await.unwrap());

    fired(&setup, &paths.flags, "other").await;
    let state = setup.owner.get(&paths.dev).await;
    assert_eq!(state.body["enabled"], false);
    assert!(state.body[ENABLE].is_string());
    let fired = "SELECT COUNT(*) FROM audit_entries WHERE action = 'flag.scheduled_toggle'";
    assert_eq!(
        setup.app.value::<i64>(fired, &[]).await,
        1,
        "the other flag"
    );
    let failures = setup.app.jobs.reports();
    assert_eq!(failures.iter().map(|job| job.failures).sum::<u64>(), 0);
}
