//! Environments that take long to read, or cannot be read: nobody waits for them but those who want them.

use harness::user::DefaultProject;
use harness::{App, User, eventually};
use serde_json::json;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection, query, query_scalar};

use super::counted::counted;
use super::replica::Replica;

/// The number of the advisory lock that readers of a project wait for.
const GATE: i64 = 7_007;

/// A project with a flag, of an organization of its own.
async fn project(app: &App, name: &str) -> (User, DefaultProject) {
    let owner = app.signup(name).await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "a", "name": "A", "flag_type": "boolean"});
    owner.create(&flags, flag).await;
    (owner, project)
}

/// From now on, whoever reads a flag of the project does this first.
async fn obstruct(app: &App, project: &DefaultProject, by: &str) {
    let statements = format!(
        "CREATE OR REPLACE FUNCTION pass(project uuid) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN IF project = '{}' THEN {by}; END IF; RETURN true; END $$;
         DO $$ BEGIN
             IF to_regclass('kept_flags') IS NULL THEN
                 ALTER TABLE flags RENAME TO kept_flags;
                 CREATE VIEW flags AS SELECT * FROM kept_flags WHERE pass(project_id);
             END IF;
         END $$",
        project.id
    );
    sqlx::raw_sql(AssertSqlSafe(statements))
        .execute(app.pool())
        .await
        .unwrap();
}

/// Changes the flags of a project in its development environment.
async fn change(app: &App, project: &DefaultProject) {
    query(
        "WITH drawn AS (
             UPDATE projects SET version = version + 1 WHERE id = $1::uuid RETURNING id, version
         ), touched AS (
             UPDATE environments SET version = drawn.version, changed_in = pg_current_xact_id()
             FROM drawn WHERE environments.id = $2::uuid
         )
         UPDATE kept_flags SET changed_version = drawn.version FROM drawn WHERE project_id = drawn.id",
    )
    .bind(&project.id)
    .bind(&project.dev)
    .execute(app.pool())
    .await
    .unwrap();
}

fn version(edge: &Replica, project: &DefaultProject) -> Option<u64> {
    let dev = edge.environment(&project.dev)?;
    Some(dev.head.version)
}

async fn reaches(edge: &Replica, project: &DefaultProject, reached: u64) {
    eventually("the edge holds the change", async || {
        (version(edge, project) == Some(reached)).then_some(())
    })
    .await;
}

async fn holds_all(edge: &Replica, environments: usize) {
    eventually("the edge holds all", async || {
        (edge.digests().len() == environments).then_some(())
    })
    .await;
}

/// How many sessions of the database wait at the gate.
async fn waiting(app: &App) -> i64 {
    query_scalar(
        "SELECT COUNT(*) FROM pg_locks
         WHERE locktype = 'advisory' AND NOT granted AND objid::bigint = $1
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    .bind(GATE)
    .fetch_one(app.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn what_takes_long_is_read_once_and_keeps_nobody_from_the_others() {
    let app = App::start().await;
    let (_, slow) = project(&app, "acme").await;
    let (_, quick) = project(&app, "other").await;
    let edge = Replica::follow(&app.publisher);
    holds_all(&edge, 6).await;
    let before = [&slow, &quick].map(|project| version(&edge, project).unwrap());

    let url = app.pool().connect_options();
    let mut holder = PgConnection::connect_with(&url).await.unwrap();
    query("SELECT pg_advisory_lock($1)")
        .bind(GATE)
        .execute(&mut holder)
        .await
        .unwrap();
    let wait = format!("PERFORM pg_advisory_xact_lock_shared({GATE})");
    obstruct(&app, &slow, &wait).await;
    change(&app, &slow).await;
    eventually("it is being read", async || {
        (waiting(&app).await > 0).then_some(())
    })
    .await;

    change(&app, &quick).await;
    reaches(&edge, &quick, before[1] + 1).await;
    let looks = edge.looks();
    eventually("the edge is told of looks", async || {
        (edge.looks() >= looks + 3).then_some(())
    })
    .await;
    assert_eq!(version(&edge, &slow), Some(before[0]));
    assert_eq!(waiting(&app).await, 1, "nobody began again");

    holder.close().await.unwrap();
    reaches(&edge, &slow, before[0] + 1).await;
}

#[tokio::test]
async fn what_cannot_be_read_is_tried_once_at_a_time_however_many_edges_want_it() {
    let failures = || counted("halyard_compile_failures_total");
    assert_eq!(failures(), 0.0);
    let app = App::start().await;
    let (_, project) = project(&app, "acme").await;
    let edges = [(); 8].map(|()| Replica::follow(&app.publisher));
    for edge in &edges {
        holds_all(edge, 3).await;
    }
    let before = version(&edges[0], &project).unwrap();

    obstruct(&app, &project, "RAISE EXCEPTION 'unreadable'").await;
    change(&app, &project).await;
    // The first attempt, and one after a pause.
    eventually("it was tried twice", async || {
        (failures() >= 2.0).then_some(())
    })
    .await;
    obstruct(&app, &project, "NULL").await;
    // After one more pause; each attempt that fails doubles them.
    for edge in &edges {
        reaches(edge, &project, before + 1).await;
    }
    assert_eq!(failures(), 2.0);
}
