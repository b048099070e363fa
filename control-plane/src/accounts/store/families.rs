//! SQL of token families.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{
    db,
    ids::{FamilyId, OrgId, UserId},
    members::model::Membership,
};

/// Stores a new family, and deletes the member's expired ones.
pub async fn insert(
    conn: &mut PgConnection,
    id: FamilyId,
    member: &Membership,
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM token_families WHERE org_id = $1 AND user_id = $2 AND expires_at <= $3",
        member.org_id as OrgId,
        member.user_id as UserId,
        now,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO token_families (id, org_id, user_id, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5)",
        id as FamilyId,
        member.org_id as OrgId,
        member.user_id as UserId,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks a live family until the end of the transaction, so that its refreshes and revocations happen one after
/// another. `false` if it is revoked, or not this user's.
pub async fn lock(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    id: FamilyId,
) -> db::Result<bool> {
    let locked = sqlx::query_scalar!(
        "SELECT id
         FROM token_families
         WHERE org_id = $1 AND user_id = $2 AND id = $3 AND revoked_at IS NULL
         FOR NO KEY UPDATE",
        org_id as OrgId,
        user_id as UserId,
        id as FamilyId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(locked.is_some())
}

/// Moves the end of a family.
pub async fn extend(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    expires_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET expires_at = $3 WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FamilyId,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes a family, and with it every token that carries its id. `false` if it was revoked before.
pub async fn revoke(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FamilyId,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let revoked = sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE org_id = $1 AND id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        id as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(revoked.rows_affected() == 1)
}

/// Revokes every family of a user in one organization; elsewhere they stay signed in.
pub async fn revoke_in(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $3 WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL",
        org_id as OrgId,
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Revokes every family of a user in all organizations.
pub async fn revoke_all(
    conn: &mut PgConnection,
    user_id: UserId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE token_families SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL",
        user_id as UserId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes every family of a user in one organization.
pub async fn delete_of_member(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM token_families WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
