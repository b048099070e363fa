//! The first control plane of this release migrates the database under the previous one.

use std::time::Duration;

use harness::places::Release::{Current, Previous};
use sqlx::{Connection, PgConnection};
use tokio::time::sleep;

use super::is_left_out;
use crate::scene::{Scene, state_serving};

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_waits_for_a_lock_lets_the_previous_release_go_on() {
    if is_left_out() {
        return;
    }
    let scene = Scene::start_of(Previous, &[]).await;
    let mut reader = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    // As a dump or a report does.
    let mut reading = reader.begin().await.unwrap();
    let lock = sqlx::query("LOCK TABLE flag_states IN ACCESS SHARE MODE");
    lock.execute(&mut *reading).await.unwrap();

    let writing = async {
        let path = scene.state_path();
        for round in 0..20 {
            let state = state_serving(&format!("v{round}"));
            // Where the two wait for each other, one gives up.
            let first = scene.owner.put(&path, state.clone()).await;
            if first.status != 200 {
                first.expect_error(503, "the database is busy");
                scene.owner.change(&path, state).await;
            }
            sleep(Duration::from_millis(250)).await;
        }
        reading.rollback().await.unwrap();
    };
    let (control, ()) = tokio::join!(scene.stack.another_control_of(Current, "new"), writing);
    let log = control.process.log();
    assert!(log.contains("a migration waits for a lock"), "{log}");
    scene.serve("after").await;
    scene.edge_serves("after").await;
}
