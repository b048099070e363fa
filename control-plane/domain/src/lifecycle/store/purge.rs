//! Permanent deletions; those in progress are listed over all organizations.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{db, ids::OrgId, jobs::sweep::BATCH};

/// Begins a permanent deletion, which is irreversible.
pub(in crate::lifecycle) async fn begin(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET purge_started_at = $2, updated_at = $2 WHERE id = $1",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::lifecycle) async fn list(
    conn: &mut PgConnection,
    after: OrgId,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id
         FROM organizations
         WHERE purge_started_at IS NOT NULL AND id > $1
         ORDER BY id
         LIMIT $2",
        after as OrgId,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

/// Deletes the rest of an organization whose permanent deletion has begun. `false` if it is gone, or a concurrent request added
/// a project, whose removal edges must receive first, or a member, whose account must be deleted first.
pub(in crate::lifecycle) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<bool> {
    // The common lock order.
    sqlx::query_scalar!(
        "SELECT org_id FROM org_activity WHERE org_id = $1 FOR UPDATE",
        org_id as OrgId
    )
    .fetch_optional(&mut *conn)
    .await?;
    // Before the next statement looks: what concurrent requests add is committed by then, or refused.
    sqlx::query_scalar!(
        r#"SELECT id AS "id: OrgId" FROM organizations WHERE id = $1 FOR UPDATE"#,
        org_id as OrgId,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let deleted = sqlx::query!(
        "DELETE FROM organizations
         WHERE id = $1
             AND purge_started_at IS NOT NULL
             AND NOT EXISTS (SELECT FROM projects WHERE org_id = $1)
             AND NOT EXISTS (SELECT FROM members WHERE org_id = $1)",
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected() == 1)
}
