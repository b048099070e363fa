//! SQL of organizations.

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::model::{Organization, Plan};
use crate::{db, ids::OrgId};

/// The organization of this id or slug, locked until commit. Not tenant-scoped: an operator names any.
///
/// # Errors
/// When the database fails.
pub async fn find_by_name_for_update(
    conn: &mut PgConnection,
    id_or_slug: &str,
) -> db::Result<Option<Organization>> {
    let id = Uuid::try_parse(id_or_slug).ok();
    Ok(sqlx::query_as!(
        Organization,
        "SELECT id, name, slug, plan, trial_expires_at, created_at, updated_at
         FROM organizations
         WHERE id = $1 OR slug = $2
         FOR NO KEY UPDATE",
        id,
        id_or_slug,
    )
    .fetch_optional(conn)
    .await?)
}

/// Stores a plan.
///
/// # Errors
/// When the database fails.
pub async fn update_plan(
    conn: &mut PgConnection,
    org_id: OrgId,
    plan: Plan,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET plan = $2, updated_at = $3 WHERE id = $1",
        org_id as OrgId,
        plan as Plan,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The plan of the organization, and its lock until the end of the transaction: what is created under a limit of the
/// plan is counted while it is held. Reading and foreign keys do not wait for it.
///
/// # Errors
/// When the database fails, or the organization is gone.
pub async fn plan_for_update(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Plan> {
    Ok(sqlx::query_scalar!(
        "SELECT plan FROM organizations WHERE id = $1 FOR NO KEY UPDATE",
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}
