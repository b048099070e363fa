//! The lock that makes a leader. There is no table.

use sqlx::PgConnection;

use crate::db;

/// Identifies the leader's lock; any number that no other lock uses.
const LEADER_LOCK: i64 = 0x6861_6c79_6172_6402;

/// Takes the lock for the rest of the session; false if another session has it.
pub(super) async fn take(session: &mut PgConnection) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_lock($1) AS "taken!""#,
        LEADER_LOCK
    )
    .fetch_one(session)
    .await?)
}
