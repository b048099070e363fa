//! Operators' queries of organizations, across all of them and across domains.

use sqlx::PgConnection;
use time::OffsetDateTime;

use base::{db, ids::OrgId};
use domain::orgs::model::Plan;

/// A row of the list.
#[derive(Debug)]
pub(super) struct Listed {
    pub(super) id: OrgId,
    pub(super) slug: String,
    pub(super) plan: Plan,
    pub(super) trial_expires_at: Option<OffsetDateTime>,
    pub(super) created_at: OffsetDateTime,
    pub(super) last_login_at: Option<OffsetDateTime>,
    pub(super) deleted_at: Option<OffsetDateTime>,
}

/// At most `limit` organizations with ids beyond `after`, of those on a plan at `now`, in the order of their creation.
pub(super) async fn list(
    conn: &mut PgConnection,
    plan: Option<Plan>,
    after: OrgId,
    limit: u32,
    now: OffsetDateTime,
) -> db::Result<Vec<Listed>> {
    Ok(sqlx::query_as!(
        Listed,
        r#"SELECT o.id, o.slug, o.plan, o.trial_expires_at, o.created_at,
                  a.last_login_at AS "last_login_at?", o.deleted_at
           FROM organizations o
           LEFT JOIN org_activity a ON a.org_id = o.id
           WHERE o.id > $1
               AND (
                   $2::text IS NULL
                   OR $2 = CASE WHEN o.plan = 'trial' AND o.trial_expires_at <= $3 THEN 'free' ELSE o.plan END
               )
           ORDER BY o.id
           LIMIT $4"#,
        after as OrgId,
        plan.map(Plan::as_str),
        now,
        i64::from(limit),
    )
    .fetch_all(conn)
    .await?)
}

/// The details of one organization.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) id: OrgId,
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) plan: Plan,
    pub(super) trial_expires_at: Option<OffsetDateTime>,
    pub(super) gateway: String,
    pub(super) last_login_at: Option<OffsetDateTime>,
    pub(super) seats: i64,
    pub(super) projects: i64,
    /// The maximum per project.
    pub(super) environments: i64,
}

/// The organization with this id, or with this slug if the text is not an id.
pub(super) async fn find(conn: &mut PgConnection, id_or_slug: &str) -> db::Result<Option<Found>> {
    let id = OrgId::parse(id_or_slug);
    Ok(sqlx::query_as!(
        Found,
        r#"SELECT
               o.id,
               o.name,
               o.slug,
               o.plan,
               o.trial_expires_at,
               o.gateway AS "gateway: String",
               a.last_login_at AS "last_login_at?",
               (SELECT COUNT(*) FROM members WHERE org_id = o.id AND NOT is_service) AS "seats!",
               (SELECT COUNT(*) FROM projects WHERE org_id = o.id) AS "projects!",
               (
                   SELECT COALESCE(MAX(of_one.count), 0)
                   FROM (SELECT COUNT(*) AS count FROM environments WHERE org_id = o.id GROUP BY project_id) AS of_one
               ) AS "environments!"
           FROM organizations o
           LEFT JOIN org_activity a ON a.org_id = o.id
           WHERE o.id = $1 OR $1 IS NULL AND o.slug = $2"#,
        id as Option<OrgId>,
        id_or_slug,
    )
    .fetch_optional(conn)
    .await?)
}
