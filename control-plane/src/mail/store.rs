//! The table of waiting mail. It belongs to addresses, not to organizations: a recipient may not have one yet.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{db, ids::MailId};

/// The same email to each of its recipients.
pub(super) struct NewMail<'a> {
    pub(super) recipients: &'a [String],
    pub(super) kind: &'static str,
    pub(super) sealed_content: Vec<u8>,
    pub(super) expires_at: OffsetDateTime,
}

/// Inserts emails that are due at once.
pub(super) async fn insert(
    conn: &mut PgConnection,
    mail: &NewMail<'_>,
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<MailId> = mail.recipients.iter().map(|_| MailId::new(now)).collect();
    sqlx::query!(
        "INSERT INTO mails (id, recipient, kind, sealed_content, created_at, due_at, expires_at)
         SELECT id, recipient, $3, $4, $5, $5, $6
         FROM unnest($1::uuid[], $2::text[]) AS new (id, recipient)",
        &ids as &[MailId],
        mail.recipients,
        mail.kind,
        mail.sealed_content,
        now,
        mail.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An email that only the caller may send, until `due_at`.
pub(super) struct Waiting {
    pub(super) id: MailId,
    pub(super) recipient: String,
    pub(super) kind: String,
    pub(super) sealed_content: Vec<u8>,
    pub(super) created_at: OffsetDateTime,
    pub(super) due_at: OffsetDateTime,
    pub(super) expires_at: OffsetDateTime,
    pub(super) attempts: i32,
}

/// Takes the email that has been due the longest, and reserves it until `until`.
pub(super) async fn take(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> db::Result<Option<Waiting>> {
    let taken = sqlx::query_as!(
        Waiting,
        "UPDATE mails
         SET due_at = $2, attempts = attempts + 1
         WHERE id = (
             SELECT id
             FROM mails
             WHERE due_at <= $1
             ORDER BY due_at, id
             FOR UPDATE SKIP LOCKED
             LIMIT 1
         )
         RETURNING id, recipient, kind, sealed_content, created_at, due_at, expires_at, attempts",
        now,
        until,
    )
    .fetch_optional(conn)
    .await?;
    Ok(taken)
}

/// Schedules a taken email for another attempt at `due_at`, unless another sender has taken it since.
pub(super) async fn postpone(
    conn: &mut PgConnection,
    mail: &Waiting,
    due_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE mails
         SET due_at = $3
         WHERE id = $1 AND due_at = $2",
        mail.id as MailId,
        mail.due_at,
        due_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes an email that was sent or given up.
pub(super) async fn delete(conn: &mut PgConnection, id: MailId) -> db::Result<()> {
    sqlx::query!("DELETE FROM mails WHERE id = $1", id as MailId)
        .execute(conn)
        .await?;
    Ok(())
}

/// Deletes what waits for an address.
pub(super) async fn delete_of(conn: &mut PgConnection, recipient: &str) -> db::Result<()> {
    sqlx::query!("DELETE FROM mails WHERE recipient = $1", recipient)
        .execute(conn)
        .await?;
    Ok(())
}
