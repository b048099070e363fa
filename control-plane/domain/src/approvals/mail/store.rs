//! SQL of mail about requests. Recipients are members who have proven their address and have entered the organization: anyone
//! can be made a member.

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::roles::{
    keys::{ApprovalsReview, Permission},
    model::BuiltIn,
};
use base::{
    db,
    ids::{CustomRoleId, MemberId, OrgId, UserId},
    mail::MailToMember,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Requests,
    Decisions,
}

impl About {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Decisions => "decisions",
        }
    }
}

#[derive(Debug)]
pub(super) struct Recipient {
    pub(super) member_id: MemberId,
    pub(super) email: String,
    /// The time of the last mail, which may be in the future; `None` before the first.
    pub(super) last_mail_at: Option<OffsetDateTime>,
}

/// Members other than its authors who may review requests, those who signed in last first.
pub(super) async fn list_reviewers(
    conn: &mut PgConnection,
    org_id: OrgId,
    authors: &[UserId],
    limit: i64,
) -> db::Result<Vec<Recipient>> {
    let built_in = BuiltIn::ALL.map(BuiltIn::role).into_iter();
    let built_in: Vec<_> = built_in
        .filter(|role| ApprovalsReview::NEEDS.is_met_by(&role.permissions))
        .map(|role| role.id)
        .collect();
    let keys: Vec<_> = ApprovalsReview::NEEDS
        .keys()
        .iter()
        .map(|key| (*key).to_owned())
        .collect();
    Ok(sqlx::query_as!(
        Recipient,
        r#"SELECT m.id AS member_id, u.email AS "email!", mail.due_at AS "last_mail_at?"
           FROM members m
           JOIN users u ON u.id = m.user_id
           LEFT JOIN custom_roles r ON r.org_id = m.org_id AND r.id = m.stored_role_id
           LEFT JOIN approval_mails mail ON mail.member_id = m.id AND mail.about = 'requests'
           WHERE m.org_id = $1
               AND m.user_id <> ALL($2)
               AND m.role IN ('owner', 'admin')
               AND (m.custom_role_id IS NULL OR m.custom_role_id = ANY($3) OR r.permissions && $4)
               AND NOT m.awaits_proof
               AND m.known_as IS NULL
               AND u.email IS NOT NULL
               AND u.email_verified
           ORDER BY m.last_login_at DESC NULLS LAST, m.id
           LIMIT $5"#,
        org_id as OrgId,
        authors as &[UserId],
        &built_in as &[CustomRoleId],
        &keys,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Those of the authors who are still members.
pub(super) async fn list_authors(
    conn: &mut PgConnection,
    org_id: OrgId,
    authors: &[UserId],
    limit: i64,
) -> db::Result<Vec<Recipient>> {
    Ok(sqlx::query_as!(
        Recipient,
        r#"SELECT m.id AS member_id, u.email AS "email!", mail.due_at AS "last_mail_at?"
           FROM members m
           JOIN users u ON u.id = m.user_id
           LEFT JOIN approval_mails mail ON mail.member_id = m.id AND mail.about = 'decisions'
           WHERE m.org_id = $1
               AND m.user_id = ANY($2)
               AND NOT m.awaits_proof
               AND m.known_as IS NULL
               AND u.email IS NOT NULL
               AND u.email_verified
           ORDER BY m.last_login_at DESC NULLS LAST, m.id
           LIMIT $3"#,
        org_id as OrgId,
        authors as &[UserId],
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// The name of a member.
pub(super) async fn find_name(
    conn: &mut PgConnection,
    org_id: OrgId,
    user_id: UserId,
) -> db::Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        "SELECT u.name FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.user_id = $2",
        org_id as OrgId,
        user_id as UserId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Gives each recipient without a waiting mail the next time within the interval. Holds the memberships until the end of the
/// transaction; those that ended meanwhile get none.
pub(super) async fn take_turns(
    conn: &mut PgConnection,
    org_id: OrgId,
    about: About,
    recipients: &[Recipient],
    now: OffsetDateTime,
    interval: Duration,
) -> db::Result<Vec<MailToMember>> {
    let member_ids: Vec<_> = recipients.iter().map(|it| it.member_id).collect();
    let turns = sqlx::query!(
        "WITH held AS (
             SELECT id FROM members WHERE org_id = $1 AND id = ANY($2) ORDER BY id FOR KEY SHARE
         )
         INSERT INTO approval_mails AS mail (member_id, about, org_id, due_at)
         SELECT id, $3, $1, $4 FROM held ORDER BY id
         ON CONFLICT ON CONSTRAINT approval_mails_pkey DO UPDATE
         SET due_at = greatest($4, mail.due_at + make_interval(secs => $5))
         WHERE mail.due_at <= $4
         RETURNING member_id, due_at",
        org_id as OrgId,
        &member_ids as &[MemberId],
        about.as_str(),
        now,
        interval.as_seconds_f64(),
    )
    .fetch_all(conn)
    .await?;
    let mails = turns.into_iter().filter_map(|turn| {
        let recipient = recipients
            .iter()
            .find(|it| it.member_id == turn.member_id)?;
        Some(MailToMember {
            member_id: turn.member_id,
            address: recipient.email.clone(),
            due_at: turn.due_at,
        })
    });
    Ok(mails.collect())
}
