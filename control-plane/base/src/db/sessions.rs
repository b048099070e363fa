//! Whether connections are sessions of their own: locks and notifications belong to a session, and so do prepared statements.

use secrecy::{ExposeSecret, SecretString};
use sqlx::{Connection, PgConnection, Row, postgres::PgConnectOptions, raw_sql};

use super::{Error, Result};

/// Refuses a pooler that shares sessions between transactions.
///
/// # Errors
/// Where `DATABASE_URL` leads to one, is malformed, or nothing answers there.
pub async fn require_sessions(url: &SecretString) -> Result<()> {
    let options: PgConnectOptions = url.expose_secret().parse()?;
    match are_kept(&options.application_name("halyard")).await? {
        true => Ok(()),
        false => Err(Error::no_sessions()),
    }
}

/// Whether what one connection sets is still there once another one has begun a transaction. A pooler of transactions gives that the
/// session that has just become free. In plain text, since prepared statements are the first that such a pooler mixes up.
async fn are_kept(options: &PgConnectOptions) -> sqlx::Result<bool> {
    let mut first = PgConnection::connect_with(options).await?;
    raw_sql("SET halyard.session = 'kept'")
        .execute(&mut first)
        .await?;
    let mut second = PgConnection::connect_with(options).await?;
    raw_sql("BEGIN").execute(&mut second).await?;
    let found = raw_sql("SELECT coalesce(current_setting('halyard.session', true), '') = 'kept'");
    let kept = found.fetch_one(&mut first).await?.try_get(0)?;
    second.close().await?;
    first.close().await?;
    Ok(kept)
}
