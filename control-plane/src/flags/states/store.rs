//! SQL of flag states.

use protocol::rule::{TargetingRule, Variant};
use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::model::{BasisPoints, FlagState};
use crate::{
    db,
    ids::{EnvId, FlagId, FlagStateId, OrgId},
    publish::version::Drawn,
};

struct Row {
    id: FlagStateId,
    enabled: bool,
    default_value: Option<Value>,
    rules: Json<Vec<TargetingRule>>,
    percentage_rollout: Option<BasisPoints>,
    variants: Json<Vec<Variant>>,
    scheduled_enable_at: Option<OffsetDateTime>,
    scheduled_disable_at: Option<OffsetDateTime>,
    updated_at: OffsetDateTime,
    compiled_bytes: i32,
}

impl From<Row> for FlagState {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            enabled: row.enabled,
            default_value: row.default_value,
            rules: row.rules.0,
            percentage_rollout: row.percentage_rollout,
            variants: row.variants.0,
            scheduled_enable_at: row.scheduled_enable_at,
            scheduled_disable_at: row.scheduled_disable_at,
            updated_at: row.updated_at,
            compiled_bytes: row.compiled_bytes,
        }
    }
}

pub(crate) async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: EnvId,
) -> db::Result<Option<FlagState>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT id, enabled, default_value, rules, percentage_rollout, variants, scheduled_enable_at,
                scheduled_disable_at, updated_at, compiled_bytes
         FROM flag_states
         WHERE org_id = $1 AND flag_id = $2 AND env_id = $3",
        org_id as OrgId,
        flag_id as FlagId,
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Into::into))
}

/// Stores the state, new or existing, in the drawn version.
pub(in crate::flags) async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: EnvId,
    state: &FlagState,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO flag_states
             (id, org_id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
              scheduled_enable_at, scheduled_disable_at, changed_version, compiled_bytes, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
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
             updated_at = EXCLUDED.updated_at",
        state.id as FlagStateId,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as EnvId,
        state.enabled,
        state.default_value,
        Json(&state.rules) as _,
        state.percentage_rollout as Option<BasisPoints>,
        Json(&state.variants) as _,
        state.scheduled_enable_at,
        state.scheduled_disable_at,
        drawn.row_version(),
        state.compiled_bytes,
        state.updated_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
