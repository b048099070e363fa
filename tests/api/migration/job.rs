//! An import as a job: that it runs once, ends, and tells so whatever happens to its process.

use std::time::Duration;

use harness::migration::{ended, import};
use harness::{Trouble, eventually, statuses};
use serde_json::{Value, json};

use super::Scene;
use crate::trail;

const EXECUTE: &str = "/v1/migration/execute";

/// Begins an import whose source does not answer once it has begun.
async fn begin_held(scene: &Scene) -> String {
    scene.source.hold_flags();
    let started = scene.owner.act(EXECUTE, scene.body()).await;
    started.text("/migration_id")
}

async fn status(scene: &Scene, id: &str) -> Value {
    let status = scene.owner.get(&format!("/v1/migration/status/{id}")).await;
    status.expect_status(200);
    status.body.clone()
}

#[tokio::test]
async fn one_import_at_a_time_runs_into_a_project() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    scene.source.hold_flags();
    let (one, two) = tokio::join!(
        scene.owner.post(EXECUTE, scene.body()),
        scene.owner.post(EXECUTE, scene.body()),
    );
    assert_eq!(statuses([&one, &two]), [200, 409]);
    let (won, lost) = if one.status == 200 {
        (one, two)
    } else {
        (two, one)
    };
    lost.expect_error(409, "an import into this project is running");
    scene.source.release();
    ended(&scene.owner, won.text("/migration_id")).await;
    scene.import().await;
}

#[tokio::test]
async fn two_imports_of_an_organization_run_at_once() {
    let scene = Scene::set(&["production"]).await;
    let mut targets = vec![scene.target.clone()];
    for name in ["Two", "Three"] {
        let project = scene
            .owner
            .post("/v1/projects", json!({"name": name}))
            .await;
        targets.push(project.text("/id"));
    }
    scene.source.hold_flags();
    let mut begun = Vec::new();
    for target in &targets[..2] {
        let started = scene.owner.act(EXECUTE, scene.source.body(target)).await;
        begun.push(started.text("/migration_id"));
    }
    let refused = scene
        .owner
        .post(EXECUTE, scene.source.body(&targets[2]))
        .await;
    refused.expect_error(409, "two imports of the organization are running");
    scene.source.release();
    for id in begun {
        ended(&scene.owner, id).await;
    }
    import(&scene.owner, &scene.source.body(&targets[2])).await;
}

#[tokio::test]
async fn a_source_that_fails_on_the_way_fails_the_import_which_says_why() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let entries = trail::length(&scene.app, &scene.owner).await;
    let id = begin_held(&scene).await;
    scene.source.trouble(vec![Trouble::status(500); 50]);
    scene.source.release();
    let imported = ended(&scene.owner, id.clone()).await;
    assert_eq!(
        imported.status,
        json!({
            "status": "failed", "migration_id": id, "flags_imported": 0, "flags_total": 1, "environments_imported": 0,
            "segments_imported": 0, "errors": [{"error": "the source answered 500"}],
        })
    );
    // Begun and failed.
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries + 2);
    let told = scene.owner.get("/v1/audit?action=migration.failed").await;
    let entry = &told.body["data"][0];
    assert_eq!(
        (
            &entry["actor_type"],
            &entry["actor_id"],
            &entry["resource_id"],
            &entry["metadata"]["failure"]
        ),
        (
            &json!("user"),
            &json!(scene.owner.id),
            &json!(id),
            &json!("the source answered 500")
        )
    );
}

#[tokio::test]
async fn an_import_that_is_stopped_with_the_service_fails_and_says_so() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let id = begin_held(&scene).await;
    scene.app.stop.cancel();
    let failure = eventually("the end is stored", async || {
        let row: (String, Option<String>) =
            sqlx::query_as("SELECT status, failure FROM migrations WHERE id = $1::uuid")
                .bind(&id)
                .fetch_one(scene.app.pool())
                .await
                .unwrap();
        (row.0 == "failed").then_some(row.1)
    })
    .await;
    assert_eq!(
        failure.as_deref(),
        Some("the service was stopped; another import of the same source goes on from here")
    );
}

#[tokio::test]
async fn an_import_that_nobody_runs_becomes_failed() {
    let scene = Scene::set(&["production"]).await;
    let imported = scene.import().await;
    let entries = trail::length(&scene.app, &scene.owner).await;
    // As a process leaves it that is killed.
    scene
        .app
        .execute(
            "UPDATE migrations SET status = 'in_progress', ended_at = NULL",
            &[],
        )
        .await;
    assert_eq!(status(&scene, &imported.id).await["status"], "in_progress");
    let found = ended(&scene.owner, imported.id.clone()).await;
    assert_eq!(found.status["status"], "failed");
    assert_eq!(
        found.status["errors"],
        json!([{"error": "the service ended unexpectedly; another import of the same source goes on from here"}])
    );
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries + 1);
    scene.import().await;
}

#[tokio::test]
async fn an_import_that_runs_for_long_is_not_taken_for_dead() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let id = begin_held(&scene).await;
    let other = scene.app.another_replica().await;
    scene.app.clock.advance(Duration::from_secs(1));
    eventually(
        "whoever leads has looked for abandoned imports",
        async || {
            let reports = scene.app.jobs.reports();
            let looks = reports
                .iter()
                .find(|job| job.name == "fail_abandoned_imports");
            (looks?.last_success == Some(scene.app.clock.now())).then_some(())
        },
    )
    .await;
    let at_other = scene.owner.at(&other);
    let seen = at_other.get(&format!("/v1/migration/status/{id}")).await;
    assert_eq!(seen.body["status"], "in_progress");
    scene.source.release();
    let imported = ended(&scene.owner, id).await;
    assert_eq!(imported.status["status"], "completed");
}

#[tokio::test]
async fn a_project_that_is_deleted_meanwhile_fails_the_import() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let id = begin_held(&scene).await;
    let path = format!("/v1/projects/{}", scene.target);
    scene.owner.remove(&path).await;
    scene.source.release();
    let imported = ended(&scene.owner, id).await;
    assert_eq!(imported.status["status"], "failed");
    assert_eq!(
        imported.status["errors"],
        json!([{"error": "project not found"}])
    );
}

const ENDED: &str = "a member ended the import; what it had imported stays";
const NOT_ALLOWED: &str =
    "whoever started the import may not import any more; what it had imported stays";

#[tokio::test]
async fn an_import_is_ended_by_a_member() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let admin = scene.app.member(&scene.owner, "admin").await;
    let entries = trail::length(&scene.app, &scene.owner).await;
    let id = begin_held(&scene).await;
    let path = format!("/v1/migration/{id}");
    // A second time says the same, and nothing more is told.
    for _ in 0..2 {
        admin.remove(&path).await;
    }
    assert_eq!(
        status(&scene, &id).await,
        json!({
            "status": "failed", "migration_id": id, "flags_imported": 0, "flags_total": 1, "environments_imported": 0,
            "segments_imported": 0, "errors": [{"error": ENDED}],
        })
    );
    assert_eq!(trail::length(&scene.app, &scene.owner).await, entries + 2);
    let told = scene.owner.get("/v1/audit?action=migration.failed").await;
    let entry = &told.body["data"][0];
    assert_eq!(
        (
            &entry["actor_id"],
            &entry["resource_id"],
            &entry["metadata"]["failure"]
        ),
        (&json!(admin.id), &json!(id), &json!(ENDED))
    );

    // The source is read no more, though it does not answer: both places of the organization are free again.
    let mut targets = vec![scene.target.clone()];
    let project = scene
        .owner
        .post("/v1/projects", json!({"name": "Two"}))
        .await;
    targets.push(project.text("/id"));
    for target in &targets {
        eventually("there is a place", async || {
            let started = scene.owner.post(EXECUTE, scene.source.body(target)).await;
            (started.status == 200).then_some(())
        })
        .await;
    }
    scene.source.release();
    eventually("both have ended", async || {
        let listed = scene.owner.get("/v1/migration").await;
        let all = listed.body["data"].as_array().unwrap().clone();
        let completed = all.iter().filter(|one| one["status"] == "completed");
        (completed.count() == 2).then_some(())
    })
    .await;
    assert_eq!(scene.list("flags").await.len(), 1);
    assert_eq!(status(&scene, &id).await["status"], "failed");
}

#[tokio::test]
async fn an_import_ends_when_whoever_started_it_may_not_import_any_more() {
    let scene = Scene::set(&["production"]).await;
    scene.app.set_plan(&scene.owner, "enterprise").await;
    scene.source.flag("plain", json!({}));
    for lost in ["membership", "role", "key"] {
        let admin = scene.app.member(&scene.owner, "admin").await;
        let member = format!("/v1/members/{}", admin.member_id().await);
        scene.source.hold_flags();
        let started = admin.act(EXECUTE, scene.body()).await;
        let id = started.text("/migration_id");
        match lost {
            "membership" => {
                scene.owner.remove(&member).await;
            }
            "role" => {
                let role = json!({"role": "developer"});
                scene.owner.put(&member, role).await.expect_status(204);
            }
            _ => {
                scene
                    .app
                    .hold_to(&scene.owner, &admin, &["flags.read"])
                    .await;
            }
        }
        // The source does not answer: nobody waits for it.
        let failed = ended(&scene.owner, id).await;
        assert_eq!(failed.status["status"], "failed", "{lost}");
        assert_eq!(
            failed.status["errors"],
            json!([{"error": NOT_ALLOWED}]),
            "{lost}"
        );
        scene.source.release();
    }
    assert!(scene.list("flags").await.is_empty());
    assert!(scene.list("environments").await.is_empty());
}

/// A batch waits in the database for as long as the test likes.
const HOLD_FLAGS: &str = "
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock(77);
        RETURN NEW;
    END $$;
    CREATE TRIGGER hold BEFORE INSERT ON flags FOR EACH ROW EXECUTE FUNCTION wait_for_the_test();";

#[tokio::test]
async fn a_batch_is_not_written_once_whoever_started_it_was_removed() {
    let scene = Scene::set(&["production"]).await;
    scene.source.flag("plain", json!({}));
    let admin = scene.app.member(&scene.owner, "admin").await;
    sqlx::raw_sql(HOLD_FLAGS)
        .execute(scene.app.pool())
        .await
        .unwrap();
    let mut holding = scene.app.pool().begin().await.unwrap();
    sqlx::query("SELECT pg_advisory_xact_lock(77)")
        .execute(&mut *holding)
        .await
        .unwrap();
    let started = admin.act(EXECUTE, scene.body()).await;
    eventually("the batch waits", async || {
        let waiting: i64 =
            scene.app.value(
            "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted",
            &[],
        )
        .await;
        (waiting > 0).then_some(())
    })
    .await;
    // By hand: the API would wait for the organization, which the batch holds.
    sqlx::query("DELETE FROM members WHERE id = $1::uuid")
        .bind(admin.member_id().await)
        .execute(scene.app.pool())
        .await
        .unwrap();
    holding.rollback().await.unwrap();
    let failed = ended(&scene.owner, started.text("/migration_id")).await;
    assert_eq!(failed.status["errors"], json!([{"error": NOT_ALLOWED}]));
    assert!(scene.list("flags").await.is_empty());
    assert!(scene.list("environments").await.is_empty());
}
