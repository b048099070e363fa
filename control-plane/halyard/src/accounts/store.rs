//! Operators' queries of accounts, across organizations and domains.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{
    db,
    ids::{OrgId, UserId},
};
use domain::{accounts::email::Email, members::model::Role};

/// An account with what keeps its holder out.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: UserId,
    pub(super) name: String,
    pub(super) email_verified: bool,
    pub(super) has_password: bool,
    pub(super) created_at: OffsetDateTime,
    pub(super) second_factor_at: Option<OffsetDateTime>,
    pub(super) failed_logins: i32,
    pub(super) last_failed_at: Option<OffsetDateTime>,
    pub(super) sessions: i64,
}

pub(super) async fn find(
    conn: &mut PgConnection,
    email: &Email,
    now: OffsetDateTime,
) -> db::Result<Option<Found>> {
    Ok(sqlx::query_as!(
        Found,
        r#"SELECT u.id, u.name, u.email_verified, u.password_hash IS NOT NULL AS "has_password!", u.created_at,
                  m.enrolled_at AS "second_factor_at?", coalesce(cardinality(f.failed_at), 0) AS "failed_logins!",
                  f.last_failed_at AS "last_failed_at?",
                  (SELECT count(*) FROM token_families t
                   WHERE t.user_id = u.id AND t.revoked_at IS NULL AND t.expires_at > $2) AS "sessions!"
           FROM users u
           LEFT JOIN mfa_enrolments m ON m.user_id = u.id
           LEFT JOIN login_failures f ON f.email = u.email
           WHERE u.email = $1"#,
        email.as_str(),
        now,
    )
    .fetch_optional(conn)
    .await?)
}

/// A membership of an account.
#[derive(Debug)]
pub(super) struct Membership {
    pub(super) org_id: OrgId,
    pub(super) slug: String,
    pub(super) role: Role,
    pub(super) last_login_at: Option<OffsetDateTime>,
}

/// The first hundred.
pub(super) async fn memberships(
    conn: &mut PgConnection,
    user_id: UserId,
) -> db::Result<Vec<Membership>> {
    Ok(sqlx::query_as!(
        Membership,
        "SELECT m.org_id, o.slug, m.role, m.last_login_at
         FROM members m
         JOIN organizations o ON o.id = m.org_id
         WHERE m.user_id = $1
         ORDER BY m.org_id
         LIMIT 100",
        user_id as UserId,
    )
    .fetch_all(conn)
    .await?)
}
