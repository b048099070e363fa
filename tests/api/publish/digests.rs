//! Digests of what environments contain, kept for the next greeting.

use harness::{App, eventually};
use serde_json::json;

/// Digests wait in the database for as long as the test likes.
const HOLD: &str = "
    CREATE FUNCTION wait_for_the_test() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock(77);
        RETURN NEW;
    END $$;
    CREATE TRIGGER hold BEFORE INSERT ON environment_digests FOR EACH ROW EXECUTE FUNCTION wait_for_the_test();
    SELECT pg_advisory_lock(77);";

async fn digests(app: &App) -> i64 {
    app.value("SELECT COUNT(*) FROM environment_digests", &[])
        .await
}

#[tokio::test]
async fn a_project_that_is_deleted_while_its_digests_are_kept_fails_no_poll() {
    let (app, owner, project) = App::with_project().await;
    let mut holding = app.session().await;
    sqlx::raw_sql(HOLD).execute(&mut holding).await.unwrap();
    let flag = json!({"key": "checkout", "name": "Checkout"});
    let deleted = format!("/v1/projects/{}", project.id);
    owner
        .create(&format!("{deleted}/flags"), flag.clone())
        .await;
    app.until_waiting_for_locks(1).await;
    owner.remove(&deleted).await;
    let release = "SELECT pg_advisory_unlock(77)";
    sqlx::raw_sql(release).execute(&mut holding).await.unwrap();

    // Digests of later polls are kept.
    let shop = json!({"name": "Shop", "slug": "shop"});
    let shop = owner.create("/v1/projects", shop).await.text("/id");
    let shop = format!("/v1/projects/{shop}");
    let env = json!({"name": "Development", "slug": "dev"});
    owner.create(&format!("{shop}/environments"), env).await;
    owner.create(&format!("{shop}/flags"), flag).await;
    eventually("a digest is kept", async || {
        (digests(&app).await > 0).then_some(())
    })
    .await;
    let reports = app.jobs.reports();
    let poll = reports.iter().find(|job| job.name == "poll_changes");
    assert_eq!(poll.unwrap().failures, 0);
}
