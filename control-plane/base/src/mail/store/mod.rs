//! The table of waiting mail. Rows belong to addresses, not to organizations: a recipient may not have one yet.

pub(super) mod counts;
mod waiting;

pub use self::waiting::{Queued, list_waiting, make_due};

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    db,
    ids::{MailId, MemberId, OrgId},
    mail::{MailToMember, Template, kinds::ORGANIZATION_DELETED, template::Priority},
};

/// The same email to each of its recipients.
pub(super) struct NewMail<'a> {
    pub(super) recipients: &'a [String],
    pub(super) kind: &'static str,
    pub(super) priority: Priority,
    pub(super) sealed_content: Vec<u8>,
    /// The organization that caused it, and whether its member's address is proven.
    pub(super) org_id: Option<OrgId>,
    pub(super) by_verified: bool,
    pub(super) due_at: OffsetDateTime,
    pub(super) expires_at: OffsetDateTime,
}

pub(super) async fn insert(
    conn: &mut PgConnection,
    mail: &NewMail<'_>,
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<MailId> = mail.recipients.iter().map(|_| MailId::new(now)).collect();
    sqlx::query!(
        "INSERT INTO mails
             (id, recipient, kind, sealed_content, created_at, due_at, expires_at, priority, org_id, by_verified)
         SELECT id, recipient, $3, $4, $5, $6, $7, $8, $9, $10
         FROM unnest($1::uuid[], $2::text[]) AS new (id, recipient)",
        &ids as &[MailId],
        mail.recipients,
        mail.kind,
        mail.sealed_content,
        now,
        mail.due_at,
        mail.expires_at,
        mail.priority as i16,
        mail.org_id as Option<OrgId>,
        mail.by_verified,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The same email to members, each with its own time.
pub(super) async fn insert_for_members(
    conn: &mut PgConnection,
    to: &[MailToMember],
    template: &Template<'_>,
    sealed_content: &[u8],
    now: OffsetDateTime,
) -> db::Result<()> {
    let ids: Vec<_> = to.iter().map(|_| MailId::new(now)).collect();
    let member_ids: Vec<_> = to.iter().map(|mail| mail.member_id).collect();
    let addresses: Vec<_> = to.iter().map(|mail| mail.address.clone()).collect();
    let due: Vec<_> = to.iter().map(|mail| mail.due_at).collect();
    let worth = template.worth_sending_for();
    let expire: Vec<_> = due.iter().map(|due_at| *due_at + worth).collect();
    sqlx::query!(
        "INSERT INTO mails
             (id, member_id, recipient, due_at, expires_at, kind, sealed_content, created_at, priority)
         SELECT id, member_id, recipient, due_at, expires_at, $6, $7, $8, $9
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[])
             AS new (id, member_id, recipient, due_at, expires_at)",
        &ids as &[MailId],
        &member_ids as &[MemberId],
        &addresses,
        &due,
        &expire,
        template.kind(),
        sealed_content,
        now,
        template.priority() as i16,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Replaces the contents of an email of the same kind from the organization to the same address that was not tried yet. Returns
/// whether the address of the member who caused it was proven; `None` if there is no such email.
pub(super) async fn replace_waiting(
    conn: &mut PgConnection,
    org_id: OrgId,
    recipient: &str,
    kind: &str,
    sealed_content: &[u8],
) -> db::Result<Option<bool>> {
    let replaced = sqlx::query_scalar!(
        "UPDATE mails
         SET sealed_content = $4
         WHERE org_id = $1 AND recipient = $2 AND kind = $3 AND attempts = 0
         RETURNING by_verified",
        org_id as OrgId,
        recipient,
        kind,
        sealed_content,
    )
    .fetch_optional(conn)
    .await?;
    Ok(replaced)
}

/// Moves such an email forward to `due_at` and marks its member's address as proven.
pub(super) async fn prefer_waiting(
    conn: &mut PgConnection,
    org_id: OrgId,
    recipient: &str,
    kind: &str,
    due_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE mails
         SET by_verified = true, due_at = least(due_at, $4)
         WHERE org_id = $1 AND recipient = $2 AND kind = $3 AND attempts = 0",
        org_id as OrgId,
        recipient,
        kind,
        due_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// An email that only its taker may send, until `due_at`.
pub(super) struct Waiting {
    pub(super) id: MailId,
    pub(super) recipient: String,
    pub(super) kind: String,
    pub(super) sealed_content: Vec<u8>,
    pub(super) created_at: OffsetDateTime,
    pub(super) due_at: OffsetDateTime,
    pub(super) expires_at: OffsetDateTime,
    pub(super) attempts: i32,
    pub(super) org_id: Option<OrgId>,
    pub(super) by_verified: bool,
    pub(super) is_counted: bool,
}

/// Takes the email of a priority that has been due the longest, and reserves it until `until`.
pub(super) async fn take(
    conn: &mut PgConnection,
    priority: Priority,
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
             WHERE priority = $3 AND due_at <= $1
             ORDER BY due_at, id
             FOR UPDATE SKIP LOCKED
             LIMIT 1
         )
         RETURNING id, recipient, kind, sealed_content, created_at, due_at, expires_at, attempts,
             org_id, by_verified, is_counted",
        now,
        until,
        priority as i16,
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
    attempts: i32,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE mails
         SET due_at = $3, attempts = $4
         WHERE id = $1 AND due_at = $2",
        mail.id as MailId,
        mail.due_at,
        due_at,
        attempts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records that a taken email was counted for its recipient.
pub(super) async fn update_counted(conn: &mut PgConnection, id: MailId) -> db::Result<()> {
    sqlx::query!(
        "UPDATE mails SET is_counted = true WHERE id = $1",
        id as MailId
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

/// Deletes the waiting mail of an address, but for that about the deletion of an organization.
pub(super) async fn delete_of(conn: &mut PgConnection, recipient: &str) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM mails WHERE recipient = $1 AND kind <> $2",
        recipient,
        ORGANIZATION_DELETED,
    )
    .execute(conn)
    .await?;
    Ok(())
}

// Sealed mail beyond `after`, locked.
crate::sealed_column! {
    list: r#"SELECT id AS "id: Uuid", sealed_content AS sealed
         FROM mails
         WHERE id > $1
         ORDER BY id
         LIMIT $2
         FOR NO KEY UPDATE"#,
    update: "UPDATE mails
         SET sealed_content = anew.sealed
         FROM unnest($1::uuid[], $2::bytea[]) AS anew (id, sealed)
         WHERE mails.id = anew.id",
}
