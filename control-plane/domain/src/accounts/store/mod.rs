//! SQL of accounts, one file per table.

pub mod families;
pub mod login_failures;
pub mod one_time_tokens;
pub mod password_resets;
pub mod pending_signups;
pub mod refresh_tokens;
pub mod sent_codes;
pub mod stubs;
pub mod users;
pub mod verifications;

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::settings::LockoutSettings;
use crate::sign_in::store::attempts;
use base::db;

/// Deletes all that is stored under an address, even failures that lock it. Not tenant-scoped, as addresses belong to no tenant.
pub async fn delete_of_address(conn: &mut PgConnection, email: &str) -> db::Result<()> {
    sqlx::query!("DELETE FROM pending_signups WHERE email = $1", email)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM sent_codes WHERE email = $1", email)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM password_resets WHERE email = $1", email)
        .execute(&mut *conn)
        .await?;
    sqlx::query!("DELETE FROM login_failures WHERE email = $1", email)
        .execute(conn)
        .await?;
    Ok(())
}

/// Deletes what has expired at `now` and counts no more.
pub async fn delete_expired(
    conn: &mut PgConnection,
    lockout: LockoutSettings,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM login_failures WHERE last_failed_at <= $1",
        now - lockout.window
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM pending_signups WHERE code_expires_at <= $1",
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM sent_codes WHERE last_sent_at <= $1",
        now - Duration::HOUR
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM password_resets WHERE expires_at <= $1", now)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "DELETE FROM email_verifications WHERE expires_at <= $1",
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!("DELETE FROM one_time_tokens WHERE expires_at <= $1", now)
        .execute(&mut *conn)
        .await?;
    attempts::delete_expired(conn, now).await
}
