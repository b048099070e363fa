//! SQL of users, token families and refresh tokens.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{email::Email, model::User};
use crate::{
    db,
    ids::{FamilyId, OrgId, TokenId, UserId},
    members::model::Member,
};

/// Why a user was not stored.
#[derive(Debug, thiserror::Error)]
pub enum InsertUserError {
    /// The address has an account.
    #[error("email already registered")]
    EmailTaken,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// A user and what their password is compared with.
pub struct Credentials {
    /// The user.
    pub user: User,
    /// PHC string; `None` for an account that cannot sign in by password.
    pub password_hash: Option<String>,
}

/// Stores a new user. Users belong to no tenant; memberships do.
///
/// # Errors
/// When the address has an account, or the database fails.
pub async fn insert_user(
    conn: &mut PgConnection,
    user: &User,
    password_hash: &str,
) -> Result<(), InsertUserError> {
    let stored = sqlx::query!(
        "INSERT INTO users (id, email, name, password_hash, email_verified, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)",
        user.id as UserId,
        user.email,
        user.name,
        password_hash,
        user.email_verified,
        user.created_at,
    )
    .execute(conn)
    .await;
    match stored {
        Ok(_) => Ok(()),
        Err(error) if db::violates(&error, "users_email_key") => Err(InsertUserError::EmailTaken),
        Err(error) => Err(InsertUserError::Database(error.into())),
    }
}

/// The account of an address. Not tenant-scoped: nobody is signed in yet.
///
/// # Errors
/// When the database fails.
pub async fn find_credentials(
    conn: &mut PgConnection,
    email: &Email,
) -> db::Result<Option<Credentials>> {
    let row = sqlx::query!(
        "SELECT id, email, name, email_verified, created_at, password_hash
         FROM users
         WHERE email = $1",
        email.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Credentials {
        user: User {
            id: row.id,
            email: row.email,
            name: row.name,
            email_verified: row.email_verified,
            created_at: row.created_at,
        },
        password_hash: row.password_hash,
    }))
}

/// Stores a new family, and forgets the member's families that have ended.
///
/// # Errors
/// When the database fails.
pub async fn insert_family(
    conn: &mut PgConnection,
    id: FamilyId,
    member: &Member,
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

/// Locks a family that lives until the end of the transaction: refreshes of one family happen one after another, and
/// none beside a revocation. `false` when it is revoked, or not this user's.
///
/// # Errors
/// When the database fails.
pub async fn lock_family(
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
///
/// # Errors
/// When the database fails.
pub async fn extend_family(
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

/// Ends a family, and with it every token that carries its id. `false` when it was ended before.
///
/// # Errors
/// When the database fails.
pub async fn revoke_family(
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

/// A refresh token that was issued.
#[derive(Debug)]
pub struct RefreshToken {
    /// When it was first used.
    pub replaced_at: Option<OffsetDateTime>,
}

/// A refresh token of a family. The family names the tenant.
///
/// # Errors
/// When the database fails.
pub async fn find_refresh_token(
    conn: &mut PgConnection,
    family_id: FamilyId,
    id: TokenId,
) -> db::Result<Option<RefreshToken>> {
    Ok(sqlx::query_as!(
        RefreshToken,
        "SELECT replaced_at FROM refresh_tokens WHERE family_id = $1 AND id = $2",
        family_id as FamilyId,
        id as TokenId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Stores a refresh token of a family, and forgets those of the family that have ended.
///
/// # Errors
/// When the database fails.
pub async fn insert_refresh_token(
    conn: &mut PgConnection,
    family_id: FamilyId,
    id: TokenId,
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM refresh_tokens WHERE family_id = $1 AND expires_at <= $2",
        family_id as FamilyId,
        now,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO refresh_tokens (id, family_id, issued_at, expires_at)
         VALUES ($1, $2, $3, $4)",
        id as TokenId,
        family_id as FamilyId,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Remembers that a refresh token was used.
///
/// # Errors
/// When the database fails.
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
