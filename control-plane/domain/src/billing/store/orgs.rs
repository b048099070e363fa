//! SQL of billing data of a whole organization.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::billing::model::{Gateway, PlanUse};
use base::{db, ids::OrgId};

/// A snapshot of the organization's usage and its plan in effect at `now`. Counts members, projects and environments, which
/// belong to their own domains.
pub async fn get_plan_use(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<PlanUse> {
    let row = sqlx::query!(
        r#"SELECT plan, trial_expires_at, gateway,
                  (SELECT COUNT(*) FROM members WHERE org_id = $1 AND NOT is_service) AS "seats!",
                  (SELECT COUNT(*) FROM projects WHERE org_id = $1) AS "projects!",
                  (SELECT COUNT(*) FROM environments WHERE org_id = $1) AS "environments!"
           FROM organizations
           WHERE id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?;
    Ok(PlanUse {
        plan: row.plan.at(row.trial_expires_at, now),
        gateway: row.gateway,
        seats: row.seats,
        projects: row.projects,
        environments: row.environments,
    })
}

pub async fn get_gateway(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Gateway> {
    Ok(sqlx::query_scalar!(
        "SELECT gateway FROM organizations WHERE id = $1",
        org_id as OrgId
    )
    .fetch_one(conn)
    .await?)
}

pub async fn update_gateway(
    conn: &mut PgConnection,
    org_id: OrgId,
    gateway: Gateway,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET gateway = $2, updated_at = $3 WHERE id = $1",
        org_id as OrgId,
        gateway as Gateway,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether an organization is being deleted permanently; `None` if it does not exist. Locks it until the end of the transaction,
/// so that a deletion is either seen or waits. Not tenant-scoped: a gateway names it.
pub async fn find_purge(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Option<bool>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT purge_started_at IS NOT NULL AS "is_purged!" FROM organizations WHERE id = $1 FOR NO KEY UPDATE"#,
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?)
}
