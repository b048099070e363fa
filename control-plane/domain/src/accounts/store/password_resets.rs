//! SQL of codes that reset passwords, by address. Addresses without an account have rows too, see the migration. Not
//! tenant-scoped: the client is not signed in.

use sqlx::PgConnection;

use crate::accounts::{code::SentCode, email::Email};
use base::{db, ids::UserId};

/// Stores a code, replacing an earlier one. Without a user, no code was sent.
pub async fn upsert(
    conn: &mut PgConnection,
    email: &Email,
    user_id: Option<UserId>,
    code: &SentCode,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO password_resets (email, user_id, code_hash, expires_at, failed_attempts)
         VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT ON CONSTRAINT password_resets_pkey DO UPDATE
         SET user_id = EXCLUDED.user_id,
             code_hash = EXCLUDED.code_hash,
             expires_at = EXCLUDED.expires_at,
             failed_attempts = EXCLUDED.failed_attempts",
        email.as_str(),
        user_id as Option<UserId>,
        code.code_hash,
        code.expires_at,
        code.failed_attempts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The code of an address, locked until the end of the transaction: codes are tried one after another.
pub async fn find_for_update(
    conn: &mut PgConnection,
    email: &Email,
) -> db::Result<Option<SentCode>> {
    Ok(sqlx::query_as!(
        SentCode,
        "SELECT code_hash, expires_at, failed_attempts
         FROM password_resets
         WHERE email = $1
         FOR UPDATE",
        email.as_str(),
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn add_failed_attempt(conn: &mut PgConnection, email: &Email) -> db::Result<()> {
    sqlx::query!(
        "UPDATE password_resets SET failed_attempts = failed_attempts + 1 WHERE email = $1",
        email.as_str(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Consumes a code, and returns whose password may be set. `None` if it was used, or another code was sent.
pub async fn delete(
    conn: &mut PgConnection,
    email: &Email,
    code_hash: &[u8],
) -> db::Result<Option<UserId>> {
    let user_id = sqlx::query_scalar!(
        "DELETE FROM password_resets
         WHERE email = $1 AND code_hash = $2
         RETURNING user_id",
        email.as_str(),
        code_hash,
    )
    .fetch_optional(conn)
    .await?;
    Ok(user_id.flatten())
}

/// Makes void what was mailed to a user.
pub async fn delete_of_user(conn: &mut PgConnection, user_id: UserId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM password_resets WHERE user_id = $1",
        user_id as UserId
    )
    .execute(conn)
    .await?;
    Ok(())
}
