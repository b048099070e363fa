//! SQL of one-time tokens.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::members::caller::Caller;
use base::{
    db,
    ids::{FamilyId, OrgId, UserId},
};

#[derive(Debug)]
pub struct Bearer {
    pub org_id: OrgId,
    pub user_id: UserId,
    /// The session that issued the token.
    pub family_id: FamilyId,
}

pub async fn insert(
    conn: &mut PgConnection,
    (caller, family_id): (&Caller, FamilyId),
    token_hash: &[u8; 32],
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO one_time_tokens (token_hash, org_id, user_id, created_at, expires_at, family_id)
         VALUES ($1, $2, $3, $4, $5, $6)",
        token_hash,
        caller.org_id as OrgId,
        caller.user_id as UserId,
        now,
        expires_at,
        family_id as FamilyId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Consumes a token. `None` if it is unknown, expired or used. Not tenant-scoped: the token names the tenant.
pub async fn consume(
    conn: &mut PgConnection,
    token_hash: &[u8; 32],
    now: OffsetDateTime,
) -> db::Result<Option<Bearer>> {
    Ok(sqlx::query_as!(
        Bearer,
        "UPDATE one_time_tokens
         SET consumed_at = $2
         WHERE token_hash = $1 AND consumed_at IS NULL AND expires_at > $2
         RETURNING org_id, user_id, family_id",
        token_hash,
        now,
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn delete_of_user(conn: &mut PgConnection, user_id: UserId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM one_time_tokens WHERE user_id = $1",
        user_id as UserId
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn delete_of_member(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM one_time_tokens WHERE org_id = $1 AND user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .execute(conn)
    .await?;
    Ok(())
}
