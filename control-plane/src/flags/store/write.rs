//! Writing flags, each with the version of its history that says so.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};

use crate::{
    db,
    flags::{
        history::model::{MAX_VERSIONS, Origin},
        model::{Flag, FlagType},
    },
    ids::{FlagId, OrgId},
    publish::version::Drawn,
    refusal::Refusal,
};

/// Stores new flags, changed in the drawn version.
pub(in crate::flags) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    flags: &[Flag],
    drawn: Drawn,
    origin: Origin,
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
        "WITH stored AS (
             INSERT INTO flags
                 (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
                  mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
             SELECT id, $1, $2, key, name, description, flag_type, default_value,
                    ARRAY(SELECT jsonb_array_elements_text(tags)), ARRAY(SELECT jsonb_array_elements_text(prerequisites)),
                    mutual_exclusion_group, $3, compiled_bytes, created_at, updated_at
             FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::jsonb[],
                         $12::text[], $13::integer[], $14::timestamptz[], $15::timestamptz[])
                 AS made (id, key, name, description, flag_type, default_value, tags, prerequisites,
                          mutual_exclusion_group, compiled_bytes, created_at, updated_at)
             RETURNING *
         ), noted AS (
             SELECT id, jsonb_build_object(
                        'id', id, 'key', key, 'name', name, 'description', description, 'flag_type', flag_type,
                        'default_value', default_value, 'tags', tags, 'prerequisites', prerequisites,
                        'mutual_exclusion_group', mutual_exclusion_group, 'created_at', created_at,
                        'updated_at', updated_at
                    ) AS document
             FROM stored
         )
         INSERT INTO flag_versions
             (org_id, project_id, flag_id, version, ordinal, action, actor_type, actor_id, changed, document, bytes, made_at)
         SELECT $1, $2, id, 1, 1, $16, $17, $18, '[]', document, octet_length(document::text), $19
         FROM noted",
        org_id as OrgId,
        origin.project_id as _,
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
        origin.action,
        origin.actor_type,
        origin.actor_id,
        origin.at,
    )
    .execute(conn)
    .await
    .map_err(Refusal::violated("flags_project_id_key_key", "flag key already exists"))?;
    Ok(())
}

/// Stores what an update may change, in the drawn version. Nothing of it is in the history if no field is `changed`. Where a flag
/// is older than its history, that begins with what was there.
pub(in crate::flags) async fn update(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag: &Flag,
    drawn: Drawn,
    origin: Origin,
    changed: Option<Value>,
) -> db::Result<()> {
    sqlx::query!(
        "WITH before AS (
             SELECT *
             FROM flags f
             WHERE f.org_id = $1 AND f.id = $2 AND $12::jsonb IS NOT NULL AND NOT EXISTS (
                 SELECT FROM flag_versions v WHERE v.org_id = $1 AND v.flag_id = $2 AND v.env_id IS NULL
             )
         ), updated AS (
             UPDATE flags
             SET name = $3,
                 description = $4,
                 default_value = $5,
                 tags = $6,
                 prerequisites = $7,
                 mutual_exclusion_group = $8,
                 changed_version = $9,
                 compiled_bytes = $10,
                 updated_at = $11
             WHERE org_id = $1 AND id = $2
             RETURNING *
         ), kept AS (
             SELECT 0 AS step, before.* FROM before
             UNION ALL
             SELECT 1, updated.* FROM updated WHERE $12::jsonb IS NOT NULL
         ), noted AS (
             SELECT step, project_id, updated_at,
                    COALESCE((
                        SELECT version FROM flag_versions v
                        WHERE v.org_id = $1 AND v.flag_id = $2
                        ORDER BY version DESC
                        LIMIT 1
                    ), 0) + row_number() OVER (ORDER BY step) AS version,
                    COALESCE((
                        SELECT ordinal FROM flag_versions v
                        WHERE v.org_id = $1 AND v.flag_id = $2 AND v.env_id IS NULL
                        ORDER BY ordinal DESC
                        LIMIT 1
                    ), 0) + row_number() OVER (ORDER BY step) AS ordinal,
                    jsonb_build_object(
                        'id', id, 'key', key, 'name', name, 'description', description, 'flag_type', flag_type,
                        'default_value', default_value, 'tags', tags, 'prerequisites', prerequisites,
                        'mutual_exclusion_group', mutual_exclusion_group, 'created_at', created_at,
                        'updated_at', updated_at
                    ) AS document
             FROM kept
         ), replaced AS (
             UPDATE flag_versions v
             SET replaced_at = $11
             FROM noted
             WHERE v.org_id = $1 AND v.flag_id = $2 AND v.env_id IS NULL AND v.ordinal = noted.ordinal - 1
         ), forgotten AS (
             DELETE FROM flag_versions v
             USING noted
             WHERE v.org_id = $1 AND v.flag_id = $2 AND v.env_id IS NULL AND v.ordinal <= noted.ordinal - $13::bigint
         )
         INSERT INTO flag_versions
             (org_id, project_id, flag_id, version, ordinal, action, actor_type, actor_id, changed, document, bytes,
              made_at, replaced_at)
         SELECT $1, project_id, $2, version, ordinal, CASE step WHEN 0 THEN 'flag.history_began' ELSE $14 END,
                CASE step WHEN 0 THEN 'system' ELSE $15 END, CASE step WHEN 1 THEN $16::uuid END,
                CASE step WHEN 0 THEN '[]'::jsonb ELSE $12::jsonb END, document, octet_length(document::text), updated_at,
                CASE step WHEN 0 THEN $11::timestamptz END
         FROM noted",
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
        changed,
        MAX_VERSIONS,
        origin.action,
        origin.actor_type,
        origin.actor_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the flag with its states, of which each environment has one at most, and records a tombstone for publishers. Its
/// history stays, until it was replaced long ago.
pub(in crate::flags) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    drawn: Drawn,
    origin: Origin,
) -> db::Result<()> {
    sqlx::query!(
        "WITH states AS (
             DELETE FROM flag_states WHERE org_id = $1 AND flag_id = $2 RETURNING *
         ), deleted AS (
             DELETE FROM flags WHERE org_id = $1 AND id = $2 RETURNING *
         ), removed AS (
             INSERT INTO removed_flags (flag_id, project_id, key, removed_version, removed_at)
             SELECT id, project_id, key, $3, $4 FROM deleted
         ), versions AS (
             SELECT version, env_id, ordinal FROM flag_versions WHERE org_id = $1 AND flag_id = $2
         ), kept AS (
             SELECT 0 AS step, s.env_id, s.updated_at, NULL::text AS key,
                    jsonb_build_object(
                        'id', id, 'enabled', enabled, 'default_value', default_value, 'rules', rules,
                        'percentage_rollout', percentage_rollout, 'variants', variants,
                        'scheduled_enable_at', scheduled_enable_at, 'scheduled_disable_at', scheduled_disable_at,
                        'updated_at', updated_at, 'pattern_bytes', pattern_bytes
                    ) AS document
             FROM states s
             WHERE NOT EXISTS (SELECT FROM versions v WHERE v.env_id = s.env_id)
             UNION ALL
             SELECT 0, NULL, updated_at, NULL,
                    jsonb_build_object(
                        'id', id, 'key', key, 'name', name, 'description', description, 'flag_type', flag_type,
                        'default_value', default_value, 'tags', tags, 'prerequisites', prerequisites,
                        'mutual_exclusion_group', mutual_exclusion_group, 'created_at', created_at,
                        'updated_at', updated_at
                    )
             FROM deleted
             WHERE NOT EXISTS (SELECT FROM versions v WHERE v.env_id IS NULL)
             UNION ALL
             SELECT 1, NULL, $4, key, NULL FROM deleted
         ), replaced AS (
             UPDATE flag_versions SET replaced_at = $4 WHERE org_id = $1 AND flag_id = $2 AND replaced_at IS NULL
         )
         INSERT INTO flag_versions
             (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, actor_id, changed, document, bytes,
              made_at, replaced_at, deleted_key)
         SELECT $1, deleted.project_id, $2,
                COALESCE((SELECT max(version) FROM versions), 0) + row_number() OVER (ORDER BY step, env_id), env_id,
                CASE step
                    WHEN 0 THEN 1
                    ELSE COALESCE((SELECT max(ordinal) FROM versions v WHERE v.env_id IS NULL), 1) + 1
                END,
                CASE step WHEN 0 THEN 'flag.history_began' ELSE $5 END, CASE step WHEN 0 THEN 'system' ELSE $6 END,
                CASE step WHEN 1 THEN $7::uuid END, '[]', document, COALESCE(octet_length(document::text), 0),
                kept.updated_at, $4, kept.key
         FROM kept, deleted",
        org_id as OrgId,
        flag_id as FlagId,
        drawn.row_version(),
        origin.at,
        origin.action,
        origin.actor_type,
        origin.actor_id,
    )
    .execute(conn)
    .await?;
    Ok(())
}
