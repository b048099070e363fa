//! Deleting entries that are older than the installation keeps them. Without `AUDIT_RETENTION` nothing is ever deleted.

use std::time::Duration;

use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;

use super::store;
use crate::{
    background::{self, Waker},
    db::{self, Db},
};

const PERIOD: Duration = Duration::from_secs(60 * 60);

/// Entries of one transaction: few enough for it to be short, also at the first look after retention was switched on.
const BATCH: i64 = 10_000;

/// Deletes every hour, for as long as it is polled. Several replicas may do it at once.
pub async fn run(db: Db, kept_for: Duration, clock: Clock) {
    let nobody_wakes_it = Waker::new();
    background::run(PERIOD, nobody_wakes_it.listen(), || async {
        match delete(&db, kept_for, clock.now()).await {
            Ok(0) => {}
            Ok(entries) => tracing::info!(entries, "old audit entries deleted"),
            Err(error) => tracing::warn!(
                error = chain(&error),
                "old audit entries are kept until the next look"
            ),
        }
    })
    .await;
}

/// Deletes the entries that are older than `kept_for` at `now`; tells how many.
///
/// # Errors
/// When the database fails. Some may be deleted then.
pub async fn delete(db: &Db, kept_for: Duration, now: OffsetDateTime) -> db::Result<u64> {
    let end = now - kept_for;
    let mut conn = db.acquire().await?;
    let mut deleted = 0;
    loop {
        let batch = store::delete_older(&mut conn, end, BATCH).await?;
        if batch == 0 {
            return Ok(deleted);
        }
        deleted += batch;
    }
}
