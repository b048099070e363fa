//! The jobs, as they run by themselves.

use std::time::Duration;

use harness::{App, eventually};

use super::{deletion, exists, login};

const SHORT: [(&str, &str); 5] = [
    ("LIFECYCLE_INTERVAL", "20ms"),
    ("TRIAL_LENGTH", "1h"),
    ("INACTIVITY_LIMIT", "4h"),
    ("INACTIVITY_GRACE", "4h"),
    ("TRIAL_NOTICE", "0"),
];

#[tokio::test]
async fn the_jobs_run_by_themselves() {
    let app = App::start_with(&SHORT).await;
    app.another_replica().await;
    let owner = app.signup("acme").await;
    // Each step is seen before the clock goes on: the trial, two warnings, two deletions.
    let step = async |hours: u64, what: &str, sql: &'static str| {
        app.clock.advance(Duration::from_secs(hours * 60 * 60));
        eventually(what, async || {
            let done: Option<bool> = sqlx::query_scalar(sql)
                .bind(&owner.org_id)
                .fetch_optional(app.pool())
                .await
                .unwrap();
            done.unwrap_or_default().then_some(())
        })
        .await;
    };
    let free = "SELECT plan = 'free' FROM organizations WHERE id = $1::uuid";
    step(1, "the trial has ended", free).await;
    let warned = "SELECT deletion_warned_at IS NOT NULL FROM org_activity WHERE org_id = $1::uuid";
    step(2, "a warning is sent", warned).await;
    let deleted = "SELECT deleted_at IS NOT NULL FROM organizations WHERE id = $1::uuid";
    step(2, "it is deleted", deleted).await;
    assert_eq!(deletion(&app, &owner).await.1, None);
    let warned = "SELECT purge_warned_at IS NOT NULL FROM org_activity WHERE org_id = $1::uuid";
    step(2, "another warning is sent", warned).await;
    let gone = "SELECT NOT EXISTS (SELECT FROM organizations WHERE id = $1::uuid)";
    step(2, "it is gone", gone).await;
    assert!(!exists(&app, &owner).await);
    login(&app, &owner.email)
        .await
        .expect_error(401, "invalid credentials");
}
