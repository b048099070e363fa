//! Writing versions.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    events::Actor,
    flags::history::model::{MAX_VERSIONS, NewVersion},
};
use base::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId},
};

/// Writes versions of flags of a project, of each part one at most, forgets what of each part is too old, and charges the
/// organization with what that keeps more, and with `bytes`; returns what it keeps now.
pub(in crate::flags::history) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    versions: &[NewVersion],
    actor: Actor,
    now: OffsetDateTime,
    bytes: i64,
) -> db::Result<i64> {
    let (actor_type, actor_id) = actor.shown();
    let flags: Vec<_> = versions.iter().map(|one| one.flag_id).collect();
    let envs: Vec<_> = versions.iter().map(|one| one.env_id).collect();
    let actions = versions.iter().map(|one| one.action.as_str().to_owned());
    let actions: Vec<_> = actions.collect();
    let approvals: Vec<_> = versions.iter().map(|one| one.approval_id).collect();
    let differences = || versions.iter().map(|one| &one.difference);
    let changed: Vec<_> = differences().map(|one| Json(&one.changed)).collect();
    let before: Vec<_> = differences().map(|one| one.before.as_ref()).collect();
    // Rows are looked up by flag, which an index answers. The organization is compared in a way that none does: that of a new one
    // would seem to have a single row, and each of thousands of flags would read all of its versions.
    Ok(sqlx::query_scalar!(
        r#"WITH numbered AS (
               SELECT given.*, last.version AS last_version, last.bytes AS last_bytes, COALESCE(last.ordinal, 0) + 1 AS ordinal,
                      COALESCE(newest.version, 0) + row_number() OVER (PARTITION BY flag_id ORDER BY place) AS version
               FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::jsonb[], $8::jsonb[])
                   WITH ORDINALITY AS given (flag_id, env_id, action, approval_id, changed, before, place)
               LEFT JOIN LATERAL (
                   SELECT version
                   FROM flag_versions v
                   WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id
                   ORDER BY version DESC
                   LIMIT 1
               ) newest ON true
               LEFT JOIN LATERAL (
                   (SELECT version, ordinal, bytes
                    FROM flag_versions v
                    WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id AND v.env_id = given.env_id
                    ORDER BY ordinal DESC
                    LIMIT 1)
                   UNION ALL
                   (SELECT version, ordinal, bytes
                    FROM flag_versions v
                    WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = given.flag_id AND v.env_id IS NULL AND given.env_id IS NULL
                    ORDER BY ordinal DESC
                    LIMIT 1)
               ) last ON true
           ), replaced AS (
               UPDATE flag_versions v
               SET replaced_at = $10, document = COALESCE(before, '{}'), bytes = octet_length(COALESCE(before, '{}')::text)
               FROM numbered
               WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = numbered.flag_id AND v.version = last_version
               RETURNING v.bytes - last_bytes AS grown
           ), forgotten AS (
               DELETE FROM flag_versions v
               USING numbered
               WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = numbered.flag_id
                   AND v.env_id IS NOT DISTINCT FROM numbered.env_id AND v.ordinal = numbered.ordinal - $11::bigint
               RETURNING bytes
           ), written AS (
               INSERT INTO flag_versions
                   (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, actor_id, approval_id, changed,
                    document, bytes, made_at, replaced_at, deleted_key)
               SELECT $1, $2, flag_id, version, env_id, ordinal, action, $9, $12::uuid, approval_id, changed,
                      CASE WHEN NOT is_end THEN '{}'::jsonb END, octet_length('{}'), $10,
                      CASE WHEN is_end THEN $10::timestamptz END, CASE WHEN is_end THEN before ->> 'key' END
               FROM numbered
               CROSS JOIN LATERAL (SELECT action = 'flag.deleted' AS is_end) deletion
               RETURNING bytes
           )
           INSERT INTO flag_history_sizes AS size (org_id, bytes)
           SELECT $1, $13::bigint + (SELECT COALESCE(SUM(bytes), 0) FROM written)
                      + (SELECT COALESCE(SUM(grown), 0) FROM replaced) - (SELECT COALESCE(SUM(bytes), 0) FROM forgotten)
           ON CONFLICT ON CONSTRAINT flag_history_sizes_pkey DO UPDATE SET bytes = size.bytes + EXCLUDED.bytes
           RETURNING bytes"#,
        org_id as OrgId,
        project_id as ProjectId,
        &flags as &[FlagId],
        &envs as &[Option<EnvId>],
        &actions,
        &approvals as &[Option<ApprovalId>],
        &changed as _,
        &before as &[Option<&Value>],
        actor_type,
        now,
        MAX_VERSIONS,
        actor_id as Option<Uuid>,
        bytes,
    )
    .fetch_one(conn)
    .await?)
}

/// Keeps the states of a flag that is about to be deleted, each whole in its newest version; returns how many bytes that takes
/// more.
pub(in crate::flags::history) async fn keep_states(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    now: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"WITH newest AS (
               SELECT version, bytes,
                      jsonb_build_object(
                          'id', id, 'enabled', enabled, 'default_value', default_value, 'rules', rules,
                          'percentage_rollout', percentage_rollout, 'variants', variants,
                          'scheduled_enable_at', scheduled_enable_at, 'scheduled_disable_at', scheduled_disable_at,
                          'pattern_bytes', pattern_bytes
                      ) AS document
               FROM flag_states s
               JOIN flag_versions v ON v.org_id = $1 AND v.flag_id = $2 AND v.env_id = s.env_id AND v.replaced_at IS NULL
               WHERE s.org_id = $1 AND s.flag_id = $2
           ), kept AS (
               UPDATE flag_versions v
               SET replaced_at = $3, document = newest.document, bytes = octet_length(newest.document::text)
               FROM newest
               WHERE v.org_id = $1 AND v.flag_id = $2 AND v.version = newest.version
               RETURNING v.bytes - newest.bytes AS grown
           )
           SELECT COALESCE(SUM(grown), 0)::bigint AS "bytes!" FROM kept"#,
        org_id as OrgId,
        flag_id as FlagId,
        now,
    )
    .fetch_one(conn)
    .await?)
}
