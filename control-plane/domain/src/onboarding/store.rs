//! SQL of onboarding.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::Onboarding;
use base::{db, ids::OrgId};

/// The steps of the organization, by default none. Reads the organization's row for its creation time.
pub async fn get(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Onboarding> {
    Ok(sqlx::query_as!(
        Onboarding,
        r#"SELECT o.id AS "org_id!: OrgId",
                  COALESCE(s.plan_selected, false) AS "plan_selected!",
                  COALESCE(s.first_flag_created, false) AS "first_flag_created!",
                  COALESCE(s.first_sdk_connected, false) AS "first_sdk_connected!",
                  COALESCE(s.first_evaluation, false) AS "first_evaluation!",
                  COALESCE(s.tour_completed, false) AS "tour_completed!",
                  s.completed_at IS NOT NULL AS "completed!",
                  s.completed_at AS "completed_at?",
                  COALESCE(s.taken_back, '{}') AS "taken_back!",
                  COALESCE(s.updated_at, o.created_at) AS "updated_at!"
           FROM organizations o
           LEFT JOIN onboarding s ON s.org_id = o.id
           WHERE o.id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// [`get`], with the row locked until the end of the transaction, and created if there is none.
pub(super) async fn get_for_update(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
) -> db::Result<Onboarding> {
    sqlx::query!(
        "INSERT INTO onboarding (org_id, updated_at)
         VALUES ($1, $2)
         ON CONFLICT ON CONSTRAINT onboarding_pkey DO UPDATE
         SET updated_at = onboarding.updated_at",
        org_id as OrgId,
        now,
    )
    .execute(&mut *conn)
    .await?;
    get(conn, org_id).await
}

pub(super) async fn update(conn: &mut PgConnection, onboarding: &Onboarding) -> db::Result<()> {
    sqlx::query!(
        "UPDATE onboarding
         SET plan_selected = $2,
             first_flag_created = $3,
             first_sdk_connected = $4,
             first_evaluation = $5,
             tour_completed = $6,
             completed_at = $7,
             taken_back = $8,
             updated_at = $9
         WHERE org_id = $1",
        onboarding.org_id as OrgId,
        onboarding.plan_selected,
        onboarding.first_flag_created,
        onboarding.first_sdk_connected,
        onboarding.first_evaluation,
        onboarding.tour_completed,
        onboarding.completed_at,
        &onboarding.taken_back,
        onboarding.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether the first flag of the organization is neither marked nor unticked.
pub(super) async fn awaits_flag(conn: &mut PgConnection, org_id: OrgId) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (
               SELECT FROM onboarding
               WHERE org_id = $1 AND (first_flag_created OR 'first_flag_created' = ANY(taken_back))
           ) AS "awaits!""#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// The organizations in which the first evaluation is marked.
pub(super) async fn list_evaluated(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT org_id AS "org_id: OrgId" FROM onboarding WHERE org_id = ANY($1) AND first_evaluation"#,
        org_ids as &[OrgId],
    )
    .fetch_all(conn)
    .await?)
}
