//! SQL of refresh tokens. Their family names the tenant.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::accounts::tokens::RefreshGrant;
use base::{
    db,
    ids::{FamilyId, TokenId},
};

/// When a token was first used, if it was. `None` if the family has no such token.
pub async fn find_replaced_at(
    conn: &mut PgConnection,
    family_id: FamilyId,
    id: TokenId,
) -> db::Result<Option<Option<OffsetDateTime>>> {
    Ok(sqlx::query_scalar!(
        "SELECT replaced_at FROM refresh_tokens WHERE family_id = $1 AND id = $2",
        family_id as FamilyId,
        id as TokenId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The unused refresh token of a family.
pub async fn find_next(
    conn: &mut PgConnection,
    family_id: FamilyId,
) -> db::Result<Option<RefreshGrant>> {
    Ok(sqlx::query_as!(
        RefreshGrant,
        "SELECT id, issued_at, expires_at
         FROM refresh_tokens
         WHERE family_id = $1 AND replaced_at IS NULL",
        family_id as FamilyId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Stores a refresh token of a family, and deletes the expired ones of the family.
pub async fn insert(
    conn: &mut PgConnection,
    family_id: FamilyId,
    token: RefreshGrant,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM refresh_tokens WHERE family_id = $1 AND expires_at <= $2",
        family_id as FamilyId,
        token.issued_at,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO refresh_tokens (id, family_id, issued_at, expires_at)
         VALUES ($1, $2, $3, $4)",
        token.id as TokenId,
        family_id as FamilyId,
        token.issued_at,
        token.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn update_replaced(
    conn: &mut PgConnection,
    family_id: FamilyId,
    id: TokenId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE refresh_tokens SET replaced_at = $3 WHERE family_id = $1 AND id = $2",
        family_id as FamilyId,
        id as TokenId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn update_all_replaced(
    conn: &mut PgConnection,
    family_id: FamilyId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE refresh_tokens SET replaced_at = $2 WHERE family_id = $1 AND replaced_at IS NULL",
        family_id as FamilyId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
