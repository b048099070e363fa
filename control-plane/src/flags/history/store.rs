//! SQL of the history of flags, but for what the writers of flags and states write of it.

use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::{
    look::Found,
    model::{VersionActor, VersionItem},
};
use crate::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, UserId},
    input::Key,
};

/// The flag of the project that has the key, or else the last one that had it and was deleted.
pub(crate) async fn find_flag(
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

/// A page of a flag's versions, the newest first: all, or those of its own fields and of its state in an environment.
pub(super) async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    flag_id: FlagId,
    env_id: Option<EnvId>,
    page: Page,
) -> db::Result<Paged<VersionItem>> {
    let rows = sqlx::query!(
        r#"SELECT version, made_at, actor_id AS "actor_id: UserId", actor_type, u.name AS "actor_name?", action,
                  env_id, changed AS "changed: Json<Vec<String>>", approval_id
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
        "SELECT version, ordinal, action, document
         FROM flag_versions
         WHERE org_id = $1 AND flag_id = $2 AND env_id IS NOT DISTINCT FROM $3::uuid
         ORDER BY version <= $4 DESC, CASE WHEN version <= $4 THEN -ordinal ELSE ordinal END
         LIMIT 1",
        org_id as OrgId,
        flag_id as FlagId,
        env_id as Option<EnvId>,
        version,
    )
    .fetch_optional(conn)
    .await?)
}

/// Has what is left of the history of a project's flags forgotten soon: that of their own fields. That of their states goes with
/// the states of environments that are gone.
pub(crate) async fn expire_of_project(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE flag_versions v
         SET replaced_at = 'epoch'
         FROM flags f
         WHERE f.org_id = $1 AND f.project_id = $2 AND v.org_id = $1 AND v.flag_id = f.id AND v.env_id IS NULL
             AND v.replaced_at IS NULL",
        org_id as OrgId,
        project_id as ProjectId,
    )
    .execute(conn)
    .await?;
    Ok(())
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

/// What the versions of the organization keep, in bytes.
pub(super) async fn bytes(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COALESCE(SUM(bytes), 0)::bigint AS "bytes!" FROM flag_versions WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// Deletes at most so many of the versions that were replaced first, until so many bytes are free; returns how many.
pub(super) async fn delete_oldest(
    conn: &mut PgConnection,
    org_id: OrgId,
    bytes: i64,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM flag_versions
         WHERE org_id = $1 AND (flag_id, version) IN (
             SELECT flag_id, version
             FROM (
                 SELECT flag_id, version, SUM(bytes) OVER (ORDER BY replaced_at, flag_id, version) - bytes AS freed
                 FROM (
                     SELECT flag_id, version, bytes, replaced_at
                     FROM flag_versions
                     WHERE org_id = $1 AND replaced_at IS NOT NULL
                     ORDER BY replaced_at, flag_id, version
                     LIMIT $3
                 ) AS oldest
             ) AS summed
             WHERE freed < $2::bigint
         )",
        org_id as OrgId,
        bytes,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Deletes at most so many versions of an organization that is deleted for good; returns how many.
pub(crate) async fn delete_of_org(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<u64> {
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
