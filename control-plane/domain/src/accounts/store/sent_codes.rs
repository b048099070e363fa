//! SQL of the codes of every kind sent to an address. Not tenant-scoped: addresses belong to no tenant.

use std::num::NonZeroU32;

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::accounts::email::Email;
use base::{db, refusal::Refusal};

/// Counts one more code, in a single statement: concurrent requests count one after another. The address stays locked
/// until the end of the transaction.
pub async fn count(
    conn: &mut PgConnection,
    email: &Email,
    per_hour: NonZeroU32,
    now: OffsetDateTime,
) -> Result<(), Refusal> {
    let counted = sqlx::query!(
        "INSERT INTO sent_codes AS held (email, sent_at, last_sent_at)
         VALUES ($1, ARRAY[$2::timestamptz], $2)
         ON CONFLICT ON CONSTRAINT sent_codes_pkey DO UPDATE
         SET sent_at = ARRAY(SELECT sent FROM unnest(held.sent_at) AS sent WHERE sent > $3) || $2::timestamptz,
             last_sent_at = $2
         WHERE (SELECT count(*) FROM unnest(held.sent_at) AS sent WHERE sent > $3) < $4",
        email.as_str(),
        now,
        now - Duration::HOUR,
        i64::from(per_hour.get()),
    )
    .execute(&mut *conn)
    .await
    .map_err(db::Error::from)?;
    if counted.rows_affected() == 1 {
        return Ok(());
    }
    let oldest_that_counts = get_nth_latest(conn, email, per_hour).await?;
    let words = "too many codes sent to this address, please try again later";
    Err(Refusal::until(
        oldest_that_counts + Duration::HOUR,
        now,
        words,
    ))
}

async fn get_nth_latest(
    conn: &mut PgConnection,
    email: &Email,
    nth: NonZeroU32,
) -> db::Result<OffsetDateTime> {
    Ok(sqlx::query_scalar!(
        r#"SELECT sent AS "sent!"
         FROM sent_codes, unnest(sent_at) AS sent
         WHERE email = $1
         ORDER BY sent DESC
         LIMIT 1 OFFSET $2"#,
        email.as_str(),
        i64::from(nth.get()) - 1,
    )
    .fetch_one(conn)
    .await?)
}
