//! SQL of inactive organizations. Candidates are listed over all of them.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::lifecycle::{model::Standing, settings::LifecycleSettings};
use base::{db, ids::OrgId, jobs::sweep::BATCH};

/// The inputs of decisions about an organization, stable while its activity and its row are locked.
pub async fn find_standing(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Option<Standing>> {
    Ok(sqlx::query_as!(
        Standing,
        r#"SELECT
             o.plan,
             COALESCE(a.last_login_at, o.created_at) AS "last_login_at!",
             GREATEST(COALESCE(a.last_login_at, o.created_at), COALESCE(o.plan_changed_at, o.created_at))
                 AS "inactive_since!",
             a.deletion_warned_at AS "deletion_warned_at?",
             a.purge_warned_at AS "purge_warned_at?",
             o.deleted_at,
             o.purge_started_at,
             EXISTS (
                 SELECT FROM subscriptions s
                 WHERE s.org_id = o.id AND (s.status <> 'canceled' OR s.settle_at IS NOT NULL)
             ) AS "is_subscribed!"
         FROM organizations o
         LEFT JOIN org_activity a ON a.org_id = o.id
         WHERE o.id = $1"#,
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Free organizations that may be due for a step at `now`; excludes those warned too recently.
pub(in crate::lifecycle) async fn list_inactive(
    conn: &mut PgConnection,
    settings: &LifecycleSettings,
    now: OffsetDateTime,
    after: OrgId,
) -> db::Result<Vec<OrgId>> {
    let (limit, grace) = (settings.inactivity_limit, settings.inactivity_grace);
    let (lead, purge_lead) = (settings.lead_of(limit), settings.lead_of(grace));
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id: OrgId"
         FROM (
             SELECT
                 o.id,
                 o.deleted_at,
                 GREATEST(COALESCE(a.last_login_at, o.created_at), COALESCE(o.plan_changed_at, o.created_at))
                     AS inactive_since,
                 a.deletion_warned_at,
                 a.purge_warned_at
             FROM organizations o
             LEFT JOIN org_activity a ON a.org_id = o.id
             WHERE o.plan = 'free' AND o.purge_started_at IS NULL AND o.id > $1
                 AND NOT EXISTS (
                     SELECT FROM subscriptions s
                     WHERE s.org_id = o.id AND (s.status <> 'canceled' OR s.settle_at IS NOT NULL)
                 )
         ) AS free
         WHERE (
                 deleted_at IS NULL
                 AND inactive_since <= $2
                 AND COALESCE(deletion_warned_at < inactive_since OR deletion_warned_at <= $3, true)
             )
             OR (
                 deleted_at <= $4
                 AND COALESCE(purge_warned_at < deleted_at OR purge_warned_at <= $5, true)
             )
         ORDER BY id
         LIMIT $6"#,
        after as OrgId,
        now - (limit - lead),
        now - lead,
        now - (grace - purge_lead),
        now - purge_lead,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

pub(in crate::lifecycle) async fn note_deletion_warning(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE org_activity SET deletion_warned_at = $2 WHERE org_id = $1",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub(in crate::lifecycle) async fn note_purge_warning(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE org_activity SET purge_warned_at = $2 WHERE org_id = $1",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Refuses members until one of them signs in.
pub(in crate::lifecycle) async fn soft_delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE organizations SET deleted_at = $2, updated_at = $2 WHERE id = $1",
        org_id as OrgId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
