//! SQL of the history of flags: what is asked of it, and what is forgotten.

use serde_json::Value;
use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::{
    look::{Found, Holder, Later},
    model::{VersionActor, VersionItem},
};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, UserId},
    input::Key,
};

/// The flag of the project that has the key, or else the last one that had it and was deleted.
pub async fn find_flag(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    key: &Key,
) -> db::Result<Option<FlagId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT id AS "id!: FlagId"
           FROM (
               SELECT id, NULL::timestamptz AS deleted_at
               FROM flags
               WHERE org_id = $1 AND project_id = $2 AND key = $3
               UNION ALL
               SELECT flag_id, made_at
               FROM flag_versions
               WHERE org_id = $1 AND project_id = $2 AND deleted_key = $3
           ) AS named
           ORDER BY deleted_at DESC NULLS FIRST, id DESC
           LIMIT 1"#,
        org_id as OrgId,
        project_id as ProjectId,
        key.as_str(),
    )
    .fetch_optional(conn)
    .await?)
}

/// Whether the project has a flag with this id, or the history of a deleted one.
pub async fn has_flag(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    id: FlagId,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM flags WHERE org_id = $1 AND project_id = $2 AND id = $3)
               OR EXISTS (SELECT FROM flag_versions WHERE org_id = $1 AND project_id = $2 AND flag_id = $3) AS "known!""#,
        org_id as OrgId,
        project_id as ProjectId,
        id as FlagId,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of a flag's versions, the newest first: all, or those of its own fields and of its state in an environment.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    page: Page,
) -> db::Result<Paged<VersionItem>> {
    let rows = sqlx::query!(
        r#"SELECT version, made_at, actor_id AS "actor_id: UserId", actor_type, u.name AS "actor_name?", action,
                  env_id, changed AS "changed: Json<Vec<String>>", approval_id, comment
           FROM flag_versions v
           LEFT JOIN users u ON v.actor_type = 'user' AND u.id = v.actor_id
           WHERE v.org_id = $1 AND v.flag_id = $2 AND ($3::uuid IS NULL OR v.env_id IS NULL OR v.env_id = $3)
           ORDER BY version DESC
           LIMIT $4 OFFSET $5"#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let items = rows.into_iter().map(|row| VersionItem {
        version: row.version,
        at: row.made_at,
        actor: VersionActor {
            id: row.actor_id,
            actor_type: row.actor_type,
            name: row.actor_name,
        },
        action: row.action,
        env_id: row.env_id,
        changed: row.changed,
        approval_id: row.approval_id,
        comment: row.comment,
    });
    let items = items.collect();
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM flag_versions
           WHERE org_id = $1 AND flag_id = $2 AND ($3::uuid IS NULL OR env_id IS NULL OR env_id = $3)"#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
    )
    .fetch_one(conn)
    .await?;
    Ok(Paged::new(items, total, page))
}

/// Whether the version is of the flag's own fields or of its state in the environment, and still kept.
pub(super) async fn is_listed(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: EnvId,
    version: i64,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT
               FROM flag_versions
               WHERE org_id = $1 AND flag_id = $2 AND version = $4 AND (env_id IS NULL OR env_id = $3)
           ) AS "listed!""#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as EnvId,
        version,
    )
    .fetch_one(conn)
    .await?)
}

/// The last version up to this one of the flag's own fields, or of its state in an environment; where there is none, the first
/// that is kept.
pub(super) async fn find_part(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    version: i64,
) -> db::Result<Option<Found>> {
    Ok(sqlx::query_as!(
        Found,
        r#"SELECT version, ordinal, made_at, document IS NULL AS "is_end!"
         FROM flag_versions
         WHERE org_id = $1 AND flag_id = $2 AND env_id IS NOT DISTINCT FROM $3::uuid
         ORDER BY version <= $4 DESC, CASE WHEN version <= $4 THEN -ordinal ELSE ordinal END
         LIMIT 1"#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
        version,
    )
    .fetch_optional(conn)
    .await?)
}

/// The versions of a part after one of it, the oldest first.
pub(super) async fn list_later(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    ordinal: i64,
) -> db::Result<Vec<Later>> {
    Ok(sqlx::query_as!(
        Later,
        r#"SELECT ordinal, changed AS "changed: Json<Vec<String>>"
           FROM flag_versions
           WHERE org_id = $1 AND flag_id = $2 AND env_id IS NOT DISTINCT FROM $3::uuid AND ordinal > $4
           ORDER BY ordinal"#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
        ordinal,
    )
    .fetch_all(conn)
    .await?)
}

/// Members of documents of a part; `None` where one has no such member.
pub(super) async fn members(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    wanted: &[Holder],
) -> db::Result<Vec<(String, Option<Value>)>> {
    let ordinals: Vec<_> = wanted.iter().map(|one| one.ordinal).collect();
    let names: Vec<_> = wanted.iter().map(|one| one.name.clone()).collect();
    let rows = sqlx::query!(
        r#"SELECT wanted.name AS "name!", v.document -> wanted.name AS value
           FROM unnest($4::bigint[], $5::text[]) AS wanted (ordinal, name)
           JOIN flag_versions v ON v.ordinal = wanted.ordinal
           WHERE v.org_id = $1 AND v.flag_id = $2 AND v.env_id IS NOT DISTINCT FROM $3::uuid"#,
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
        &ordinals,
        &names,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.value)).collect())
}

/// What a part was last, if it is no longer there.
pub(super) async fn find_last(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
) -> db::Result<Option<Value>> {
    let last = sqlx::query_scalar!(
        "SELECT document
         FROM flag_versions
         WHERE org_id = $1 AND flag_id = $2 AND env_id IS NOT DISTINCT FROM $3::uuid AND document IS NOT NULL
         ORDER BY ordinal DESC
         LIMIT 1",
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
    )
    .fetch_optional(conn)
    .await?;
    Ok(last.flatten())
}

/// Organizations beyond `after`, in the order of their ids. Not tenant-scoped: a job goes through all.
pub(super) async fn list_orgs(
    conn: &mut PgConnection,
    after: OrgId,
    limit: i64,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM organizations WHERE id > $1 ORDER BY id LIMIT $2",
        after as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Deletes at most so many versions that were replaced before `until`; returns how many.
pub(super) async fn delete_replaced(
    conn: &mut PgConnection,
    org_id: OrgId,
    until: OffsetDateTime,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM flag_versions
         WHERE org_id = $1 AND (flag_id, version) IN (
             SELECT flag_id, version
             FROM flag_versions
             WHERE org_id = $1 AND replaced_at < $2
             ORDER BY replaced_at, flag_id, version
             LIMIT $3
         )",
        org_id as OrgId,
        until,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Counts what the versions of the organization keep, in bytes, while nobody changes it.
pub(super) async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    sqlx::query!(
        "SELECT bytes FROM flag_history_sizes WHERE org_id = $1 FOR UPDATE",
        org_id as OrgId,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let counted = sqlx::query_scalar!(
        "UPDATE flag_history_sizes
         SET bytes = (SELECT COALESCE(SUM(v.bytes), 0) FROM flag_versions v WHERE v.org_id = $1)
         WHERE org_id = $1
         RETURNING bytes",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(counted.unwrap_or(0))
}

/// Deletes at most so many versions of an organization that is deleted for good; returns how many.
pub async fn delete_of_org(conn: &mut PgConnection, org_id: OrgId, limit: i64) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM flag_versions
         WHERE org_id = $1 AND (flag_id, version) IN (
             SELECT flag_id, version FROM flag_versions WHERE org_id = $1 LIMIT $2
         )",
        org_id as OrgId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Keeps the states of a flag that is about to be deleted, each whole in its newest version; returns the growth in bytes.
pub(in crate::flags) async fn keep_states(
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
                          'bucketing', bucketing,
                          'scheduled_enable_at', COALESCE(scheduled_enable_at, paused_enable_at),
                          'scheduled_disable_at', COALESCE(scheduled_disable_at, paused_disable_at),
                          'pattern_bytes', pattern_bytes
                      ) AS document
               FROM flag_states s
               JOIN flag_versions v ON v.org_id = $1 AND v.flag_id = $2 AND v.env_id = s.env_id AND v.replaced_at IS NULL
               WHERE s.org_id = $1 AND s.flag_id = $2
           ), kept AS (
               UPDATE flag_versions v
               SET replaced_at = $3, document = newest.document, bytes = octet_length(newest.document::text) + COALESCE(octet_length(v.comment), 0)
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
