//! Aggregates series of minutes into hours, and those into days; deletes series beyond their retention.
//!
//! An hour is folded once, under the lock of the organization's window, which batches of edges take too: they add nothing to
//! folded hours (`Window::minute`), so no count is missed or folded twice. Readers combine folded rows with the remaining
//! minutes.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::{
    BATCH,
    model::Step,
    store::{series, windows},
};
use base::{
    db::{self, Db},
    ids::OrgId,
    jobs::sweep::{Sweep, SweepError, sweep},
    refusal::Refusal,
};

/// Folds the hours and days that have ended by `now`, and deletes expired series, of all organizations.
///
/// # Errors
/// When an organization failed. The others are complete.
pub async fn fold(db: &Db, now: OffsetDateTime) -> Result<(), SweepError> {
    sweep(db, &Due { db, now }).await
}

struct Due<'a> {
    db: &'a Db,
    now: OffsetDateTime,
}

impl Sweep for Due<'_> {
    // Completed steps stay: the next run continues.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5 * 60);

    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        let (hour, day) = (Step::Hour.floor(self.now), Step::Day.floor(self.now));
        series::list_due(
            conn,
            after,
            (hour, day),
            Step::ALL.map(|step| self.oldest(step)),
        )
        .await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        while self.fold_next(org_id, Step::Hour).await? {}
        while self.fold_next(org_id, Step::Day).await? {}
        for step in Step::ALL {
            self.delete(org_id, step).await?;
        }
        Ok(())
    }
}

impl Due<'_> {
    fn oldest(&self, step: Step) -> OffsetDateTime {
        self.now - step.kept_for()
    }

    /// Folds the oldest unfolded hour or day of an organization; `false` if there is none.
    async fn fold_next(&self, org_id: OrgId, into: Step) -> db::Result<bool> {
        let mut tx = self.db.begin().await?;
        let locked = windows::lock(&mut tx, &[org_id]).await?;
        let Some(window) = locked.get(&org_id) else {
            return Ok(false);
        };
        let (from, folded_to, end) = match into {
            Step::Day => (
                Step::Hour,
                window.days_folded_to,
                // Only days whose hours are all folded.
                window.hours_folded_to.map(|to| Step::Day.floor(to)),
            ),
            Step::Minute | Step::Hour => (
                Step::Minute,
                window.hours_folded_to,
                Some(Step::Hour.floor(self.now)),
            ),
        };
        let Some(end) = end.filter(|end| folded_to.is_none_or(|to| to < *end)) else {
            return Ok(false);
        };
        let oldest = series::oldest(&mut tx, org_id, from, folded_to, end).await?;
        let folded_to = match oldest {
            Some(oldest) => {
                let start = into.floor(oldest);
                series::fold(&mut tx, org_id, from, into, start).await?;
                start + into.length()
            }
            None => end,
        };
        windows::set_folded(&mut tx, org_id, into, folded_to).await?;
        tx.commit().await?;
        Ok(folded_to < end)
    }

    /// Deletes expired rows, except for unfolded ones.
    async fn delete(&self, org_id: OrgId, step: Step) -> db::Result<()> {
        let mut conn = self.db.acquire().await?;
        let before = self.oldest(step);
        while series::delete_older(&mut conn, org_id, step, before, BATCH).await? > 0 {}
        Ok(())
    }
}

impl Step {
    /// The start of the step that contains this time, in UTC.
    pub(super) fn floor(self, at: OffsetDateTime) -> OffsetDateTime {
        let past = at.unix_timestamp().rem_euclid(i64::from(self.seconds()));
        let whole = at.replace_nanosecond(0).unwrap_or(at);
        whole - Duration::seconds(past)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn steps_begin_in_utc() {
        let at = datetime!(2026-05-04 00:30:59.9 +2);
        for (step, start) in [
            (Step::Minute, datetime!(2026-05-03 22:30 UTC)),
            (Step::Hour, datetime!(2026-05-03 22:00 UTC)),
            (Step::Day, datetime!(2026-05-03 00:00 UTC)),
        ] {
            assert_eq!(step.floor(at), start, "{step:?}");
            assert_eq!(step.floor(start), start, "{step:?}");
        }
    }
}
