//! Events of operators, not tenant-scoped.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Act, OperatorEvent};
use crate::db;

/// Records an operator's action in its transaction, and keeps the newest 10,000. The database adds the user.
pub async fn record(
    conn: &mut PgConnection,
    act: Act,
    subject: &str,
    details: Value,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO operator_events (at, action, subject, details, database_user, address)
         VALUES ($1, $2, $3, $4, session_user, host(inet_client_addr()))",
        now,
        act.as_str(),
        subject,
        details,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM operator_events
         WHERE id <= (SELECT id FROM operator_events ORDER BY id DESC OFFSET $1 LIMIT 1)",
        10_000_i64,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The newest events, of one subject or of all, in ascending order.
pub async fn list(
    conn: &mut PgConnection,
    subject: Option<&str>,
    limit: i64,
) -> db::Result<Vec<OperatorEvent>> {
    let mut found = sqlx::query_as!(
        OperatorEvent,
        "SELECT at, action, subject, details, database_user, address
         FROM operator_events
         WHERE $1::text IS NULL OR subject = $1
         ORDER BY id DESC
         LIMIT $2",
        subject,
        limit,
    )
    .fetch_all(conn)
    .await?;
    found.reverse();
    Ok(found)
}
