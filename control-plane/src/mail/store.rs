//! The table of mails that wait. They belong to addresses, not to organizations: an account may have none yet.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{db, ids::MailId};

/// A mail to be sent.
pub(super) struct NewMail<'a> {
    pub(super) id: MailId,
    pub(super) recipient: &'a str,
    pub(super) kind: &'static str,
    pub(super) sealed_content: Vec<u8>,
    pub(super) expires_at: OffsetDateTime,
}

/// Writes a mail that is due at once.
pub(super) async fn insert(
    conn: &mut PgConnection,
    mail: &NewMail<'_>,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO mails (id, recipient, kind, sealed_content, created_at, due_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $5, $6)",
        mail.id as MailId,
        mail.recipient,
        mail.kind,
        mail.sealed_content,
        now,
        mail.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
