//! SQL of flags. Their states are in `states::store`.

use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::model::{Flag, FlagItem, FlagType};
use crate::{
    db,
    ids::{FlagId, OrgId, ProjectId},
    input::Key,
    publish::version::Drawn,
    refusal::Refusal,
};

/// Stores new flags, changed in the drawn version.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flags: &[Flag],
    drawn: Drawn,
) -> Result<(), Refusal> {
    let ids: Vec<_> = flags.iter().map(|flag| flag.id).collect();
    let keys: Vec<_> = flags.iter().map(|flag| flag.key.clone()).collect();
    let names: Vec<_> = flags.iter().map(|flag| flag.name.clone()).collect();
    let descriptions: Vec<_> = flags.iter().map(|flag| flag.description.clone()).collect();
    let types: Vec<_> = flags.iter().map(|flag| flag.flag_type).collect();
    let defaults: Vec<_> = flags
        .iter()
        .map(|flag| flag.default_value.clone())
        .collect();
    // Arrays of arrays must be rectangular in Postgres.
    let tags: Vec<_> = flags.iter().map(|flag| Json(&flag.tags)).collect();
    let prerequisites: Vec<_> = flags.iter().map(|flag| Json(&flag.prerequisites)).collect();
    let groups: Vec<_> = flags
        .iter()
        .map(|flag| flag.mutual_exclusion_group.clone())
        .collect();
    let sizes: Vec<_> = flags.iter().map(|flag| flag.compiled_bytes).collect();
    let created: Vec<_> = flags.iter().map(|flag| flag.created_at).collect();
    let updated: Vec<_> = flags.iter().map(|flag| flag.updated_at).collect();
    sqlx::query!(
        "INSERT INTO flags
             (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
              mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
         SELECT id, $1, $2, key, name, description, flag_type, default_value,
                ARRAY(SELECT jsonb_array_elements_text(tags)), ARRAY(SELECT jsonb_array_elements_text(prerequisites)),
                mutual_exclusion_group, $3, compiled_bytes, created_at, updated_at
         FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::jsonb[],
                     $12::text[], $13::integer[], $14::timestamptz[], $15::timestamptz[])
             AS made (id, key, name, description, flag_type, default_value, tags, prerequisites,
                      mutual_exclusion_group, compiled_bytes, created_at, updated_at)",
        org_id as OrgId,
        project_id as ProjectId,
        drawn.row_version(),
        &ids as &[FlagId],
        &keys,
        &names,
        &descriptions,
        &types as &[FlagType],
        &defaults,
        &tags as _,
        &prerequisites as _,
        &groups,
        &sizes,
        &created,
        &updated,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated("flags_project_id_key_key", "flag key already exists"))?;
    Ok(())
}

/// A page of the project's flags, in creation order; `None` if the organization has no such project. Flags are counted where they are
/// written, so that a page costs the same of many.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    page: Page,
) -> db::Result<Option<Paged<FlagItem>>> {
    let count = sqlx::query_scalar!(
        "SELECT flag_count FROM projects WHERE org_id = $1 AND id = $2",
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
        "SELECT id, key, name, flag_type, default_value, tags, created_at, updated_at
         FROM flags
         WHERE org_id = $1 AND project_id = $2
         ORDER BY created_at, id
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        project_id as ProjectId,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    Ok(Some(Paged::new(items, count.into(), page)))
}

/// The flag, if the project has it.
pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Option<Flag>> {
    Ok(sqlx::query_as!(
        Flag,
        "SELECT id, key, name, description, flag_type, default_value, tags, prerequisites, mutual_exclusion_group,
                created_at, updated_at, compiled_bytes, changed_version AS version
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND key = $3",
        org_id as OrgId,
        project_id as ProjectId,
        key.as_str(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Those of the project's flags that have one of these keys.
pub async fn find_among(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<Flag>> {
    Ok(sqlx::query_as!(
        Flag,
        "SELECT id, key, name, description, flag_type, default_value, tags, prerequisites, mutual_exclusion_group,
                created_at, updated_at, compiled_bytes, changed_version AS version
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND key = ANY($3)",
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?)
}

/// The flag of this id, if the project has it.
pub async fn find_by_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: FlagId,
) -> db::Result<Option<Flag>> {
    Ok(sqlx::query_as!(
        Flag,
        "SELECT id, key, name, description, flag_type, default_value, tags, prerequisites, mutual_exclusion_group,
                created_at, updated_at, compiled_bytes, changed_version AS version
         FROM flags
         WHERE org_id = $1 AND project_id = $2 AND id = $3",
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

/// Stores what an update may change, in the drawn version.
pub async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag: &Flag,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE flags
         SET name = $3,
             description = $4,
             default_value = $5,
             tags = $6,
             prerequisites = $7,
             mutual_exclusion_group = $8,
             changed_version = $9,
             compiled_bytes = $10,
             updated_at = $11
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        flag.id as FlagId,
        flag.name,
        flag.description,
        flag.default_value,
        &flag.tags,
        &flag.prerequisites,
        flag.mutual_exclusion_group,
        drawn.row_version(),
        flag.compiled_bytes,
        flag.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the flag with its states, of which each environment has one at most, and records a tombstone for publishers.
pub async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag: FlagId,
    drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM flag_states WHERE org_id = $1 AND flag_id = $2",
        org_id as OrgId,
        flag as FlagId,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "WITH deleted AS (
             DELETE FROM flags
             WHERE org_id = $1 AND id = $2
             RETURNING id, project_id, key
         )
         INSERT INTO removed_flags (flag_id, project_id, key, removed_version, removed_at)
         SELECT id, project_id, key, $3, $4 FROM deleted",
        org_id as OrgId,
        flag as FlagId,
        drawn.row_version(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether following prerequisites from these keys leads to `key`. Costs what is reachable, not what the project has, and
/// ends on cycles that are stored already. The answer holds while the caller holds the project's lock.
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
pub async fn is_any_required(
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
