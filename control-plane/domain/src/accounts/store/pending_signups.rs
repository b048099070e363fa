//! SQL of pending sign-ups. Not tenant-scoped: the user is a member of no organization yet.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::accounts::{code::SentCode, email::Email, found::NewOrganization};
use base::db;

#[derive(Debug)]
pub struct PendingSignup {
    pub name: String,
    /// The organization to create; `None` to join one that invited the user.
    pub organization: Option<NewOrganization>,
    /// PHC string.
    pub password_hash: String,
    pub code: SentCode,
    pub code_sent_at: OffsetDateTime,
}

/// Stores a sign-up, replacing a pending one for the same address.
pub async fn upsert(
    conn: &mut PgConnection,
    email: &Email,
    pending: &PendingSignup,
) -> db::Result<()> {
    let organization = pending.organization.as_ref();
    sqlx::query!(
        "INSERT INTO pending_signups
             (email, name, org_name, data_region, password_hash,
              code_hash, code_sent_at, code_expires_at, failed_attempts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT ON CONSTRAINT pending_signups_pkey DO UPDATE
         SET name = EXCLUDED.name,
             org_name = EXCLUDED.org_name,
             data_region = EXCLUDED.data_region,
             password_hash = EXCLUDED.password_hash,
             code_hash = EXCLUDED.code_hash,
             code_sent_at = EXCLUDED.code_sent_at,
             code_expires_at = EXCLUDED.code_expires_at,
             failed_attempts = EXCLUDED.failed_attempts",
        email.as_str(),
        pending.name,
        organization.map(|new| new.name.as_str()),
        organization.map(|new| new.data_region.as_str()),
        pending.password_hash,
        pending.code.code_hash,
        pending.code_sent_at,
        pending.code.expires_at,
        pending.code.failed_attempts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The pending sign-up of an address, locked until the end of the transaction: codes are tried one after another.
pub async fn find_for_update(
    conn: &mut PgConnection,
    email: &Email,
) -> db::Result<Option<PendingSignup>> {
    let row = sqlx::query!(
        "SELECT name, org_name, data_region, password_hash,
                code_hash, code_sent_at, code_expires_at, failed_attempts
         FROM pending_signups
         WHERE email = $1
         FOR UPDATE",
        email.as_str(),
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| PendingSignup {
        name: row.name,
        organization: row
            .org_name
            .zip(row.data_region)
            .map(|(name, data_region)| NewOrganization { name, data_region }),
        password_hash: row.password_hash,
        code: SentCode {
            code_hash: row.code_hash,
            expires_at: row.code_expires_at,
            failed_attempts: row.failed_attempts,
        },
        code_sent_at: row.code_sent_at,
    }))
}

pub async fn add_failed_attempt(conn: &mut PgConnection, email: &Email) -> db::Result<()> {
    sqlx::query!(
        "UPDATE pending_signups SET failed_attempts = failed_attempts + 1 WHERE email = $1",
        email.as_str(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes a sign-up, which consumes its code. `false` if it was used, or another code was sent.
pub async fn delete(conn: &mut PgConnection, email: &Email, code_hash: &[u8]) -> db::Result<bool> {
    let deleted = sqlx::query!(
        "DELETE FROM pending_signups WHERE email = $1 AND code_hash = $2",
        email.as_str(),
        code_hash,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected() == 1)
}
