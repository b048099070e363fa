//! Logins, recorded beside the organization's row so that they do not wait for its lock.

use std::time::Duration;

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{db, ids::OrgId};

/// Logins within this time of each other are recorded once: otherwise they would wait for each other's commits.
const NOTED_EVERY: Duration = Duration::from_secs(1);

/// Records a login, which voids deletion warnings.
pub(super) async fn touch(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH noted AS (
             UPDATE org_activity
             SET last_login_at = GREATEST(last_login_at, $2),
                 deletion_warned_at = NULL,
                 purge_warned_at = NULL
             WHERE org_id = $1
                 AND (last_login_at <= $3 OR deletion_warned_at IS NOT NULL OR purge_warned_at IS NOT NULL)
         )
         INSERT INTO org_activity (org_id, last_login_at)
         SELECT id, $2
         FROM organizations
         WHERE id = $1 AND NOT EXISTS (SELECT FROM org_activity WHERE org_id = $1)
         ON CONFLICT ON CONSTRAINT org_activity_pkey
         DO UPDATE SET
             last_login_at = GREATEST(org_activity.last_login_at, excluded.last_login_at),
             deletion_warned_at = NULL,
             purge_warned_at = NULL",
        org_id as OrgId,
        now,
        now - NOTED_EVERY,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Restores a deleted organization, unless its permanent deletion has begun. `false` if there was nothing to restore.
pub(super) async fn restore(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let restored = sqlx::query!(
        "UPDATE organizations
         SET deleted_at = NULL, updated_at = $2
         WHERE id = $1 AND deleted_at IS NOT NULL AND purge_started_at IS NULL",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(restored.rows_affected() == 1)
}

/// The data region of an organization; `None` if it is gone or being deleted permanently.
pub(super) async fn find_region_unless_purged(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        "SELECT data_region FROM organizations WHERE id = $1 AND purge_started_at IS NULL",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Blocks logins to the organization until the end of the transaction. `false` if it is gone.
pub(crate) async fn lock(conn: &mut PgConnection, org_id: OrgId) -> db::Result<bool> {
    sqlx::query!(
        "INSERT INTO org_activity (org_id, last_login_at)
         SELECT id, created_at
         FROM organizations
         WHERE id = $1 AND NOT EXISTS (SELECT FROM org_activity WHERE org_id = $1)
         ON CONFLICT ON CONSTRAINT org_activity_pkey DO NOTHING",
        org_id as OrgId,
    )
    .execute(&mut *conn)
    .await?;
    let locked = sqlx::query_scalar!(
        "SELECT org_id FROM org_activity WHERE org_id = $1 FOR UPDATE",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(locked.is_some())
}
