//! SQL of flag states.

mod upsert;

use protocol::{
    bucketing::Bucketing,
    rule::{TargetingRule, Variant},
};
use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

pub(in crate::flags) use self::upsert::upsert;
use super::model::{BasisPoints, FlagState};
use crate::flags::model::FlagType;
use base::{
    db,
    ids::{EnvId, FlagId, FlagStateId, OrgId, ProjectId},
    input::Key,
    refusal::{Missing, Refusal},
};

struct Row {
    flag_id: FlagId,
    env_id: EnvId,
    id: FlagStateId,
    enabled: bool,
    default_value: Option<Value>,
    rules: Json<Vec<TargetingRule>>,
    percentage_rollout: Option<BasisPoints>,
    variants: Json<Vec<Variant>>,
    bucketing: Option<Json<Bucketing>>,
    scheduled_enable_at: Option<OffsetDateTime>,
    scheduled_disable_at: Option<OffsetDateTime>,
    updated_at: OffsetDateTime,
    compiled_bytes: i32,
    pattern_bytes: i32,
    version: i64,
}

impl From<Row> for Stated {
    fn from(row: Row) -> Self {
        Self {
            flag_id: row.flag_id,
            env_id: row.env_id,
            state: FlagState {
                id: row.id,
                enabled: row.enabled,
                default_value: row.default_value,
                rules: row.rules.0,
                percentage_rollout: row.percentage_rollout,
                variants: row.variants.0,
                bucketing: row.bucketing.map(|read| read.0),
                scheduled_enable_at: row.scheduled_enable_at,
                scheduled_disable_at: row.scheduled_disable_at,
                updated_at: row.updated_at,
                compiled_bytes: row.compiled_bytes,
                pattern_bytes: row.pattern_bytes,
                version: row.version,
            },
        }
    }
}

pub async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: EnvId,
) -> db::Result<Option<FlagState>> {
    let row = sqlx::query_as!(
        Row,
        "SELECT flag_id, env_id, id, enabled, default_value, rules, percentage_rollout, variants, bucketing,
                COALESCE(scheduled_enable_at, paused_enable_at) AS scheduled_enable_at,
                COALESCE(scheduled_disable_at, paused_disable_at) AS scheduled_disable_at,
                updated_at, compiled_bytes, pattern_bytes, changed_version AS version
         FROM flag_states
         WHERE org_id = $1 AND flag_id = $2 AND env_id = $3",
        org_id as OrgId,
        flag_id as FlagId,
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Stated::from(row).state))
}

#[derive(Clone, Debug)]
pub struct Located {
    /// The flag.
    pub flag_id: FlagId,
    pub flag_type: FlagType,
    /// Whether the flag is archived: then its states must not change.
    pub is_archived: bool,
    /// The project's version when this was read; `None` if the flag is archived.
    pub read_at: Option<i64>,
    pub state: Option<FlagState>,
}

struct LocatedRow {
    flag_id: FlagId,
    flag_type: FlagType,
    is_archived: bool,
    project_version: i64,
    env_id: Option<EnvId>,
    id: Option<FlagStateId>,
    enabled: Option<bool>,
    default_value: Option<Value>,
    rules: Option<Json<Vec<TargetingRule>>>,
    percentage_rollout: Option<BasisPoints>,
    variants: Option<Json<Vec<Variant>>>,
    bucketing: Option<Json<Bucketing>>,
    scheduled_enable_at: Option<OffsetDateTime>,
    scheduled_disable_at: Option<OffsetDateTime>,
    updated_at: Option<OffsetDateTime>,
    compiled_bytes: Option<i32>,
    pattern_bytes: Option<i32>,
    version: Option<i64>,
}

impl LocatedRow {
    /// Refuses a missing place: the flag is checked first.
    fn located(found: Option<Self>) -> Result<Located, Refusal> {
        let row = found.ok_or(Missing::Flag)?;
        if row.env_id.is_none() {
            return Err(Missing::Environment.into());
        }
        Ok(Located {
            flag_id: row.flag_id,
            flag_type: row.flag_type,
            is_archived: row.is_archived,
            read_at: (!row.is_archived).then_some(row.project_version),
            state: row.state(),
        })
    }

    fn state(self) -> Option<FlagState> {
        Some(FlagState {
            id: self.id?,
            enabled: self.enabled?,
            default_value: self.default_value,
            rules: self.rules?.0,
            percentage_rollout: self.percentage_rollout,
            variants: self.variants?.0,
            bucketing: self.bucketing.map(|read| read.0),
            scheduled_enable_at: self.scheduled_enable_at,
            scheduled_disable_at: self.scheduled_disable_at,
            updated_at: self.updated_at?,
            compiled_bytes: self.compiled_bytes?,
            pattern_bytes: self.pattern_bytes?,
            version: self.version?,
        })
    }
}

/// A flag of the project by its key, and its state in an environment of the project, in one statement. Every read or change of
/// a state begins with it.
pub async fn locate(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
    env_id: EnvId,
) -> Result<Located, Refusal> {
    let found = sqlx::query_as!(
        LocatedRow,
        r#"SELECT f.id AS flag_id, f.flag_type, f.archived_at IS NOT NULL AS "is_archived!", p.version AS project_version,
                  e.id AS "env_id?", s.id AS "id?", s.enabled AS "enabled?", s.default_value, s.rules AS "rules?", s.percentage_rollout,
                  s.variants AS "variants?", s.bucketing,
                  COALESCE(s.scheduled_enable_at, s.paused_enable_at) AS scheduled_enable_at,
                  COALESCE(s.scheduled_disable_at, s.paused_disable_at) AS scheduled_disable_at,
                  s.updated_at AS "updated_at?", s.compiled_bytes AS "compiled_bytes?",
                  s.pattern_bytes AS "pattern_bytes?", s.changed_version AS "version?"
           FROM flags f
           JOIN projects p ON p.org_id = $1 AND p.id = $2
           LEFT JOIN environments e ON e.org_id = $1 AND e.project_id = $2 AND e.id = $4
           LEFT JOIN flag_states s ON s.org_id = $1 AND s.flag_id = f.id AND s.env_id = e.id
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.key = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        key.as_str(),
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await
    .map_err(db::Error::from)?;
    LocatedRow::located(found)
}

pub async fn locate_by_id(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_id: FlagId,
    env_id: EnvId,
) -> Result<Located, Refusal> {
    let found = sqlx::query_as!(
        LocatedRow,
        r#"SELECT f.id AS flag_id, f.flag_type, f.archived_at IS NOT NULL AS "is_archived!", p.version AS project_version,
                  e.id AS "env_id?", s.id AS "id?", s.enabled AS "enabled?", s.default_value, s.rules AS "rules?", s.percentage_rollout,
                  s.variants AS "variants?", s.bucketing,
                  COALESCE(s.scheduled_enable_at, s.paused_enable_at) AS scheduled_enable_at,
                  COALESCE(s.scheduled_disable_at, s.paused_disable_at) AS scheduled_disable_at,
                  s.updated_at AS "updated_at?", s.compiled_bytes AS "compiled_bytes?",
                  s.pattern_bytes AS "pattern_bytes?", s.changed_version AS "version?"
           FROM flags f
           JOIN projects p ON p.org_id = $1 AND p.id = $2
           LEFT JOIN environments e ON e.org_id = $1 AND e.project_id = $2 AND e.id = $4
           LEFT JOIN flag_states s ON s.org_id = $1 AND s.flag_id = f.id AND s.env_id = e.id
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.id = $3"#,
        org_id as OrgId,
        project_id as ProjectId,
        flag_id as FlagId,
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await
    .map_err(db::Error::from)?;
    LocatedRow::located(found)
}

#[derive(Clone, Debug)]
pub struct Stated {
    /// The flag.
    pub flag_id: FlagId,
    /// The environment, in the same project.
    pub env_id: EnvId,
    pub state: FlagState,
}

pub(crate) async fn find_of_flags(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_ids: &[FlagId],
) -> db::Result<Vec<Stated>> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT flag_id, env_id, id, enabled, default_value, rules, percentage_rollout, variants, bucketing,
                COALESCE(scheduled_enable_at, paused_enable_at) AS scheduled_enable_at,
                COALESCE(scheduled_disable_at, paused_disable_at) AS scheduled_disable_at,
                updated_at, compiled_bytes, pattern_bytes, changed_version AS version
         FROM flag_states
         WHERE org_id = $1 AND flag_id = ANY($2)",
        org_id as OrgId,
        flag_ids as &[FlagId],
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The states of these flags in these environments.
pub(in crate::flags) async fn find_in(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_ids: &[FlagId],
    env_ids: &[EnvId],
) -> db::Result<Vec<Stated>> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT flag_id, env_id, id, enabled, default_value, rules, percentage_rollout, variants, bucketing,
                scheduled_enable_at, scheduled_disable_at, updated_at, compiled_bytes, pattern_bytes, changed_version AS version
         FROM flag_states
         WHERE org_id = $1 AND flag_id = ANY($2) AND env_id = ANY($3)",
        org_id as OrgId,
        flag_ids as &[FlagId],
        env_ids as &[EnvId],
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// The compiled size of a state.
pub(in crate::flags) struct Size {
    pub(in crate::flags) env_id: EnvId,
    pub(in crate::flags) compiled_bytes: i32,
    pub(in crate::flags) pattern_bytes: i32,
}

/// The sizes of a flag's states in the project's environments.
pub(in crate::flags) async fn sizes(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_id: FlagId,
) -> db::Result<Vec<Size>> {
    Ok(sqlx::query_as!(
        Size,
        "SELECT s.env_id, s.compiled_bytes, s.pattern_bytes
         FROM flag_states s
         JOIN environments e ON e.org_id = $1 AND e.project_id = $2 AND e.id = s.env_id
         WHERE s.org_id = $1 AND s.flag_id = $3",
        org_id as OrgId,
        project_id as ProjectId,
        flag_id as FlagId,
    )
    .fetch_all(conn)
    .await?)
}

/// The slugs of the environments in which a flag is switched on, at most `limit`, and how many there are.
pub(in crate::flags) async fn list_on(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_id: FlagId,
    limit: i64,
) -> db::Result<(Vec<String>, i64)> {
    let rows = sqlx::query!(
        r#"SELECT e.slug, count(*) OVER () AS "total!"
           FROM flag_states s
           JOIN environments e ON e.org_id = $1 AND e.project_id = $2 AND e.id = s.env_id
           WHERE s.org_id = $1 AND s.flag_id = $3 AND s.enabled
           ORDER BY e.created_at, e.id
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        flag_id as FlagId,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    Ok((rows.into_iter().map(|row| row.slug).collect(), total))
}

/// Deletes at most `limit` states of recently removed environments and flags; returns their number. Their history is deleted
/// soon after. Not tenant-scoped: their owners are gone.
pub(crate) async fn delete_removed(conn: &mut PgConnection, limit: i64) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"WITH deleted AS (
               DELETE FROM flag_states
               WHERE id = ANY(ARRAY(
                   (SELECT s.id FROM removed_environments r JOIN flag_states s ON s.env_id = r.env_id LIMIT $1)
                   UNION ALL
                   (SELECT s.id FROM removed_flags r JOIN flag_states s ON s.flag_id = r.flag_id LIMIT $1)
               ))
               RETURNING flag_id, env_id
           ), forgotten AS (
               UPDATE flag_versions v
               SET replaced_at = 'epoch'
               FROM deleted
               WHERE v.flag_id = deleted.flag_id AND v.env_id = deleted.env_id AND v.replaced_at IS NULL
           )
           SELECT COUNT(*) AS "count!" FROM deleted"#,
        limit,
    )
    .fetch_one(conn)
    .await?)
}
