//! SQL of accounts created by an invitation: they have no password until the holder proves the address and claims them.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::users::{Credentials, Row};
use crate::{
    accounts::{email::Email, model::User},
    db,
    ids::UserId,
};

/// The account of an address. If created here, it has no password, and the address as its name, until its holder claims
/// it at sign-up. The claim ([`insert_or_claim`]) waits for the end of this transaction, so it sees every membership
/// that the transaction adds to the account.
pub async fn find_or_insert_stub(
    conn: &mut PgConnection,
    email: &Email,
    now: OffsetDateTime,
) -> db::Result<Credentials> {
    loop {
        sqlx::query!(
            "INSERT INTO users (id, email, name, email_verified, created_at, updated_at)
             VALUES ($1, $2, $2, false, $3, $3)
             ON CONFLICT ON CONSTRAINT users_email_key DO NOTHING",
            UserId::new(now) as UserId,
            email.as_str(),
            now,
        )
        .execute(&mut *conn)
        .await?;
        let row = sqlx::query_as!(
            Row,
            "SELECT id, email, name, email_verified, created_at, password_hash
             FROM users
             WHERE email = $1
             FOR SHARE",
            email.as_str(),
        )
        .fetch_optional(&mut *conn)
        .await?;
        if let Some(row) = row {
            return Ok(row.into());
        }
        // It was just being deleted with its only organization.
    }
}

/// Stores a new user, or lets them claim the account without a password that an invitation created for their address.
/// Returns the account; `None` if the address has one with a password.
pub async fn insert_or_claim(
    conn: &mut PgConnection,
    user: &User,
    password_hash: &str,
) -> db::Result<Option<User>> {
    let stored = sqlx::query_as!(
        User,
        "INSERT INTO users AS held (id, email, name, password_hash, email_verified, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $6)
         ON CONFLICT ON CONSTRAINT users_email_key DO UPDATE
         SET name = EXCLUDED.name,
             password_hash = EXCLUDED.password_hash,
             email_verified = EXCLUDED.email_verified,
             updated_at = EXCLUDED.updated_at
         WHERE held.password_hash IS NULL
         RETURNING id, email, name, email_verified, created_at",
        user.id as UserId,
        user.email,
        user.name,
        password_hash,
        user.email_verified,
        user.created_at,
    )
    .fetch_optional(conn)
    .await?;
    Ok(stored)
}
