//! What publishers are told of things that are gone, and for how long.

use std::time::Duration;

use harness::{App, eventually};
use serde_json::json;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Tombstones of flags, segments and environments.
async fn tombstones(app: &App) -> (i64, i64, i64) {
    sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM removed_flags), (SELECT COUNT(*) FROM removed_segments),
                (SELECT COUNT(*) FROM removed_environments)",
    )
    .fetch_one(app.pool())
    .await
    .unwrap()
}

/// Has the job run that prunes them.
async fn prune(app: &App) {
    app.depose_the_leader().await;
    eventually("tombstones are pruned", async || {
        let reports = app.jobs.reports();
        let mut pruning = reports.iter().filter(|job| job.name == "prune_tombstones");
        let succeeded = pruning.next().unwrap().last_success;
        (succeeded == Some(app.clock.now())).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_tombstone_is_kept_for_seven_days() {
    let (app, owner, project) = App::with_project().await;
    let base = format!("/v1/projects/{}", project.id);
    for (list, body) in [
        ("flags", json!({"key": "gone", "name": "Gone"})),
        (
            "segments",
            json!({"key": "gone", "name": "Gone", "rules": []}),
        ),
    ] {
        let list = format!("{base}/{list}");
        owner.create(&list, body).await;
        let path = format!("{list}/gone");
        owner.remove(&path).await;
    }
    let dev = format!("{base}/environments/{}", project.dev);
    owner.remove(&dev).await;
    assert_eq!(tombstones(&app).await, (1, 1, 1));

    app.clock.advance(7 * DAY);
    prune(&app).await;
    assert_eq!(tombstones(&app).await, (1, 1, 1));
    app.clock.advance(Duration::from_secs(1));
    prune(&app).await;
    assert_eq!(tombstones(&app).await, (0, 0, 0));
}
