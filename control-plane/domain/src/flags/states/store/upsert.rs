//! Writing states.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::Stated;
use crate::{flags::states::model::BasisPoints, version::Drawn};
use base::{
    db,
    ids::{EnvId, FlagId, FlagStateId, OrgId},
};

/// Stores new or existing states in the drawn version. Large unchanged columns are not rewritten.
pub(in crate::flags) async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    stated: &[Stated],
    drawn: Drawn,
) -> db::Result<()> {
    let states = || stated.iter().map(|stated| &stated.state);
    let flag_ids: Vec<_> = stated.iter().map(|stated| stated.flag_id).collect();
    let env_ids: Vec<_> = stated.iter().map(|stated| stated.env_id).collect();
    let ids: Vec<_> = states().map(|state| state.id).collect();
    let enabled: Vec<_> = states().map(|state| state.enabled).collect();
    let defaults: Vec<_> = states().map(|state| state.default_value.clone()).collect();
    let rules: Vec<_> = states().map(|state| Json(&state.rules)).collect();
    let rollouts: Vec<_> = states().map(|state| state.percentage_rollout).collect();
    let variants: Vec<_> = states().map(|state| Json(&state.variants)).collect();
    let bucketing: Vec<_> = states()
        .map(|state| state.bucketing.as_ref().map(Json))
        .collect();
    let enable_at: Vec<_> = states().map(|state| state.scheduled_enable_at).collect();
    let disable_at: Vec<_> = states().map(|state| state.scheduled_disable_at).collect();
    let sizes: Vec<_> = states().map(|state| state.compiled_bytes).collect();
    let pattern_sizes: Vec<_> = states().map(|state| state.pattern_bytes).collect();
    let updated: Vec<_> = states().map(|state| state.updated_at).collect();
    sqlx::query!(
        "INSERT INTO flag_states
             (id, org_id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
              bucketing, scheduled_enable_at, scheduled_disable_at, changed_version, compiled_bytes, pattern_bytes, created_at,
              updated_at)
         SELECT id, $1, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                bucketing, scheduled_enable_at, scheduled_disable_at, $2, compiled_bytes, pattern_bytes, updated_at, updated_at
         FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::boolean[], $7::jsonb[], $8::jsonb[], $9::integer[],
                     $10::jsonb[], $11::timestamptz[], $12::timestamptz[], $13::integer[], $14::integer[],
                     $15::timestamptz[], $16::jsonb[])
             AS given (id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                       scheduled_enable_at, scheduled_disable_at, compiled_bytes, pattern_bytes, updated_at, bucketing)
         ON CONFLICT ON CONSTRAINT flag_states_flag_id_env_id_key DO UPDATE
         SET enabled = EXCLUDED.enabled,
             default_value = EXCLUDED.default_value,
             rules = CASE WHEN flag_states.rules = EXCLUDED.rules THEN flag_states.rules ELSE EXCLUDED.rules END,
             percentage_rollout = EXCLUDED.percentage_rollout,
             variants = CASE WHEN flag_states.variants = EXCLUDED.variants THEN flag_states.variants
                             ELSE EXCLUDED.variants END,
             bucketing = EXCLUDED.bucketing,
             scheduled_enable_at = EXCLUDED.scheduled_enable_at,
             scheduled_disable_at = EXCLUDED.scheduled_disable_at,
             changed_version = EXCLUDED.changed_version,
             compiled_bytes = EXCLUDED.compiled_bytes,
             pattern_bytes = EXCLUDED.pattern_bytes,
             updated_at = EXCLUDED.updated_at",
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
        &bucketing as _,
    )
    .execute(conn)
    .await?;
    Ok(())
}
