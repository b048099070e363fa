//! Partitions of the audit log by time, so that what has expired is dropped and not deleted, and the indexes of what is being
//! written stay small.
//!
//! The newest partition has no end and the oldest no beginning: an entry always has a place, however late a job is and whatever a
//! clock shows. A default partition would do too, but then Postgres cannot read the newest entries from the newest partition alone.

use std::time::Duration;

use time::{Date, Month, OffsetDateTime, UtcOffset};

use super::store::partitions as store;
use base::db::{self, Busy, Db};

/// A log that is smaller stays in one partition, or in those it has: each costs every query some planning. About a million entries.
pub const LARGE: i64 = 1024 * 1024 * 1024;
/// As many as fit into the retention time. Each query locks all, with their indexes, in a table of the server that is bounded.
const MOST: u32 = 24;
/// Months of a partition where entries are kept for ever.
const YEAR: u32 = 12;
const DAYS_OF_A_MONTH: u64 = 30;

#[derive(Clone, Debug)]
pub struct Partition {
    pub(super) name: String,
    /// Inclusive. The oldest partition has none.
    pub(super) start: Option<OffsetDateTime>,
    /// Exclusive. The newest partition has none.
    pub(super) end: Option<OffsetDateTime>,
    pub(super) is_empty: bool,
    /// Refuses entries beyond the end that it is about to get.
    pub(super) is_limited: bool,
}

impl Partition {
    /// Whether its entries may wait until it is dropped: they stay at most a tenth longer than they are kept.
    pub(super) fn is_short(&self, kept_for: Duration) -> bool {
        let length = self.start.zip(self.end).map(|(start, end)| end - start);
        length.is_some_and(|length| length * 10 <= kept_for)
    }
}

/// Makes the partition that begins with the month after next, once the log has `large` bytes and the newest one will be
/// written to next month. Returns whether nothing is left to do; else it has to wait for a lock.
pub async fn extend(
    db: &Db,
    retention: Option<Duration>,
    large: i64,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let mut conn = db.acquire().await?;
    let partitions = store::list(&mut conn).await?;
    let Some(last) = partitions.last() else {
        return Ok(true);
    };
    let newest = store::newest(&mut conn).await?.unwrap_or(now);
    let is_large = store::bytes(&mut conn).await? >= large;
    drop(conn);
    let next_month = month_after(newest.max(now), 1);
    let is_due = is_large && last.start.is_none_or(|start| start <= next_month);
    let done = if is_due {
        let start = last.start.map_or(next_month, |start| start.max(next_month));
        close(db, &partitions, month_after(start, months(retention))).await
    } else if last.is_limited {
        // A process ended before it closed the partition.
        change(db, async |tx| store::unlimit(tx, last).await).await
    } else {
        Ok(())
    };
    unless_locked(done)
}

async fn close(db: &Db, partitions: &[Partition], end: OffsetDateTime) -> db::Result<()> {
    let Some(last) = partitions.last() else {
        return Ok(());
    };
    if !last.is_empty {
        change(db, async |tx| store::limit(tx, last, end).await).await?;
        change(db, async |tx| store::validate(tx, last).await).await?;
    }
    change(db, async |tx| {
        if is_as(tx, partitions).await? {
            store::close(tx, last, end).await?;
            tracing::info!(partition = last.name, %end, "a partition of the audit log has its end");
        }
        Ok(())
    })
    .await
}

/// Drops partitions that ended by `end`; returns the one that has entries from before and after it, or `None` if this has to wait
/// for a lock.
pub(super) async fn drop_expired(db: &Db, end: OffsetDateTime) -> db::Result<Option<Partition>> {
    let partitions = store::list(&mut *db.acquire().await?).await?;
    let is_expired = |one: &Partition| one.end.is_some_and(|ended| ended <= end);
    let next = partitions.iter().position(|one| !is_expired(one));
    let (expired, rest) = partitions.split_at(next.unwrap_or(partitions.len()));
    // The first one is empty where it took the place of others.
    let has_entries = expired.len() > 1 || expired.iter().any(|one| !one.is_empty);
    if let Some(ended) = expired
        .last()
        .and_then(|one| one.end)
        .filter(|_| has_entries)
    {
        let dropping = change(db, async |tx| {
            if is_as(tx, &partitions).await? {
                store::drop_oldest(tx, expired, ended).await?;
                tracing::info!(until = %ended, "expired partitions of the audit log are dropped");
            }
            Ok(())
        });
        if !unless_locked(dropping.await)? {
            return Ok(None);
        }
    }
    Ok(rest.first().cloned())
}

async fn change(db: &Db, work: impl AsyncFnOnce(&mut db::Tx) -> db::Result<()>) -> db::Result<()> {
    let mut tx = db.begin().await?;
    work(&mut tx).await?;
    tx.commit().await
}

/// Locks the log, and compares: another replica may have led meanwhile.
async fn is_as(tx: &mut db::Tx, partitions: &[Partition]) -> db::Result<bool> {
    store::lock(tx).await?;
    let now = store::list(tx).await?;
    let names =
        |of: &[Partition]| -> Vec<_> { of.iter().map(|one| (one.name.clone(), one.end)).collect() };
    Ok(names(&now) == names(partitions))
}

/// Whether it was done. A dump holds locks for as long as it takes, and each attempt delays writers: the next run is soon enough.
fn unless_locked(done: db::Result<()>) -> db::Result<bool> {
    match done {
        Err(error) if matches!(error.busy(), Some(Busy::Lock | Busy::Deadlock)) => {
            tracing::info!("the partitions of the audit log are in use; the next run tries again");
            Ok(false)
        }
        done => done.map(|()| true),
    }
}

/// Months of a partition.
fn months(retention: Option<Duration>) -> u32 {
    let Some(retention) = retention else {
        return YEAR;
    };
    let days = retention.as_secs() / (24 * 60 * 60);
    let months = days.div_ceil(DAYS_OF_A_MONTH * u64::from(MOST));
    u32::try_from(months).unwrap_or(u32::MAX).clamp(1, YEAR)
}

/// The beginning of the month that is so many months after that of a time, in UTC.
fn month_after(at: OffsetDateTime, months: u32) -> OffsetDateTime {
    let at = at.to_offset(UtcOffset::UTC).date();
    let month = u32::from(u8::from(at.month())) - 1 + months;
    let year = at.year() + i32::try_from(month / 12).unwrap_or(0);
    let month = u8::try_from(month % 12 + 1)
        .ok()
        .and_then(|it| Month::try_from(it).ok());
    let first = month.and_then(|month| Date::from_calendar_date(year, month, 1).ok());
    first.unwrap_or(Date::MAX).midnight().assume_utc()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    #[test]
    fn months_begin_in_utc() {
        let at = datetime!(2026-12-01 00:30 +2);
        assert_eq!(month_after(at, 0), datetime!(2026-11-01 00:00 UTC));
        assert_eq!(month_after(at, 1), datetime!(2026-12-01 00:00 UTC));
        assert_eq!(month_after(at, 14), datetime!(2028-01-01 00:00 UTC));
    }

    #[test]
    fn longer_retention_has_longer_partitions() {
        for (days, expected) in [
            (1, 1),
            (365, 1),
            (720, 1),
            (730, 2),
            (7 * 365, 4),
            (100_000, 12),
        ] {
            assert_eq!(months(Some(DAY * days)), expected, "{days}");
        }
        assert_eq!(months(None), 12);
    }

    #[test]
    fn only_entries_of_short_partitions_wait() {
        let partition = |start, end| Partition {
            name: String::new(),
            start,
            end,
            is_empty: false,
            is_limited: false,
        };
        let month = datetime!(2026-05-01 00:00 UTC);
        let end = datetime!(2026-06-01 00:00 UTC);
        let whole = partition(Some(month), Some(end));
        assert!(whole.is_short(DAY * 310) && !whole.is_short(DAY * 309));
        assert!(!partition(None, Some(end)).is_short(DAY * 10_000));
        assert!(!partition(Some(month), None).is_short(DAY * 10_000));
    }
}
