//! SQL of links that prove an address. Addresses belong to users, and users to no tenant.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::accounts::email::Email;
use base::{db, ids::UserId};

pub async fn insert(
    conn: &mut PgConnection,
    user_id: UserId,
    email: &str,
    token_hash: &[u8; 32],
    expires_at: OffsetDateTime,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO email_verifications (token_hash, user_id, email, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5)",
        token_hash,
        user_id as UserId,
        email,
        now,
        expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find_last_sent(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT max(created_at) FROM email_verifications WHERE user_id = $1",
        user_id as UserId,
    )
    .fetch_one(conn)
    .await?)
}

/// The user whose address a link proves: it is valid, was sent to this address, and the address is still the user's.
pub async fn find_user(
    conn: &mut PgConnection,
    token_hash: &[u8; 32],
    email: &Email,
    now: OffsetDateTime,
) -> db::Result<Option<UserId>> {
    Ok(sqlx::query_scalar!(
        "SELECT email_verifications.user_id
         FROM email_verifications
         JOIN users ON users.id = email_verifications.user_id AND users.email = email_verifications.email
         WHERE email_verifications.token_hash = $1
             AND email_verifications.email = $2
             AND email_verifications.expires_at > $3",
        token_hash,
        email.as_str(),
        now,
    )
    .fetch_optional(conn)
    .await?)
}

/// Makes void what was mailed to a user.
pub async fn delete_of_user(conn: &mut PgConnection, user_id: UserId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM email_verifications WHERE user_id = $1",
        user_id as UserId
    )
    .execute(conn)
    .await?;
    Ok(())
}
