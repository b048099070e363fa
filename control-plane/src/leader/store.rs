//! The lock that makes a leader, and the session that holds it. There is no table.

use std::time::Duration;

use sqlx::{Connection, PgConnection, PgPool};

use crate::db;

/// Identifies the leader's lock; any number that no other lock uses.
const LEADER_LOCK: i64 = 0x6861_6c79_6172_6402;

/// A session that Postgres ends once it has been silent for `silence`.
pub(super) async fn open(pool: &PgPool, silence: Duration) -> db::Result<PgConnection> {
    let options = pool.connect_options();
    let mut session = PgConnection::connect_with(&options).await?;
    sqlx::query_scalar!(
        "SELECT set_config('idle_session_timeout', $1, false)",
        format!("{}ms", silence.as_millis()),
    )
    .fetch_one(&mut session)
    .await?;
    Ok(session)
}

/// Takes the lock for the rest of the session; false if another session has it.
pub(super) async fn take(session: &mut PgConnection) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_lock($1) AS "taken!""#,
        LEADER_LOCK
    )
    .fetch_one(session)
    .await?)
}
