//! SQL of uses.

use serde_json::{Value, json};
use sqlx::PgConnection;

use super::{
    model::{Unusable, Use, Uses},
    relations::Within,
};
use crate::{
    flags::reach::Reached,
    members::{caller::Caller, permissions::guard::Affected},
};
use base::{
    db,
    ids::{EnvId, FlagId, MemberId, OrgId, ProjectId},
};

/// Flags listed: more than a person reads.
const MOST: i64 = 1_000;

struct Row {
    key: String,
    env_ids: Vec<EnvId>,
    total: i64,
}

impl From<Vec<Row>> for Uses {
    fn from(rows: Vec<Row>) -> Self {
        Self {
            total: rows.first().map_or(0, |row| row.total),
            flags: rows
                .into_iter()
                .map(|Row { key, env_ids, .. }| Use { key, env_ids })
                .collect(),
        }
    }
}

/// The flags that require one, and the environments where they are on.
pub async fn dependants(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &str,
) -> db::Result<Uses> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT f.key, count(*) OVER () AS "total!",
                  ARRAY(SELECT s.env_id FROM flag_states s JOIN environments e ON e.id = s.env_id
                        WHERE s.flag_id = f.id AND s.enabled ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM flags f
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.archived_at IS NULL AND $3 = ANY (f.prerequisites)
           ORDER BY f.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        key,
        MOST,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into())
}

/// A flag that was met on the way through prerequisites.
pub(super) struct Met {
    pub(super) key: String,
    pub(super) name: String,
    pub(super) is_archived: bool,
    pub(super) prerequisites: Vec<String>,
    /// The environments in which it is on.
    pub(super) env_ids: Vec<EnvId>,
}

/// The flags with these keys.
pub(super) async fn with_keys(
    conn: &mut PgConnection,
    Within { org_id, project_id }: Within,
    keys: &[String],
) -> db::Result<Vec<Met>> {
    Ok(sqlx::query_as!(
        Met,
        r#"SELECT f.key, f.name, f.archived_at IS NOT NULL AS "is_archived!", f.prerequisites,
                  ARRAY(SELECT s.env_id FROM flag_states s JOIN environments e ON e.id = s.env_id
                        WHERE s.flag_id = f.id AND s.enabled ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM flags f
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.key = ANY ($3)"#,
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?)
}

/// The flags that require one of these.
pub(super) async fn requiring(
    conn: &mut PgConnection,
    Within { org_id, project_id }: Within,
    keys: &[String],
    limit: i64,
) -> db::Result<Vec<Met>> {
    Ok(sqlx::query_as!(
        Met,
        r#"SELECT f.key, f.name, false AS "is_archived!", f.prerequisites,
                  ARRAY(SELECT s.env_id FROM flag_states s JOIN environments e ON e.id = s.env_id
                        WHERE s.flag_id = f.id AND s.enabled ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM flags f
           WHERE f.org_id = $1 AND f.project_id = $2 AND f.archived_at IS NULL AND f.prerequisites && $3
           ORDER BY f.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        keys,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Those of these keys that flags can never require: no flag has them, or an archived one.
pub async fn unusable(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    keys: &[String],
) -> db::Result<Vec<Unusable>> {
    Ok(sqlx::query_as!(
        Unusable,
        r#"SELECT wanted.key AS "key!", f.id IS NOT NULL AS "is_archived!"
           FROM unnest($3::text[]) AS wanted (key)
           LEFT JOIN flags f ON f.org_id = $1 AND f.project_id = $2 AND f.key = wanted.key
           WHERE f.id IS NULL OR f.archived_at IS NOT NULL
           ORDER BY wanted.key"#,
        org_id as OrgId,
        project_id as ProjectId,
        keys,
    )
    .fetch_all(conn)
    .await?)
}

/// The flags with a rule, enabled or not, that names a segment, and the environments of those rules.
pub async fn of_segment(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &str,
) -> db::Result<Uses> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT f.key, count(*) OVER () AS "total!", array_agg(s.env_id ORDER BY s.env_id) AS "env_ids!: Vec<EnvId>"
           FROM environments e
           JOIN flag_states s ON s.env_id = e.id
           JOIN flags f ON f.id = s.flag_id
           WHERE e.org_id = $1 AND e.project_id = $2 AND f.archived_at IS NULL AND s.rules @> $3
           GROUP BY f.id
           ORDER BY f.key
           LIMIT $4"#,
        org_id as OrgId,
        project_id as ProjectId,
        naming(key),
        MOST,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into())
}

/// The JSON contained in rules that name a segment.
fn naming(key: &str) -> Value {
    json!([{"segment_keys": [key]}])
}

/// The environments in which a flag has a stored state, in creation order, with the member's permissions there.
pub(in crate::flags) async fn reached(
    conn: &mut PgConnection,
    caller: &Caller,
    flag_id: FlagId,
) -> db::Result<Vec<Reached>> {
    let rows = sqlx::query!(
        r#"SELECT e.id AS "env_id: EnvId", e.slug, e.protected,
                  COALESCE(p.can_toggle, true) AS "can_toggle!",
                  COALESCE(p.can_edit_rules, true) AS "can_edit_rules!",
                  s.enabled OR COALESCE(s.scheduled_enable_at, s.paused_enable_at) IS NOT NULL AS "is_on!",
                  s.enabled AND COALESCE(s.scheduled_disable_at, s.paused_disable_at) IS NULL
                      AND COALESCE(s.default_value, 'null') <> 'null'
                      AND COALESCE(s.percentage_rollout, 10000) >= 10000 AS "hides_default!"
           FROM flag_states s
           JOIN environments e ON e.id = s.env_id
           LEFT JOIN environment_permissions p ON p.member_id = $3 AND p.env_id = e.id
           WHERE s.org_id = $1 AND e.org_id = $1 AND s.flag_id = $2
           ORDER BY e.created_at, e.id"#,
        caller.org_id as OrgId,
        flag_id as FlagId,
        caller.member_id as MemberId,
    )
    .fetch_all(conn)
    .await?;
    let reached = rows.into_iter().map(|row| Reached {
        affected: Affected {
            env_id: row.env_id,
            slug: row.slug,
            is_kept: row.protected,
            can_toggle: row.can_toggle,
            can_edit_rules: row.can_edit_rules,
            protected: row.protected,
        },
        is_on: row.is_on,
        hides_default: row.hides_default,
    });
    Ok(reached.collect())
}

/// Whether an environment of the project is protected, or its rules are held from the member.
pub async fn has_guarded(
    conn: &mut PgConnection,
    caller: &Caller,
    project_id: ProjectId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM environments e
               LEFT JOIN environment_permissions p ON p.member_id = $3 AND p.env_id = e.id
               WHERE e.org_id = $1 AND e.project_id = $2
                   AND (e.protected OR NOT COALESCE(p.can_edit_rules, true))
           ) AS "guarded!""#,
        caller.org_id as OrgId,
        project_id as ProjectId,
        caller.member_id as MemberId,
    )
    .fetch_one(conn)
    .await?)
}

/// The environments with a rule, enabled or not, that names one of these segments, in creation order, with the member's permissions
/// there: those that are protected or held from the member, or all of them. No rules of others are read.
pub(crate) async fn guarded_of_segments(
    conn: &mut PgConnection,
    caller: &Caller,
    project_id: ProjectId,
    keys: &[String],
    all: bool,
) -> db::Result<Vec<Affected>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    // Each is a pattern that rules contain. One is compared as it is; of many, each rule is looked at once.
    let one = match keys {
        [key] => Some(naming(key)),
        _ => None,
    };
    Ok(sqlx::query_as!(
        Affected,
        r#"SELECT e.id AS "env_id: EnvId", e.slug, e.protected, e.protected AS is_kept,
                  COALESCE(p.can_toggle, true) AS "can_toggle!",
                  COALESCE(p.can_edit_rules, true) AS "can_edit_rules!"
           FROM environments e
           LEFT JOIN environment_permissions p ON p.member_id = $3 AND p.env_id = e.id
           WHERE e.org_id = $1 AND e.project_id = $2
               AND ($5 OR e.protected OR NOT COALESCE(p.can_edit_rules, true))
               AND EXISTS (
                   SELECT FROM flag_states s JOIN flags f ON f.id = s.flag_id
                   WHERE s.env_id = e.id AND f.archived_at IS NULL
                       AND CASE WHEN $4::jsonb IS NOT NULL THEN s.rules @> $4
                                ELSE EXISTS (
                                    SELECT FROM jsonb_array_elements(s.rules) AS rule
                                    WHERE rule -> 'segment_keys' ?| $6::text[]
                                ) END
               )
           ORDER BY e.created_at, e.id"#,
        caller.org_id as OrgId,
        project_id as ProjectId,
        caller.member_id as MemberId,
        one,
        all,
        keys,
    )
    .fetch_all(conn)
    .await?)
}
