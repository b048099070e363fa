//! A build and a database that another release migrated.

use harness::Stack;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::scene::Scene;

const CHECK: [&str; 2] = ["migrate", "--check"];
const LATER: &str =
    "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                     VALUES (99991231235959, 'later', true, 'abc', 0)";
const LAST: &str =
    "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)";

async fn execute(stack: &Stack, sql: &str) {
    let mut conn = PgConnection::connect(stack.database().url()).await.unwrap();
    let query = sqlx::query(AssertSqlSafe(sql));
    query.execute(&mut conn).await.unwrap();
}

#[tokio::test]
async fn a_replica_comes_back_on_a_schema_that_the_next_release_migrated() {
    let mut scene = Scene::start().await;
    execute(&scene.stack, LATER).await;
    scene.stack.control.kill();
    scene.stack.start_control().await;
    scene.serve("again").await;
    scene.edge_serves("again").await;
    let log = scene.stack.control.log();
    assert!(log.contains("the database was migrated by a newer release"));
    let _printed = scene.stack.halyard(&["migrate"]);
}

#[tokio::test]
async fn the_check_says_what_there_is_to_do_and_does_nothing() {
    let stack = Stack::start().await;
    let check = || stack.control.ends(&CHECK);
    assert_eq!(check(), (0, "the schema is up to date\n".to_owned()));

    execute(&stack, LATER).await;
    let newer = "the schema is newer: migrations that this build does not know: 1\n";
    assert_eq!(check(), (4, newer.to_owned()));

    execute(&stack, LAST).await;
    execute(&stack, LAST).await;
    let missing = "migrations that are missing: 1\n".to_owned();
    assert_eq!(check(), (3, missing.clone()));
    assert_eq!(check(), (3, missing));
}

#[tokio::test]
async fn the_check_of_an_empty_database_changes_nothing() {
    let stack = Stack::start().await;
    execute(&stack, "ALTER TABLE _sqlx_migrations RENAME TO kept").await;
    for _ in 0..2 {
        let (status, said) = stack.control.ends(&CHECK);
        assert_eq!(status, 3, "{said}");
        assert!(said.starts_with("migrations that are missing: "), "{said}");
    }
}

#[tokio::test]
async fn a_build_that_lacks_what_the_database_has_and_has_what_it_lacks_does_not_start() {
    let mut stack = Stack::start().await;
    execute(&stack, LAST).await;
    execute(&stack, LATER).await;
    stack.control.kill();
    let words =
        "migration 99991231235959 was previously applied but is missing in the resolved migrations";
    let (status, said) = stack.control.ends(&CHECK);
    assert_eq!(status, 1);
    assert!(said.contains(words), "{said}");
    assert!(stack.control.refuses_to_start().await.contains(words));
}

#[tokio::test]
async fn a_migration_that_was_changed_after_it_had_been_applied_is_refused() {
    let mut stack = Stack::start().await;
    execute(&stack, LATER).await;
    let first = "UPDATE _sqlx_migrations SET checksum = 'abc'
                 WHERE version = (SELECT min(version) FROM _sqlx_migrations)";
    execute(&stack, first).await;
    stack.control.kill();
    let words = "was previously applied but has been modified";
    assert!(stack.control.refused(&CHECK).contains(words));
    assert!(stack.control.refuses_to_start().await.contains(words));
}

#[tokio::test]
async fn a_role_that_may_not_migrate_serves_what_was_migrated_and_nothing_else() {
    let mut scene = Scene::start().await;
    scene.stack.control.kill();
    scene.stack.start_control().await;
    scene.serve("again").await;
    let url = scene.stack.database().services_url();
    let mut conn = PgConnection::connect(&url).await.unwrap();
    let forbidden = [
        "DROP TABLE flags",
        "ALTER TABLE flags DROP COLUMN name",
        "TRUNCATE flags",
        "CREATE TRIGGER quiet BEFORE UPDATE ON flags FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "DELETE FROM _sqlx_migrations",
        "CREATE ROLE another",
    ];
    for sql in forbidden {
        let refused = sqlx::query(sql).execute(&mut conn).await.unwrap_err();
        let code = refused.as_database_error().unwrap().code();
        assert_eq!(code.as_deref(), Some("42501"), "{sql}");
    }
    // What it could not bring up to date, it does not serve.
    execute(&scene.stack, LAST).await;
    scene.stack.control.kill();
    let said = scene.stack.control.refuses_to_start().await;
    assert!(said.contains("cannot migrate the database"), "{said}");
}

const BOARD: &str = include_str!("../../deploy/observability/grafana/dashboards/tenants.json");

#[tokio::test]
async fn the_board_of_tenants_needs_no_more_than_its_role_may_read() {
    let scene = Scene::start().await;
    let mut conn = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    let mut tx = conn.begin().await.unwrap();
    let role = sqlx::query("SET ROLE halyard_reader").execute(&mut *tx);
    role.await.unwrap();
    let board: Value = serde_json::from_str(BOARD).unwrap();
    let mut shown = 0;
    for panel in board["panels"].as_array().unwrap() {
        let Some(sql) = panel["targets"][0]["rawSql"].as_str() else {
            continue;
        };
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *tx).await;
        let rows = rows.unwrap_or_else(|error| panic!("{}: {error}", panel["title"]));
        shown += rows.len();
    }
    // Its flag, the size of its environments, what it wrote, its plan.
    assert!(shown >= 4, "{shown}");
    let secret = sqlx::query("SELECT * FROM users").fetch_all(&mut *tx);
    secret.await.unwrap_err();
}
