//! Deletes entries older than the retention time. Without `AUDIT_RETENTION` they are kept for ever.

use std::time::Duration;

use time::OffsetDateTime;

use super::store;
use base::db::{self, Db};

/// Deletes entries older than `kept_for` at `now`; returns their number. Commits in batches: on failure some may be deleted.
pub async fn delete(db: &Db, kept_for: Duration, now: OffsetDateTime) -> db::Result<u64> {
    let end = now - kept_for;
    let mut conn = db.acquire().await?;
    let mut deleted = 0;
    loop {
        // Few enough to keep a transaction short, even on the first run after retention was enabled.
        let batch = store::delete_older(&mut conn, end, 10_000).await?;
        if batch == 0 {
            break;
        }
        deleted += batch;
    }
    if deleted > 0 {
        tracing::info!(entries = deleted, "old audit entries deleted");
    }
    Ok(deleted)
}
