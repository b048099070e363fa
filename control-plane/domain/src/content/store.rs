//! SQL of definitions as a whole.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use crate::environments::model::Environment;
use base::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId},
    refusal::LaterChange,
};

/// The project's version; `None` if the organization has no such project. Exact while the project is locked.
pub(super) async fn find_version(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Option<i64>> {
    Ok(sqlx::query_scalar!(
        "SELECT version FROM projects WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_optional(conn)
    .await?)
}

/// All environments of the project, in the order of their slugs.
pub(super) async fn list_environments(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<Environment>> {
    Ok(sqlx::query_as!(
        Environment,
        r#"SELECT id, name, slug, color, protected, required_approvals, created_at, revision AS version
           FROM environments
           WHERE org_id = $1 AND project_id = $2
           ORDER BY slug COLLATE "C""#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(conn)
    .await?)
}

/// A thing of a page, and about how long it is as JSON.
pub(super) struct Listed {
    pub(super) key: String,
    pub(super) bytes: i64,
}

/// The next segments in the order of their keys.
pub(super) async fn list_segments(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    after: Option<&str>,
    limit: i64,
) -> db::Result<Vec<Listed>> {
    Ok(sqlx::query_as!(
        Listed,
        r#"WITH listed AS MATERIALIZED (
               SELECT id, key
               FROM segments
               WHERE org_id = $1 AND project_id = $2 AND ($3::text IS NULL OR key COLLATE "C" > $3)
               ORDER BY key COLLATE "C"
               LIMIT $4
           )
           SELECT s.key,
                  (octet_length(s.name) + octet_length(description) + octet_length(rules::text) + 128)::bigint AS "bytes!"
           FROM segments s
           JOIN listed ON listed.id = s.id
           WHERE s.org_id = $1
           ORDER BY s.key COLLATE "C""#,
        org_id as OrgId,
        project_id as ProjectId,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// The next flags in the order of their keys, archived ones too, with their states.
pub(super) async fn list_flags(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    after: Option<&str>,
    limit: i64,
) -> db::Result<Vec<Listed>> {
    Ok(sqlx::query_as!(
        Listed,
        r#"WITH listed AS MATERIALIZED (
               SELECT id, key
               FROM flags
               WHERE org_id = $1 AND project_id = $2 AND ($3::text IS NULL OR key COLLATE "C" > $3)
               ORDER BY key COLLATE "C"
               LIMIT $4
           )
           SELECT f.key,
                  octet_length(f.name) + octet_length(f.description) + octet_length(f.default_value::text)
                      + octet_length(f.tags::text) + octet_length(f.prerequisites::text) + 256
                      + (SELECT COALESCE(sum(octet_length(s.rules::text) + octet_length(s.variants::text)
                                             + COALESCE(octet_length(s.default_value::text), 0) + 256), 0)
                         FROM flag_states s
                         WHERE s.org_id = $1 AND s.flag_id = f.id)::bigint AS "bytes!"
           FROM flags f
           JOIN listed ON listed.id = f.id
           WHERE f.org_id = $1
           ORDER BY f.key COLLATE "C""#,
        org_id as OrgId,
        project_id as ProjectId,
        after,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// A flag, as far as others that require it concern it.
pub(super) struct Required {
    pub(super) key: String,
    pub(super) prerequisites: Vec<String>,
    pub(super) is_archived: bool,
}

/// All flags of the project.
pub(super) async fn list_required(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<Required>> {
    Ok(sqlx::query_as!(
        Required,
        r#"SELECT key, prerequisites, archived_at IS NOT NULL AS "is_archived!"
           FROM flags
           WHERE org_id = $1 AND project_id = $2"#,
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(conn)
    .await?)
}

/// The keys of all segments of the project.
pub(super) async fn list_segment_keys(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<Vec<String>> {
    Ok(sqlx::query_scalar!(
        "SELECT key FROM segments WHERE org_id = $1 AND project_id = $2",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .fetch_all(conn)
    .await?)
}

/// The tags of flags.
pub(super) async fn find_tags(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_ids: &[FlagId],
) -> db::Result<HashMap<FlagId, Vec<String>>> {
    let rows = sqlx::query!(
        "SELECT id, tags FROM flags WHERE org_id = $1 AND project_id = $2 AND id = ANY($3)",
        org_id as OrgId,
        project_id as ProjectId,
        flag_ids as &[FlagId],
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.tags)).collect())
}

/// The payloads of pending requests of somebody about these flags.
pub(super) async fn find_pending(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag_ids: &[FlagId],
) -> db::Result<HashMap<(FlagId, EnvId), Vec<(ApprovalId, Map<String, Value>)>>> {
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ApprovalId", flag_id AS "flag_id: FlagId", env_id AS "env_id: EnvId",
                  payload AS "payload: Json<Map<String, Value>>"
           FROM approvals
           WHERE org_id = $1 AND project_id = $2 AND status = 'pending' AND flag_id = ANY($3)
           ORDER BY created_at, id"#,
        org_id as OrgId,
        project_id as ProjectId,
        flag_ids as &[FlagId],
    )
    .fetch_all(conn)
    .await?;
    let mut pending: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let of_state = pending.entry((row.flag_id, row.env_id)).or_default();
        of_state.push((row.id, row.payload.0));
    }
    Ok(pending)
}

struct LaterRow {
    kind: String,
    key: String,
    env_slug: Option<String>,
    action: Option<String>,
    actor_name: Option<String>,
    at: OffsetDateTime,
}

/// What changed in the project after a version, the last first, with its last audit entry.
pub(super) async fn list_later(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    version: i64,
    limit: i64,
) -> db::Result<Vec<LaterChange>> {
    let rows = sqlx::query_as!(
        LaterRow,
        r#"WITH changed AS (
               SELECT 'flag' AS kind, id, key, NULL::uuid AS env_id, NULL::text AS env_slug, changed_version AS version,
                      GREATEST(updated_at, archived_at) AS at
               FROM flags
               WHERE org_id = $1 AND project_id = $2 AND changed_version > $3
               UNION ALL
               SELECT 'state', f.id, f.key, e.id, e.slug, s.changed_version, s.updated_at
               FROM environments e
               JOIN flag_states s ON s.env_id = e.id
               JOIN flags f ON f.id = s.flag_id
               WHERE e.org_id = $1 AND e.project_id = $2 AND s.changed_version > $3
               UNION ALL
               SELECT 'segment', id, key, NULL, NULL, changed_version, updated_at
               FROM segments
               WHERE org_id = $1 AND project_id = $2 AND changed_version > $3
               UNION ALL
               SELECT 'flag', r.flag_id, r.key, NULL, NULL, r.removed_version, r.removed_at
               FROM removed_flags r
               JOIN projects p ON p.org_id = $1 AND p.id = r.project_id
               WHERE r.project_id = $2 AND r.removed_version > $3
               UNION ALL
               SELECT 'segment', r.segment_id, r.key, NULL, NULL, r.removed_version, r.removed_at
               FROM removed_segments r
               JOIN projects p ON p.org_id = $1 AND p.id = r.project_id
               WHERE r.project_id = $2 AND r.removed_version > $3
           ), latest AS MATERIALIZED (
               SELECT * FROM changed ORDER BY version DESC, kind, key, env_slug LIMIT $4
           )
           SELECT latest.kind AS "kind!", latest.key AS "key!", latest.env_slug, entry.action AS "action?",
                  COALESCE(u.name, t.name) AS actor_name, COALESCE(entry.created_at, latest.at) AS "at!"
           FROM latest
           LEFT JOIN LATERAL (
               SELECT action, actor_type, actor_id, created_at
               FROM audit_entries a
               WHERE a.org_id = $1 AND a.resource_id = latest.id::text
                   AND a.resource_type IN ('flag', 'segment')
                   AND COALESCE(a.metadata ->> 'env_id', a.metadata ->> 'target_env_id') IS NOT DISTINCT FROM latest.env_id::text
               ORDER BY a.created_at DESC, a.id DESC
               LIMIT 1
           ) entry ON true
           LEFT JOIN users u ON entry.actor_type = 'user' AND u.id = entry.actor_id
           LEFT JOIN scim_tokens t ON entry.actor_type = 'scim' AND t.org_id = $1 AND t.id = entry.actor_id
           ORDER BY latest.version DESC, latest.kind, latest.key, latest.env_slug"#,
        org_id as OrgId,
        project_id as ProjectId,
        version,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let changes = rows.into_iter().map(|row| LaterChange {
        kind: match row.kind.as_str() {
            "state" => "state",
            "segment" => "segment",
            _ => "flag",
        },
        key: row.key,
        env_slug: row.env_slug,
        action: row.action,
        actor_name: row.actor_name,
        at: row.at,
    });
    Ok(changes.collect())
}
