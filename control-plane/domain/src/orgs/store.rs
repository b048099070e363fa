//! SQL of organizations.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Organization, Plan};
use base::{db, ids::OrgId};

/// The organization with this id, or with this slug if it is not an id, locked until commit, unless it is being deleted
/// permanently. Not tenant-scoped: an operator may name any.
pub async fn find_by_name_for_update(
    conn: &mut PgConnection,
    id_or_slug: &str,
) -> db::Result<Option<Organization>> {
    let id = OrgId::parse(id_or_slug);
    Ok(sqlx::query_as!(
        Organization,
        "SELECT id, name, slug, plan, trial_expires_at, created_at, updated_at
         FROM organizations
         WHERE (id = $1 OR $1 IS NULL AND slug = $2) AND purge_started_at IS NULL
         FOR NO KEY UPDATE",
        id as Option<OrgId>,
        id_or_slug,
    )
    .fetch_optional(conn)
    .await?)
}

/// The organization with this id or slug, unless its permanent deletion has begun.
pub async fn find_by_name(
    conn: &mut PgConnection,
    id_or_slug: &str,
) -> db::Result<Option<Organization>> {
    let id = OrgId::parse(id_or_slug);
    Ok(sqlx::query_as!(
        Organization,
        "SELECT id, name, slug, plan, trial_expires_at, created_at, updated_at
         FROM organizations
         WHERE (id = $1 OR $1 IS NULL AND slug = $2) AND purge_started_at IS NULL",
        id as Option<OrgId>,
        id_or_slug,
    )
    .fetch_optional(conn)
    .await?)
}

/// Sets the plan. A paid one restores it from deletion for inactivity.
pub async fn update_plan(
    conn: &mut PgConnection,
    org_id: OrgId,
    plan: Plan,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations
         SET plan = $2,
             plan_changed_at = $3,
             deleted_at = CASE WHEN $2 = 'free' THEN deleted_at END,
             updated_at = $3
         WHERE id = $1",
        org_id as OrgId,
        plan as Plan,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn update_name(
    conn: &mut PgConnection,
    org_id: OrgId,
    name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET name = $2, updated_at = $3 WHERE id = $1",
        org_id as OrgId,
        name,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Sets the end of the trial, which is then announced again.
pub async fn update_trial(
    conn: &mut PgConnection,
    org_id: OrgId,
    trial_expires_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET trial_expires_at = $2, trial_notice_at = NULL WHERE id = $1",
        org_id as OrgId,
        trial_expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the organization until the end of the transaction. Creations under a limit of the plan are counted under it, and
/// changes of members are serialized. Reads and foreign keys do not wait for it.
///
/// Take the lock of a project first if both are needed. An error if the organization is gone.
pub async fn lock(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Organization> {
    Ok(sqlx::query_as!(
        Organization,
        "SELECT id, name, slug, plan, trial_expires_at, created_at, updated_at
         FROM organizations
         WHERE id = $1
         FOR NO KEY UPDATE",
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// Stores a new organization. `false` if its slug is taken.
pub async fn insert(
    conn: &mut PgConnection,
    org: &Organization,
    data_region: &str,
) -> db::Result<bool> {
    let stored = sqlx::query!(
        "INSERT INTO organizations (id, name, slug, plan, data_region, trial_expires_at, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT ON CONSTRAINT organizations_slug_key DO NOTHING",
        org.id as OrgId,
        org.name,
        org.slug,
        org.plan as Plan,
        data_region,
        org.trial_expires_at,
        org.created_at,
        org.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(stored.rows_affected() == 1)
}

/// An error if it is gone.
pub async fn get(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Organization> {
    Ok(sqlx::query_as!(
        Organization,
        "SELECT id, name, slug, plan, trial_expires_at, created_at, updated_at
         FROM organizations
         WHERE id = $1",
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

pub async fn get_data_region(conn: &mut PgConnection, org_id: OrgId) -> db::Result<String> {
    Ok(sqlx::query_scalar!(
        "SELECT data_region FROM organizations WHERE id = $1",
        org_id as OrgId
    )
    .fetch_one(conn)
    .await?)
}

pub async fn list_data_regions(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<Vec<(OrgId, String)>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: OrgId", data_region FROM organizations WHERE id = ANY($1)"#,
        org_ids as &[OrgId],
    )
    .fetch_all(conn)
    .await?;
    let regions = rows.into_iter().map(|row| (row.id, row.data_region));
    Ok(regions.collect())
}

/// The plan in effect at `now`: an ended trial is Free, even before the job stores that.
pub async fn current_plan(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<Plan> {
    let row = sqlx::query!(
        "SELECT plan, trial_expires_at FROM organizations WHERE id = $1",
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.plan.at(row.trial_expires_at, now))
}
