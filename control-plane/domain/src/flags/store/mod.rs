//! SQL of flags. Their states are in `states::store`.

mod archive;
mod write;

use serving::page::{Page, Paged};
use sqlx::PgConnection;

pub use self::archive::page_of_archived;
pub(in crate::flags) use self::{
    archive::{Dropped, archive, restore},
    write::{delete, insert, update, update_all},
};
use super::model::{Flag, FlagItem};
use base::{
    db,
    ids::{FlagId, MemberId, OrgId, ProjectId},
    input::Key,
};

/// A page of the project's flags that are not archived, in creation order; `None` if the organization has no such project. The
/// count is stored, so that a page costs the same in a large project.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    page: Page,
) -> db::Result<Option<Paged<FlagItem>>> {
    let count = sqlx::query_scalar!(
        r#"SELECT flag_count - archived_flag_count AS "count!" FROM projects WHERE org_id = $1 AND id = $2"#,
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
         WHERE org_id = $1 AND project_id = $2 AND archived_at IS NULL
         ORDER BY created_at, id
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

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Option<Flag>> {
    let found = find_among(conn, org_id, project_id, &[key.to_string()]).await?;
    Ok(found.into_iter().next())
}

/// The project's flags with one of these keys.
pub(crate) async fn find_among(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<Flag>> {
    Ok(sqlx::query_as!(
        Flag,
        r#"SELECT id, key, name, description, flag_type, default_value, tags, prerequisites, mutual_exclusion_group,
                permanent, created_at, updated_at, archived_at, compiled_bytes, changed_version AS version,
                (SELECT m.id FROM members m WHERE m.org_id = $1 AND m.id = flags.owner_id) AS "owner_id: MemberId"
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND key = ANY($3)"#,
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn find_by_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: FlagId,
) -> db::Result<Option<Flag>> {
    Ok(sqlx::query_as!(
        Flag,
        r#"SELECT id, key, name, description, flag_type, default_value, tags, prerequisites, mutual_exclusion_group,
                permanent, created_at, updated_at, archived_at, compiled_bytes, changed_version AS version,
                (SELECT m.id FROM members m WHERE m.org_id = $1 AND m.id = flags.owner_id) AS "owner_id: MemberId"
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND id = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        id as FlagId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The project of a flag that the organization has.
pub async fn find_project(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: FlagId,
) -> db::Result<Option<ProjectId>> {
    Ok(sqlx::query_scalar!(
        "SELECT project_id FROM flags WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as FlagId,
    )
    .fetch_optional(conn)
    .await?)
}

/// Whether following prerequisites from these keys leads to `key`. Archived flags count, so that restoring one closes no cycle.
/// The cost depends on the reachable flags only; terminates on
/// stored cycles. Exact while the caller holds the project's lock.
pub async fn leads_to(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    from: &[String],
    key: &str,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"WITH RECURSIVE reached (key) AS (
               SELECT unnest($3::text[])
               UNION
               SELECT unnest(flags.prerequisites)
               FROM reached
               JOIN flags ON flags.org_id = $1 AND flags.project_id = $2 AND flags.key = reached.key
           )
           SELECT EXISTS (SELECT FROM reached WHERE key = $4) AS "exists!""#,
        org_id as OrgId,
        project_id as ProjectId,
        from,
        key,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether some flag of the project requires one of these keys.
pub(crate) async fn is_any_required(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM flags WHERE org_id = $1 AND project_id = $2 AND prerequisites && $3
           ) AS "required!""#,
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_one(conn)
    .await?)
}
