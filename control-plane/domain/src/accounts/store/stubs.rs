//! SQL of stub accounts, created by an invitation or SCIM: without a password until the holder proves the address and claims
//! them.

use sqlx::{Connection, PgConnection};
use time::OffsetDateTime;

use super::users::{Credentials, Row};
use crate::accounts::{email::Email, model::User};
use base::{db, ids::UserId};

/// Finds or creates the account of an address. A new one has no password until its holder claims it at sign-up. The claim
/// ([`insert_or_claim`]) waits for the end of this transaction, so it sees every membership that the transaction adds.
pub async fn find_or_insert_stub(
    conn: &mut PgConnection,
    email: &Email,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<(Credentials, Made)> {
    loop {
        let inserted = sqlx::query!(
            "INSERT INTO users (id, email, name, email_verified, created_at, updated_at)
             VALUES ($1, $2, $3, false, $4, $4)
             ON CONFLICT ON CONSTRAINT users_email_key DO NOTHING",
            UserId::new(now) as UserId,
            email.as_str(),
            name,
            now,
        )
        .execute(&mut *conn)
        .await?;
        let row = sqlx::query_as!(
            Row,
            r#"SELECT id, email AS "email!", name, email_verified, created_at, password_hash, password_proven
             FROM users
             WHERE email = $1
             FOR SHARE"#,
            email.as_str(),
        )
        .fetch_optional(&mut *conn)
        .await?;
        if let Some(row) = row {
            let made = match inserted.rows_affected() {
                0 => Made::Before,
                _ => Made::Now,
            };
            return Ok((row.into(), made));
        }
        // The account was concurrently deleted or given another address.
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    Now,
    Before,
}

/// Creates an account without an address, which cannot be claimed.
pub async fn insert_without_address(
    conn: &mut PgConnection,
    id: UserId,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO users (id, name, email_verified, created_at, updated_at) VALUES ($1, $2, false, $3, $3)",
        id as UserId,
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Updates the name and address of an unclaimed account, which keeps its address if the new one is taken. Does nothing to an
/// account with a password.
pub async fn update_unclaimed(
    conn: &mut PgConnection,
    id: UserId,
    email: Option<&Email>,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    // A concurrent insert is seen only by the constraint; a savepoint confines its violation.
    let mut attempt = conn.begin().await?;
    let updated = sqlx::query!(
        "UPDATE users
         SET email = $2, name = $3, email_verified = false, updated_at = $4
         WHERE id = $1 AND password_hash IS NULL",
        id as UserId,
        email.map(Email::as_str),
        name,
        now,
    )
    .execute(&mut *attempt)
    .await;
    match updated {
        Ok(_) => return Ok(attempt.commit().await?),
        Err(sqlx::Error::Database(refusal)) if refusal.constraint() == Some("users_email_key") => {
            attempt.rollback().await?;
        }
        Err(fault) => return Err(fault.into()),
    }
    sqlx::query!(
        "UPDATE users SET name = $2, updated_at = $3 WHERE id = $1 AND password_hash IS NULL",
        id as UserId,
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores a new user who has proven their address, or hands over the stub account of the address. Returns the account; `None`
/// if the address has one with a password.
pub async fn insert_or_claim(
    conn: &mut PgConnection,
    user: &User,
    password_hash: &str,
) -> db::Result<Option<User>> {
    Ok(sqlx::query_as!(
        User,
        r#"INSERT INTO users AS held (id, email, name, password_hash, email_verified, password_proven, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $5, $6, $6)
         ON CONFLICT ON CONSTRAINT users_email_key DO UPDATE
         SET name = EXCLUDED.name,
             password_hash = EXCLUDED.password_hash,
             email_verified = EXCLUDED.email_verified,
             password_proven = EXCLUDED.password_proven,
             updated_at = EXCLUDED.updated_at
         WHERE held.password_hash IS NULL
         RETURNING id, email AS "email!", name, email_verified, created_at"#,
        user.id as UserId,
        user.email,
        user.name,
        password_hash,
        user.email_verified,
        user.created_at,
    )
    .fetch_optional(conn)
    .await?)
}
