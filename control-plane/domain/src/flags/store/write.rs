//! Writing flags.

use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use crate::{
    flags::model::{Flag, FlagType},
    version::Drawn,
};
use base::{
    db,
    ids::{FlagId, MemberId, OrgId, ProjectId},
    refusal::Refusal,
};

/// Stores new flags, changed in the drawn version.
pub(in crate::flags) async fn insert(
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
    let permanent: Vec<_> = flags.iter().map(|flag| flag.permanent).collect();
    let owners: Vec<_> = flags.iter().map(|flag| flag.owner_id).collect();
    let sizes: Vec<_> = flags.iter().map(|flag| flag.compiled_bytes).collect();
    let created: Vec<_> = flags.iter().map(|flag| flag.created_at).collect();
    let updated: Vec<_> = flags.iter().map(|flag| flag.updated_at).collect();
    let inserted = sqlx::query!(
        "INSERT INTO flags
             (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
              mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at, permanent, owner_id)
         SELECT id, $1, $2, key, name, description, flag_type, default_value,
                ARRAY(SELECT jsonb_array_elements_text(tags)), ARRAY(SELECT jsonb_array_elements_text(prerequisites)),
                mutual_exclusion_group, $3, compiled_bytes, created_at, updated_at, permanent, owner_id
         FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::jsonb[],
                     $12::text[], $13::integer[], $14::timestamptz[], $15::timestamptz[],
                     $16::boolean[], $17::uuid[])
             AS made (id, key, name, description, flag_type, default_value, tags, prerequisites,
                      mutual_exclusion_group, compiled_bytes, created_at, updated_at, permanent, owner_id)
         ON CONFLICT ON CONSTRAINT flags_project_id_key_key DO NOTHING",
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
        &permanent,
        &owners as &[Option<MemberId>],
    )
    .execute(&mut *conn)
    .await
    .map_err(db::Error::from)?;
    if usize::try_from(inserted.rows_affected()) == Ok(flags.len()) {
        Ok(())
    } else {
        Err(taken(conn, org_id, project_id, &keys).await?)
    }
}

/// Names an archived flag that has one of the keys: no list shows it.
async fn taken(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Refusal> {
    let archived = sqlx::query_scalar!(
        "SELECT key FROM flags WHERE org_id = $1 AND project_id = $2 AND key = ANY($3) AND archived_at IS NOT NULL ORDER BY key
         LIMIT 1",
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_optional(conn)
    .await?;
    Ok(match archived {
        Some(key) => Refusal::conflict(format!(
            "flag key already exists: {key} is archived; restore it, or delete it for good"
        )),
        None => Refusal::conflict("flag key already exists"),
    })
}

/// Stores the updatable fields in the drawn version.
pub(in crate::flags) async fn update(
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
             updated_at = $11,
             permanent = $12,
             owner_id = $13
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
        flag.permanent,
        flag.owner_id as Option<MemberId>,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Stores the updatable fields of many flags in the drawn version; their owners stay.
pub(in crate::flags) async fn update_all(
    conn: &mut PgConnection,
    org_id: OrgId,
    flags: &[Flag],
    drawn: Drawn,
) -> db::Result<()> {
    let ids: Vec<_> = flags.iter().map(|flag| flag.id).collect();
    let names: Vec<_> = flags.iter().map(|flag| flag.name.clone()).collect();
    let descriptions: Vec<_> = flags.iter().map(|flag| flag.description.clone()).collect();
    let defaults: Vec<_> = flags
        .iter()
        .map(|flag| flag.default_value.clone())
        .collect();
    let tags: Vec<_> = flags.iter().map(|flag| Json(&flag.tags)).collect();
    let prerequisites: Vec<_> = flags.iter().map(|flag| Json(&flag.prerequisites)).collect();
    let groups: Vec<_> = flags
        .iter()
        .map(|flag| flag.mutual_exclusion_group.clone())
        .collect();
    let permanent: Vec<_> = flags.iter().map(|flag| flag.permanent).collect();
    let sizes: Vec<_> = flags.iter().map(|flag| flag.compiled_bytes).collect();
    let updated: Vec<_> = flags.iter().map(|flag| flag.updated_at).collect();
    sqlx::query!(
        "UPDATE flags
         SET name = given.name,
             description = given.description,
             default_value = given.default_value,
             tags = ARRAY(SELECT jsonb_array_elements_text(given.tags)),
             prerequisites = ARRAY(SELECT jsonb_array_elements_text(given.prerequisites)),
             mutual_exclusion_group = given.mutual_exclusion_group,
             permanent = given.permanent,
             changed_version = $2,
             compiled_bytes = given.compiled_bytes,
             updated_at = given.updated_at
         FROM unnest($3::uuid[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::jsonb[], $9::text[],
                     $10::boolean[], $11::integer[], $12::timestamptz[])
             AS given (id, name, description, default_value, tags, prerequisites, mutual_exclusion_group, permanent,
                       compiled_bytes, updated_at)
         WHERE flags.org_id = $1 AND flags.id = given.id",
        org_id as OrgId,
        drawn.row_version(),
        &ids as &[FlagId],
        &names,
        &descriptions,
        &defaults,
        &tags as _,
        &prerequisites as _,
        &groups,
        &permanent,
        &sizes,
        &updated,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the flag with its states, of which each environment has one at most, and records a tombstone for publishers.
pub(in crate::flags) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    drawn: Drawn,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH states AS (
             DELETE FROM flag_states WHERE org_id = $1 AND flag_id = $2
         ), deleted AS (
             DELETE FROM flags WHERE org_id = $1 AND id = $2 RETURNING *
         ), counted AS (
             UPDATE projects
             SET archived_flag_count = archived_flag_count - 1
             FROM deleted
             WHERE projects.org_id = $1 AND projects.id = deleted.project_id AND deleted.archived_at IS NOT NULL
         )
         INSERT INTO removed_flags (flag_id, project_id, key, removed_version, removed_at)
         SELECT id, project_id, key, $3, $4 FROM deleted",
        org_id as OrgId,
        flag_id as FlagId,
        drawn.row_version(),
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}
