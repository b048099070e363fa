//! An environment of 10,000 flags: readers do not wait while it is published, and a change costs the database no
//! more than in a small one.

use std::time::{Duration, Instant};

use harness::{Caller, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection, Row};
use tokio_util::sync::CancellationToken;

use crate::scene::{Scene, question, value_at};

const FLAGS: i32 = 10_000;
const WRITES: i64 = 10;
/// Rows of flags and states that a write and its publishing may read: its own few times over.
const ROWS_OF_A_WRITE: i64 = 20;

#[tokio::test]
async fn ten_thousand_flags_reach_two_edges_without_a_reader_waiting() {
    let mut scene = Scene::start().await;
    let second = scene.stack.edge().await;
    let sdks = [scene.sdk(), second.with_key(&scene.key)];
    let done = CancellationToken::new();
    let readers = sdks
        .clone()
        .map(|sdk| tokio::spawn(slowest_answer(sdk, done.clone())));

    fill(&scene, FLAGS).await;
    for sdk in &sdks {
        knows(sdk, &format!("bulk-{FLAGS}")).await;
    }
    for round in 0..WRITES {
        let value = format!("v{round}");
        scene.serve(&value).await;
        for sdk in &sdks {
            assert_eq!(value_at(sdk).await, value, "at {}", sdk.base());
        }
    }

    done.cancel();
    for reader in readers {
        let slowest = reader.await.expect("the reader was always answered");
        assert!(
            slowest < Duration::from_secs(1),
            "an evaluation took {slowest:?}"
        );
    }
}

#[tokio::test]
async fn a_change_reads_no_more_rows_in_a_large_environment() {
    let scene = Scene::start().await;
    fill(&scene, 100).await;
    let small = rows_read_by_writes(&scene).await;
    fill(&scene, FLAGS).await;
    let large = rows_read_by_writes(&scene).await;
    // In a table of a few pages the server rightly reads all of it; in a large one that would be ten thousand rows a write.
    assert!(
        large <= small.max(ROWS_OF_A_WRITE * WRITES),
        "{WRITES} writes read {small} rows among 100 flags, {large} among {FLAGS}"
    );
}

/// Asks without a pause until told to stop; the time of the slowest answer.
async fn slowest_answer(sdk: Caller, done: CancellationToken) -> Duration {
    let mut slowest = Duration::ZERO;
    while !done.is_cancelled() {
        let began = Instant::now();
        sdk.act("/v1/evaluate", question()).await;
        slowest = slowest.max(began.elapsed());
    }
    slowest
}

async fn knows(sdk: &Caller, flag_key: &str) {
    eventually(&format!("{} knows {flag_key}", sdk.base()), || async {
        let question = json!({"flag_key": flag_key, "context": {"key": "user-1"}});
        let answer = sdk.post("/v1/evaluate", question).await;
        (answer.body["reason"] != "NOT_FOUND").then_some(())
    })
    .await;
}

/// Adds flags `bulk-1` to `bulk-<count>` as far as they are missing, as one change of the project.
pub async fn fill(scene: &Scene, count: i32) {
    let mut connection = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    sqlx::query(
        "WITH drawn AS (
             UPDATE projects SET version = version + 1 WHERE id = $1::uuid RETURNING id, org_id, version
         ), touched AS (
             UPDATE environments SET version = drawn.version, changed_in = pg_current_xact_id()
             FROM drawn WHERE project_id = drawn.id
         )
         INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags,
                            prerequisites, mutual_exclusion_group, changed_version, compiled_bytes,
                            created_at, updated_at)
         SELECT gen_random_uuid(), drawn.org_id, drawn.id, 'bulk-' || number, 'Bulk', '', 'boolean', 'true', '{}',
                '{}', '', drawn.version, 100, now(), now()
         FROM drawn, generate_series(1, $2) AS number
         ON CONFLICT DO NOTHING",
    )
    .bind(&scene.project)
    .bind(count)
    .execute(&mut connection)
    .await
    .unwrap();
    // As the server would by itself some time after such a load.
    sqlx::query("ANALYZE")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    knows(&scene.sdk(), &format!("bulk-{count}")).await;
}

/// How many rows of flags and states were read from tables and indexes while the flag was changed a few times; the
/// least of three looks, since sessions may report what they did before (the publishing of the load) seconds late.
async fn rows_read_by_writes(scene: &Scene) -> i64 {
    let mut least = i64::MAX;
    for look in 0..3 {
        let before = rows_read(scene).await;
        for round in 0..WRITES {
            let value = format!("w{look}-{round}");
            scene.serve(&value).await;
            scene.edge_serves(&value).await;
        }
        least = least.min(rows_read(scene).await - before);
    }
    least
}

async fn rows_read(scene: &Scene) -> i64 {
    // Sessions report what they did when they have been idle for a while.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let mut connection = PgConnection::connect(scene.stack.database().url())
        .await
        .unwrap();
    let row = sqlx::query(
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
         FROM pg_stat_user_tables
         WHERE relname IN ('flags', 'flag_states', 'segments')",
    )
    .fetch_one(&mut connection)
    .await
    .unwrap();
    row.get(0)
}
