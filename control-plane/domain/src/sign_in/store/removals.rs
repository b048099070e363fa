//! SQL of members whom somebody removed: a provider does not bring them back.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{OrgId, UserId},
};

pub(crate) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO removed_members (org_id, user_id, removed_at)
         VALUES ($1, $2, $3)
         ON CONFLICT ON CONSTRAINT removed_members_pkey DO UPDATE SET removed_at = $3",
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether somebody removed them, by hand or by SCIM, and nobody has brought them back.
pub(crate) async fn was_removed(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM removed_members WHERE org_id = $1 AND user_id = $2) AS "was_removed!""#,
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_one(conn)
    .await?)
}

pub(crate) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM removed_members WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
