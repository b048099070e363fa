//! The lock that makes a leader. There is no table.

use sqlx::PgConnection;

use time::OffsetDateTime;

use crate::db;

/// The result of an attempt to lead.
#[derive(Debug)]
pub(super) struct Attempt {
    /// Whether this session has the lock, until it ends.
    pub(super) taken: bool,
    /// The database's time.
    pub(super) now: OffsetDateTime,
}

/// Takes the lock for the rest of the session, unless another session has it.
pub(super) async fn take(session: &mut PgConnection) -> db::Result<Attempt> {
    Ok(sqlx::query_as!(
        Attempt,
        r#"SELECT pg_try_advisory_lock($1) AS "taken!", clock_timestamp() AS "now!""#,
        // Any number that no other lock uses.
        0x6861_6c79_6172_6402_i64,
    )
    .fetch_one(session)
    .await?)
}
