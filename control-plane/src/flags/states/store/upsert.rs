//! Writing states, each with the version of its history that says so.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::Stated;
use crate::{
    db,
    flags::{
        history::model::{MAX_VERSIONS, Origin},
        states::model::BasisPoints,
    },
    ids::{EnvId, FlagId, FlagStateId, OrgId},
    publish::version::Drawn,
};

/// A state to store, and the fields that differ from what was there; `None` where none does, of which history tells nothing.
pub(in crate::flags) struct Noted {
    pub(in crate::flags) stated: Stated,
    pub(in crate::flags) changed: Option<Value>,
}

/// Stores states, new or existing, in the drawn version. Where a state is older than its history, that begins with what was there.
/// All that happens is one statement: it reads what was there when it began.
pub(in crate::flags) async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    noted: &[Noted],
    drawn: Drawn,
    origin: Origin,
) -> db::Result<()> {
    let stated = || noted.iter().map(|noted| &noted.stated);
    let states = || stated().map(|stated| &stated.state);
    let flag_ids: Vec<_> = stated().map(|stated| stated.flag_id).collect();
    let env_ids: Vec<_> = stated().map(|stated| stated.env_id).collect();
    let ids: Vec<_> = states().map(|state| state.id).collect();
    let enabled: Vec<_> = states().map(|state| state.enabled).collect();
    let defaults: Vec<_> = states().map(|state| state.default_value.clone()).collect();
    let rules: Vec<_> = states().map(|state| Json(&state.rules)).collect();
    let rollouts: Vec<_> = states().map(|state| state.percentage_rollout).collect();
    let variants: Vec<_> = states().map(|state| Json(&state.variants)).collect();
    let enable_at: Vec<_> = states().map(|state| state.scheduled_enable_at).collect();
    let disable_at: Vec<_> = states().map(|state| state.scheduled_disable_at).collect();
    let sizes: Vec<_> = states().map(|state| state.compiled_bytes).collect();
    let pattern_sizes: Vec<_> = states().map(|state| state.pattern_bytes).collect();
    let updated: Vec<_> = states().map(|state| state.updated_at).collect();
    let changed: Vec<_> = noted.iter().map(|noted| noted.changed.clone()).collect();
    sqlx::query!(
        "WITH given AS (
             SELECT *
             FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::boolean[], $7::jsonb[], $8::jsonb[], $9::integer[],
                         $10::jsonb[], $11::timestamptz[], $12::timestamptz[], $13::integer[], $14::integer[],
                         $15::timestamptz[], $16::jsonb[])
                 WITH ORDINALITY AS given (id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                                           scheduled_enable_at, scheduled_disable_at, compiled_bytes, pattern_bytes,
                                           updated_at, changed, place)
         ), stored AS (
             INSERT INTO flag_states
                 (id, org_id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                  scheduled_enable_at, scheduled_disable_at, changed_version, compiled_bytes, pattern_bytes, created_at,
                  updated_at)
             SELECT id, $1, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                    scheduled_enable_at, scheduled_disable_at, $2, compiled_bytes, pattern_bytes, updated_at, updated_at
             FROM given
             ON CONFLICT ON CONSTRAINT flag_states_flag_id_env_id_key DO UPDATE
             SET enabled = EXCLUDED.enabled,
                 default_value = EXCLUDED.default_value,
                 rules = EXCLUDED.rules,
                 percentage_rollout = EXCLUDED.percentage_rollout,
                 variants = EXCLUDED.variants,
                 scheduled_enable_at = EXCLUDED.scheduled_enable_at,
                 scheduled_disable_at = EXCLUDED.scheduled_disable_at,
                 changed_version = EXCLUDED.changed_version,
                 compiled_bytes = EXCLUDED.compiled_bytes,
                 pattern_bytes = EXCLUDED.pattern_bytes,
                 updated_at = EXCLUDED.updated_at
         ), kept AS (
             SELECT s.flag_id, s.env_id, g.place, 0 AS step, '[]'::jsonb AS changed, s.updated_at, s.id, s.enabled,
                    s.default_value, s.rules, s.percentage_rollout, s.variants, s.scheduled_enable_at,
                    s.scheduled_disable_at, s.pattern_bytes
             FROM given g
             JOIN flag_states s ON s.org_id = $1 AND s.flag_id = g.flag_id AND s.env_id = g.env_id
             WHERE g.changed IS NOT NULL AND NOT EXISTS (
                 SELECT FROM flag_versions v WHERE v.org_id = $1 AND v.flag_id = g.flag_id AND v.env_id = g.env_id
             )
             UNION ALL
             SELECT flag_id, env_id, place, 1, changed, updated_at, id, enabled, default_value, rules, percentage_rollout,
                    variants, scheduled_enable_at, scheduled_disable_at, pattern_bytes
             FROM given
             WHERE changed IS NOT NULL
         ), noted AS (
             SELECT kept.flag_id, kept.env_id, step, changed, updated_at,
                    COALESCE(newest.version, 0) + row_number() OVER (PARTITION BY kept.flag_id ORDER BY place, step)
                        AS version,
                    COALESCE(last.ordinal, 0) + row_number() OVER (PARTITION BY kept.flag_id, kept.env_id ORDER BY step)
                        AS ordinal,
                    jsonb_build_object(
                        'id', id, 'enabled', enabled, 'default_value', default_value, 'rules', rules,
                        'percentage_rollout', percentage_rollout, 'variants', variants,
                        'scheduled_enable_at', scheduled_enable_at, 'scheduled_disable_at', scheduled_disable_at,
                        'updated_at', updated_at, 'pattern_bytes', pattern_bytes
                    ) AS document
             FROM kept
             LEFT JOIN LATERAL (
                 SELECT version FROM flag_versions v
                 WHERE v.org_id = $1 AND v.flag_id = kept.flag_id
                 ORDER BY version DESC
                 LIMIT 1
             ) newest ON true
             LEFT JOIN LATERAL (
                 SELECT ordinal FROM flag_versions v
                 WHERE v.org_id = $1 AND v.flag_id = kept.flag_id AND v.env_id = kept.env_id
                 ORDER BY ordinal DESC
                 LIMIT 1
             ) last ON true
         ), replaced AS (
             UPDATE flag_versions v
             SET replaced_at = noted.updated_at
             FROM noted
             WHERE v.org_id = $1 AND v.flag_id = noted.flag_id AND v.env_id = noted.env_id
                 AND v.ordinal = noted.ordinal - 1
         ), forgotten AS (
             DELETE FROM flag_versions v
             USING noted
             WHERE v.org_id = $1 AND v.flag_id = noted.flag_id AND v.env_id = noted.env_id
                 AND v.ordinal <= noted.ordinal - $17::bigint
         )
         INSERT INTO flag_versions
             (org_id, project_id, flag_id, version, env_id, ordinal, action, actor_type, actor_id, approval_id, changed,
              document, bytes, made_at, replaced_at)
         SELECT $1, $18, flag_id, version, env_id, ordinal, CASE step WHEN 0 THEN 'flag.history_began' ELSE $19 END,
                CASE step WHEN 0 THEN 'system' ELSE $20 END, CASE step WHEN 1 THEN $21::uuid END,
                CASE step WHEN 1 THEN $22::uuid END, changed, document, octet_length(document::text), updated_at,
                CASE step WHEN 0 THEN $23::timestamptz END
         FROM noted",
        org_id as OrgId,
        drawn.row_version(),
        &ids as &[FlagStateId],
        &flag_ids as &[FlagId],
        &env_ids as &[EnvId],
        &enabled,
        &defaults as &[Option<Value>],
        &rules as _,
        &rollouts as &[Option<BasisPoints>],
        &variants as _,
        &enable_at as &[Option<OffsetDateTime>],
        &disable_at as &[Option<OffsetDateTime>],
        &sizes,
        &pattern_sizes,
        &updated,
        &changed as &[Option<Value>],
        MAX_VERSIONS,
        origin.project_id as _,
        origin.action,
        origin.actor_type,
        origin.actor_id,
        origin.approval_id as _,
        origin.at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
