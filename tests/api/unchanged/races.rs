//! The same write by two clients at the same time: one changes something, the other finds it done.

use serde_json::json;
use sqlx::Connection;

use super::Scene;

#[tokio::test]
async fn of_two_equal_writes_one_is_recorded() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let elsewhere = scene.app.another_replica().await;
    let there = scene.owner.at(&elsewhere);
    let state = format!("{flag}/environments/{}", scene.project.dev);
    scene.owner.change(&state, json!({"enabled": false})).await;
    for (path, body) in [
        (&state, json!({"enabled": true})),
        (&flag, json!({"name": "G"})),
        (&scene.webhook, json!({"name": "G"})),
    ] {
        let before = scene.marks().await;
        // Both have looked it up as it was before, and wait for the lock.
        let mut session = scene.app.session().await;
        let mut held = session.begin().await.unwrap();
        for lock in [
            "SELECT FROM organizations FOR UPDATE",
            "SELECT FROM projects FOR UPDATE",
        ] {
            sqlx::query(lock).execute(&mut *held).await.unwrap();
        }
        let (one, other, ()) = tokio::join!(
            scene.owner.put(path, body.clone()),
            there.put(path, body.clone()),
            async {
                scene.app.until_waiting_for_locks(2).await;
                held.rollback().await.unwrap();
            }
        );
        one.expect_status(200);
        other.expect(200, one.body.clone());
        assert_eq!(one.header("etag"), other.header("etag"), "{path}");
        let after = scene.marks().await;
        assert_eq!(after.0, before.0 + 1, "{path}");
    }
}

#[tokio::test]
async fn a_write_that_waited_is_compared_with_what_is_stored_then() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    scene.owner.change(&state, json!({"enabled": true})).await;
    // Sent while the flag is on, it would change nothing; switched off meanwhile, it switches it on again.
    let mut session = scene.app.session().await;
    let mut held = session.begin().await.unwrap();
    sqlx::query("SELECT FROM projects FOR UPDATE")
        .execute(&mut *held)
        .await
        .unwrap();
    let (written, ()) = tokio::join!(scene.owner.put(&state, json!({"enabled": true})), async {
        scene.app.until_waiting_for_locks(1).await;
        sqlx::query(
            "UPDATE flag_states SET enabled = false, changed_version = changed_version + 1",
        )
        .execute(&mut *held)
        .await
        .unwrap();
        sqlx::query("UPDATE projects SET version = version + 1")
            .execute(&mut *held)
            .await
            .unwrap();
        held.commit().await.unwrap();
    });
    written.expect_status(200);
    assert_eq!(written.body["enabled"], true);
    assert_eq!(scene.owner.get(&state).await.body["enabled"], true);
}
