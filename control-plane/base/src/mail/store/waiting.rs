//! Mail that waits, as operators see it.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{db, ids::MailId};

/// Mail that waits.
#[derive(Debug)]
pub struct Queued {
    pub id: MailId,
    pub recipient: String,
    pub kind: String,
    pub attempts: i32,
    pub due_at: OffsetDateTime,
}

/// The first of it, in the order in which it is sent.
pub async fn list_waiting(conn: &mut PgConnection, limit: u32) -> db::Result<Vec<Queued>> {
    Ok(sqlx::query_as!(
        Queued,
        "SELECT id, recipient, kind, attempts, due_at FROM mails ORDER BY priority, due_at, id LIMIT $1",
        i64::from(limit),
    )
    .fetch_all(conn)
    .await?)
}

/// Has one mail, or all, sent now; how many.
pub async fn make_due(
    conn: &mut PgConnection,
    id: Option<MailId>,
    now: OffsetDateTime,
) -> db::Result<u64> {
    let due = sqlx::query!(
        "UPDATE mails SET due_at = $2 WHERE ($1::uuid IS NULL OR id = $1) AND due_at > $2",
        id as Option<MailId>,
        now,
    );
    Ok(due.execute(conn).await?.rows_affected())
}
