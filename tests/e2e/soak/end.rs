//! What is left once all tenants have gone, and once time has passed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use harness::eventually;
use harness::patience::patience;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::time::sleep;

use super::churn;
use super::sample::tables;
use super::world::World;

/// Numbers of rows by table.
pub type Rows = BTreeMap<String, i64>;

pub async fn rows(pool: &PgPool) -> Rows {
    let tables = tables(pool).await.into_iter();
    tables.map(|(table, [rows, _])| (table, rows)).collect()
}

/// What there is more of than before.
pub async fn left(pool: &PgPool, before: &Rows) -> Rows {
    let mut left = rows(pool).await;
    for (table, rows) in &mut left {
        *rows -= before.get(table).copied().unwrap_or_default();
    }
    left.retain(|_, rows| *rows > 0);
    left
}

/// Has the last organization leave.
pub async fn leave(world: &World) {
    churn::leave(&world.owner, "acme").await;
    eventually("no organization is left", async || {
        let rows = rows(&world.pool).await;
        (rows["organizations"] == 0).then_some(())
    })
    .await;
}

/// Rows that stay for ever: who was let in to the link, what operators did (10,000), and people, who may belong to another
/// organization tomorrow.
const STAY: [&str; 3] = ["edge_certificates", "operator_events", "users"];

/// Waits until nothing else is left.
pub async fn time_has_taken(pool: &PgPool, before: &Rows) {
    let deadline = Instant::now() + patience();
    loop {
        let mut left = left(pool, before).await;
        left.retain(|table, _| !STAY.contains(&table.as_str()));
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{left:?} stays");
        sleep(Duration::from_millis(100)).await;
    }
}

/// Makes all that is left older by some years.
pub async fn age(pool: &PgPool, left: &Rows) {
    for table in left.keys() {
        let columns: Vec<String> = sqlx::query_scalar(
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_schema = 'public' AND table_name = $1 AND data_type LIKE 'timestamp%'",
        )
        .bind(table)
        .fetch_all(pool)
        .await
        .expect("columns");
        if columns.is_empty() {
            continue;
        }
        let aged = columns.iter();
        let aged = aged.map(|column| format!("{column} = {column} - interval '3 years'"));
        let aged = aged.collect::<Vec<_>>().join(", ");
        let statement = format!("UPDATE {table} SET {aged}");
        let done = sqlx::query(AssertSqlSafe(statement)).execute(pool).await;
        done.expect("it can be older");
    }
}
