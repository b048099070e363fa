//! SQL of ending trials. Candidates are listed over all organizations.

use std::time::Duration;

use sqlx::{PgConnection, postgres::types::PgInterval};
use time::OffsetDateTime;

use base::{db, ids::OrgId, jobs::sweep::BATCH};

/// Ended trials that are not stored as Free.
pub(in crate::lifecycle) async fn list_ended(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    after: OrgId,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id
         FROM organizations
         WHERE plan = 'trial' AND trial_expires_at <= $1 AND id > $2
         ORDER BY id
         LIMIT $3",
        now,
        after as OrgId,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

/// Trials that end within `notice` and were not announced. Excludes trials shorter than that.
pub(in crate::lifecycle) async fn list_ending(
    conn: &mut PgConnection,
    notice: Duration,
    now: OffsetDateTime,
    after: OrgId,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id
         FROM organizations
         WHERE plan = 'trial'
             AND trial_expires_at > $1
             AND trial_expires_at <= $2
             AND trial_expires_at > COALESCE(plan_changed_at, created_at) + $3::interval
             AND trial_notice_at IS NULL
             AND id > $4
         ORDER BY id
         LIMIT $5",
        now,
        now + notice,
        interval(notice),
        after as OrgId,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

/// Records the notice about the end of the trial. `false` if it was sent before, or is not due.
pub(in crate::lifecycle) async fn note_notice(
    conn: &mut PgConnection,
    org_id: OrgId,
    notice: Duration,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let noted = sqlx::query!(
        "UPDATE organizations
         SET trial_notice_at = $2
         WHERE id = $1
             AND plan = 'trial'
             AND trial_expires_at > $2
             AND trial_expires_at <= $3
             AND trial_expires_at > COALESCE(plan_changed_at, created_at) + $4::interval
             AND trial_notice_at IS NULL",
        org_id as OrgId,
        now,
        now + notice,
        interval(notice),
    )
    .execute(conn)
    .await?;
    Ok(noted.rows_affected() == 1)
}

fn interval(time: Duration) -> PgInterval {
    PgInterval {
        months: 0,
        days: 0,
        microseconds: i64::try_from(time.as_micros()).unwrap_or(i64::MAX),
    }
}
