//! A copy of all rows, and a restore of the data alone: tables, their numbers and the history stay as they are, as with
//! `pg_restore --data-only --single-transaction` after a `TRUNCATE`.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// Copies the rows of all tables.
pub async fn keep(url: &str) {
    let mut connection = PgConnection::connect(url).await.unwrap();
    let made = "DROP SCHEMA IF EXISTS kept CASCADE; CREATE SCHEMA kept";
    connection.execute(made).await.unwrap();
    let mut tx = connection
        .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ")
        .await
        .unwrap();
    for (table, columns) in tables(&mut tx).await {
        let copied = format!("CREATE TABLE kept.{table} AS SELECT {columns} FROM public.{table}");
        tx.execute(AssertSqlSafe(copied)).await.unwrap();
    }
    tx.commit().await.unwrap();
}

/// Restores the tables to what was copied, and nothing else. Where the database gives that up for a deadlock with the service, it
/// is done once more, as an operator would.
pub async fn load(url: &str) {
    while let Err(error) = try_load(url).await {
        let code = error.as_database_error().and_then(|error| error.code());
        assert_eq!(code.as_deref(), Some("40P01"), "{error}");
    }
}

async fn try_load(url: &str) -> sqlx::Result<()> {
    let mut connection = PgConnection::connect(url).await?;
    let mut tx = connection.begin().await?;
    let unchecked = "SET LOCAL session_replication_role = replica";
    tx.execute(unchecked).await?;
    let tables = tables(&mut tx).await;
    let names: Vec<_> = tables
        .iter()
        .map(|(table, _)| format!("public.{table}"))
        .collect();
    let emptied = format!("TRUNCATE {}", names.join(", "));
    tx.execute(AssertSqlSafe(emptied)).await?;
    for (table, columns) in tables {
        let loaded = format!(
            "INSERT INTO public.{table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM kept.{table}"
        );
        tx.execute(AssertSqlSafe(loaded)).await?;
    }
    tx.commit().await
}

/// All tables, each with the columns that are stored as they are given.
async fn tables(connection: &mut PgConnection) -> Vec<(String, String)> {
    let tables =
        "SELECT quote_ident(c.relname), string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum)
                  FROM pg_class c
                  JOIN pg_attribute a ON a.attrelid = c.oid
                  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
                    AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                  GROUP BY c.relname";
    sqlx::query_as(tables).fetch_all(connection).await.unwrap()
}
