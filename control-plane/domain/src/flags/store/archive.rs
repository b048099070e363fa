//! SQL of archived flags.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::{flags::model::FlagItem, version::Drawn};
use base::{
    db,
    ids::{EnvId, FlagId, MemberId, OrgId, ProjectId},
};

/// A page of the project's archived flags, the latest first; `None` if the organization has no such project.
pub async fn page_of_archived(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    page: Page,
) -> db::Result<Option<Paged<FlagItem>>> {
    let count = sqlx::query_scalar!(
        "SELECT archived_flag_count FROM projects WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(count) = count else {
        return Ok(None);
    };
    let items = sqlx::query_as!(
        FlagItem,
        r#"SELECT id, key, name, flag_type, default_value, tags, created_at, updated_at, archived_at,
                (SELECT m.id FROM members m WHERE m.org_id = $1 AND m.id = flags.owner_id) AS "owner_id: MemberId"
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND archived_at IS NOT NULL
         ORDER BY archived_at DESC, id DESC
         LIMIT $3 OFFSET $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    Ok(Some(Paged::new(items, count.into(), page)))
}

/// Archives the flag, and pauses the schedules of its states.
pub(in crate::flags) async fn archive(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH archived AS (
             UPDATE flags SET archived_at = $3, changed_version = $4 WHERE org_id = $1 AND id = $2 RETURNING project_id
         ), paused AS (
             UPDATE flag_states
             SET paused_enable_at = scheduled_enable_at,
                 paused_disable_at = scheduled_disable_at,
                 scheduled_enable_at = NULL,
                 scheduled_disable_at = NULL
             WHERE org_id = $1 AND flag_id = $2 AND (scheduled_enable_at IS NOT NULL OR scheduled_disable_at IS NOT NULL)
         )
         UPDATE projects
         SET archived_flag_count = archived_flag_count + 1
         FROM archived
         WHERE projects.org_id = $1 AND projects.id = archived.project_id",
        org_id as OrgId,
        flag_id as FlagId,
        now,
        drawn.row_version(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Due times of a state that passed while its flag was archived.
pub(in crate::flags) struct Dropped {
    pub(in crate::flags) env_id: EnvId,
    pub(in crate::flags) enable_at: Option<OffsetDateTime>,
    pub(in crate::flags) disable_at: Option<OffsetDateTime>,
}

/// Restores an archived flag. The schedules of its states continue, without due times that have passed, which are returned.
pub(in crate::flags) async fn restore(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<Vec<Dropped>> {
    Ok(sqlx::query_as!(
        Dropped,
        r#"WITH restored AS (
               UPDATE flags SET archived_at = NULL, changed_version = $4 WHERE org_id = $1 AND id = $2 RETURNING project_id
           ), counted AS (
               UPDATE projects
               SET archived_flag_count = archived_flag_count - 1
               FROM restored
               WHERE projects.org_id = $1 AND projects.id = restored.project_id
           ), paused AS (
               SELECT id, paused_enable_at AS enable_at, paused_disable_at AS disable_at,
                      COALESCE(LEAST(paused_enable_at, paused_disable_at) <= $3, false) AS has_passed
               FROM flag_states
               WHERE org_id = $1 AND flag_id = $2 AND (paused_enable_at IS NOT NULL OR paused_disable_at IS NOT NULL)
           ), resumed AS (
               UPDATE flag_states s
               SET scheduled_enable_at = CASE WHEN enable_at > $3 THEN enable_at END,
                   scheduled_disable_at = CASE WHEN disable_at > $3 THEN disable_at END,
                   paused_enable_at = NULL,
                   paused_disable_at = NULL,
                   changed_version = CASE WHEN has_passed THEN $4 ELSE changed_version END,
                   updated_at = CASE WHEN has_passed THEN $3 ELSE updated_at END
               FROM paused
               WHERE s.org_id = $1 AND s.id = paused.id
               RETURNING s.env_id, CASE WHEN enable_at <= $3 THEN enable_at END AS enable_at,
                         CASE WHEN disable_at <= $3 THEN disable_at END AS disable_at, has_passed
           )
           SELECT env_id AS "env_id!: EnvId", enable_at, disable_at
           FROM resumed
           WHERE has_passed AND EXISTS (SELECT FROM environments e WHERE e.org_id = $1 AND e.id = env_id)"#,
        org_id as OrgId,
        flag_id as FlagId,
        now,
        drawn.row_version(),
    )
    .fetch_all(conn)
    .await?)
}
