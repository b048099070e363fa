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

/// Writes versions of flags of a project, forgets what of each part is too old, and charges the organization with what that keeps
/// more, and with `bytes`; returns what it keeps now. Where something is older than its history, that begins with what was there.
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
    let before_at: Vec<_> = versions.iter().map(|one| one.before_at).collect();
    // Rows are looked up by flag, which an index answers. The organization is compared in a way that none does: that of a new one
    // would seem to have a single row, and each of thousands of flags would read all of its versions.
    Ok(sqlx::query_scalar!(
        r#"WITH given AS (
               SELECT *, row_number() OVER (PARTITION BY flag_id, env_id ORDER BY place) = 1 AS is_first
               FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::jsonb[], $8::jsonb[], $9::timestamptz[])
                   WITH ORDINALITY AS given (flag_id, env_id, action, approval_id, changed, before, before_at, place)
           ), last AS MATERIALIZED (
               SELECT flag_id, env_id, before, last.*
               FROM given
               CROSS JOIN LATERAL (
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
               ) AS last
               WHERE is_first
           ), noted AS (
               SELECT flag_id, env_id, place, 1 AS step, action, $10 AS actor_type, $11::uuid AS actor_id, approval_id,
                      changed, before, $12::timestamptz AS made_at
               FROM given
               UNION ALL
               SELECT flag_id, env_id, place, 0, 'flag.history_began', 'system', NULL, NULL, '[]', NULL, before_at
               FROM given
               WHERE is_first AND before IS NOT NULL AND NOT EXISTS (
                   SELECT FROM last WHERE last.flag_id = given.flag_id AND last.env_id IS NOT DISTINCT FROM given.env_id
               )
           ), numbered AS (
               SELECT noted.*, lead(noted.before) OVER part AS kept, lead(place) OVER part IS NOT NULL AS is_replaced,
                      COALESCE(newest.version, 0)
                          + row_number() OVER (PARTITION BY noted.flag_id ORDER BY place, step) AS version,
                      COALESCE(last.ordinal, 0) + row_number() OVER part AS ordinal
               FROM noted
               LEFT JOIN last ON last.flag_id = noted.flag_id AND last.env_id IS NOT DISTINCT FROM noted.env_id
               LEFT JOIN LATERAL (
                   SELECT version FROM flag_versions v
                   WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = noted.flag_id
                   ORDER BY version DESC
                   LIMIT 1
               ) newest ON true
               WINDOW part AS (PARTITION BY noted.flag_id, noted.env_id ORDER BY place, step)
           ), replaced AS (
               UPDATE flag_versions v
               SET replaced_at = $12, document = COALESCE(last.before, '{}'),
                   bytes = octet_length(COALESCE(last.before, '{}')::text)
               FROM last
               WHERE v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = last.flag_id AND v.version = last.version
               RETURNING v.bytes - last.bytes AS grown
           ), forgotten AS (
               DELETE FROM flag_versions
               WHERE org_id IS NOT DISTINCT FROM $1 AND (flag_id, version) IN (
                   SELECT v.flag_id, v.version
                   FROM numbered n
                   JOIN flag_versions v ON v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = n.flag_id AND v.env_id = n.env_id
                   WHERE v.ordinal <= n.ordinal - $13::bigint
                   UNION ALL
                   SELECT v.flag_id, v.version
                   FROM numbered n
                   JOIN flag_versions v ON v.org_id IS NOT DISTINCT FROM $1 AND v.flag_id = n.flag_id AND v.env_id IS NULL
                   WHERE n.env_id IS NULL AND v.ordinal <= n.ordinal - $13::bigint
               )
               RETURNING bytes
           ), written AS (
               INSERT INTO flag_versions
                   (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, actor_id, approval_id, changed,
                    document, bytes, made_at, replaced_at, deleted_key)
               SELECT $1, $2, flag_id, version, env_id, ordinal, action, actor_type, actor_id, approval_id, changed,
                      CASE WHEN action <> 'flag.deleted' THEN COALESCE(kept, '{}') END,
                      octet_length(COALESCE(kept, '{}')::text), made_at,
                      CASE WHEN is_replaced OR action = 'flag.deleted' THEN $12::timestamptz END,
                      CASE WHEN action = 'flag.deleted' THEN before ->> 'key' END
               FROM numbered
               RETURNING bytes
           )
           INSERT INTO flag_history_sizes AS size (org_id, bytes)
           SELECT $1, $14::bigint + (SELECT COALESCE(SUM(bytes), 0) FROM written)
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
        &before_at as &[Option<OffsetDateTime>],
        actor_type,
        actor_id as Option<Uuid>,
        now,
        MAX_VERSIONS,
        bytes,
    )
    .fetch_one(conn)
    .await?)
}

/// Keeps whole what the states of a flag are now; returns how many bytes that takes more.
pub(in crate::flags::history) async fn keep_states(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_id: FlagId,
    now: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"WITH states AS (
               SELECT env_id, updated_at,
                      jsonb_build_object(
                          'id', id, 'enabled', enabled, 'default_value', default_value, 'rules', rules,
                          'percentage_rollout', percentage_rollout, 'variants', variants,
                          'scheduled_enable_at', scheduled_enable_at, 'scheduled_disable_at', scheduled_disable_at,
                          'pattern_bytes', pattern_bytes
                      ) AS document
               FROM flag_states
               WHERE org_id = $1 AND flag_id = $3
           ), versions AS (
               SELECT version, env_id, bytes, replaced_at FROM flag_versions WHERE org_id = $1 AND flag_id = $3
           ), replaced AS (
               UPDATE flag_versions v
               SET replaced_at = $4, document = states.document, bytes = octet_length(states.document::text)
               FROM states
               JOIN versions USING (env_id)
               WHERE v.org_id = $1 AND v.flag_id = $3 AND v.version = versions.version AND versions.replaced_at IS NULL
               RETURNING v.bytes - versions.bytes AS grown
           ), began AS (
               INSERT INTO flag_versions
                   (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, changed, document, bytes, made_at,
                    replaced_at)
               SELECT $1, $2, $3,
                      COALESCE((SELECT MAX(version) FROM versions), 0) + row_number() OVER (ORDER BY env_id), env_id, 1,
                      'flag.history_began', 'system', '[]', document, octet_length(document::text), updated_at, $4
               FROM states
               WHERE NOT EXISTS (SELECT FROM versions WHERE versions.env_id = states.env_id)
               RETURNING bytes
           )
           SELECT ((SELECT COALESCE(SUM(grown), 0) FROM replaced) + (SELECT COALESCE(SUM(bytes), 0) FROM began))::bigint
               AS "bytes!""#,
        org_id as OrgId,
        project_id as ProjectId,
        flag_id as FlagId,
        now,
    )
    .fetch_one(conn)
    .await?)
}
