//! SQL of failed logins, by normalized address. They belong to no tenant, and the address may have no account.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::accounts::settings::LockoutSettings;
use base::db;

/// The failures stored for an address, oldest first.
pub async fn find(conn: &mut PgConnection, email: &str) -> db::Result<Vec<OffsetDateTime>> {
    let found = sqlx::query_scalar!(
        "SELECT failed_at FROM login_failures WHERE email = $1",
        email,
    )
    .fetch_optional(conn)
    .await?;
    Ok(found.unwrap_or_default())
}

/// Adds a failure, deletes those too old to count, and returns how many count. `None` if the address is locked;
/// nothing is added then, since attempts do not extend a lock.
pub async fn add(
    conn: &mut PgConnection,
    email: &str,
    settings: &LockoutSettings,
    now: OffsetDateTime,
) -> db::Result<Option<u32>> {
    let counted = sqlx::query_scalar!(
        r#"INSERT INTO login_failures (email, failed_at, last_failed_at)
         VALUES ($1, ARRAY[$2::timestamptz], $2)
         ON CONFLICT ON CONSTRAINT login_failures_pkey DO UPDATE
         SET failed_at = ARRAY(
                 SELECT failed_at FROM unnest(login_failures.failed_at) AS failed_at WHERE failed_at > $3
             ) || $2::timestamptz,
             last_failed_at = $2
         WHERE cardinality(login_failures.failed_at) < $4 OR login_failures.last_failed_at <= $3
         RETURNING cardinality(failed_at) AS "failures!""#,
        email,
        now,
        now - settings.window,
        i32::try_from(settings.failures).unwrap_or(i32::MAX),
    )
    .fetch_optional(conn)
    .await?;
    Ok(counted.map(|failures| u32::try_from(failures).unwrap_or(0)))
}

/// Deletes the failures of an address; whether there were any.
pub async fn delete(conn: &mut PgConnection, email: &str) -> db::Result<bool> {
    let deleted = sqlx::query!("DELETE FROM login_failures WHERE email = $1", email);
    Ok(deleted.execute(conn).await?.rows_affected() > 0)
}

/// Deletes the failures of an address, unless they lock it.
pub async fn delete_unlocked(
    conn: &mut PgConnection,
    email: &str,
    settings: &LockoutSettings,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM login_failures
         WHERE email = $1 AND (cardinality(failed_at) < $2 OR last_failed_at <= $3)",
        email,
        i32::try_from(settings.failures).unwrap_or(i32::MAX),
        now - settings.window,
    )
    .execute(conn)
    .await?;
    Ok(())
}
