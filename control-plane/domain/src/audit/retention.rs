//! Deletes entries older than the retention time. Without `AUDIT_RETENTION` they are kept for ever.

use std::time::Duration;

use time::OffsetDateTime;

use super::{partitions, store};
use base::db::{self, Db};

/// Drops partitions whose entries are all older than `kept_for` at `now`, and deletes older entries of partitions that are too long
/// to wait for; returns the number of these. Commits in batches: on failure some may be deleted.
pub async fn delete(db: &Db, kept_for: Duration, now: OffsetDateTime) -> db::Result<u64> {
    let end = now - kept_for;
    let next = partitions::drop_expired(db, end).await?;
    if next.is_none_or(|next| next.is_short(kept_for)) {
        return Ok(0);
    }
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
