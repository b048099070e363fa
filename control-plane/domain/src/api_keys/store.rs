//! SQL of API keys.

use std::collections::BTreeMap;

use protocol::snapshot::KeyHash;
use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{ApiKey, KeyType};
use crate::version::Drawn;
use base::{
    db,
    ids::{ApiKeyId, EnvId, OrgId, ProjectId},
};

#[derive(Clone, Debug)]
pub struct Found {
    pub env_id: EnvId,
    /// The environment's project, whose lock orders changes of the key.
    pub project_id: ProjectId,
    /// Whether edges hold it.
    pub is_served: bool,
    pub rotated_to: Option<ApiKeyId>,
    pub key: ApiKey,
}

pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    key: &ApiKey,
    hash: KeyHash,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO api_keys (id, org_id, env_id, name, type, key_prefix, hash, changed_version, created_at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        key.id as ApiKeyId,
        org_id as OrgId,
        env_id as EnvId,
        key.name,
        key.key_type as KeyType,
        key.key_prefix,
        &hash,
        drawn.row_version(),
        key.created_at,
        key.expires_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The number of keys of the environment, ended ones included.
async fn count(conn: &mut PgConnection, org_id: OrgId, env_id: EnvId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM api_keys WHERE org_id = $1 AND env_id = $2"#,
        org_id as OrgId,
        env_id as EnvId,
    )
    .fetch_one(conn)
    .await?)
}

/// The number of usable keys of the environment. Exact when the caller holds the project's lock.
pub async fn count_usable(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    now: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM api_keys
           WHERE org_id = $1 AND env_id = $2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3)"#,
        org_id as OrgId,
        env_id as EnvId,
        now,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the environment's keys, revoked ones included, in creation order.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    page: Page,
) -> db::Result<Paged<ApiKey>> {
    let items = sqlx::query_as!(
        ApiKey,
        "SELECT id, key_prefix, name, type AS key_type, created_at, last_used_at, expires_at, revoked_at
         FROM api_keys
         WHERE org_id = $1 AND env_id = $2
         ORDER BY created_at, id
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        env_id as EnvId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    Ok(Paged::new(items, count(conn, org_id, env_id).await?, page))
}

/// The key, if the organization has it and it is not revoked.
pub async fn find_unrevoked(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: ApiKeyId,
) -> db::Result<Option<Found>> {
    let row = sqlx::query!(
        r#"SELECT api_keys.id, api_keys.env_id, environments.project_id, rotated_to, key_prefix, api_keys.name,
                  type AS key_type, api_keys.created_at, last_used_at, expires_at, revoked_at,
                  retired_at IS NULL AS "is_served!"
           FROM api_keys
           JOIN environments ON environments.id = api_keys.env_id
           WHERE api_keys.org_id = $1 AND api_keys.id = $2 AND revoked_at IS NULL"#,
        org_id as OrgId,
        id as ApiKeyId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Found {
        env_id: row.env_id,
        project_id: row.project_id,
        is_served: row.is_served,
        rotated_to: row.rotated_to,
        key: ApiKey {
            id: row.id,
            key_prefix: row.key_prefix,
            name: row.name,
            key_type: row.key_type,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
        },
    }))
}

/// Stores the end of a key in the drawn version: `expires_at`, `revoked_at`, and its replacement.
pub async fn update_end(
    conn: &mut PgConnection,
    org_id: OrgId,
    key: &ApiKey,
    rotated_to: Option<ApiKeyId>,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE api_keys
         SET expires_at = $3, revoked_at = $4, rotated_to = $5, changed_version = $6
         WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        key.id as ApiKeyId,
        key.expires_at,
        key.revoked_at,
        rotated_to as Option<ApiKeyId>,
        drawn.row_version(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the oldest ended keys of the environment beyond 1,000, in small batches.
pub async fn forget_ended(conn: &mut PgConnection, org_id: OrgId, env_id: EnvId) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM api_keys
         WHERE id IN (
             SELECT id
             FROM api_keys
             WHERE org_id = $1 AND env_id = $2 AND (revoked_at IS NOT NULL OR retired_at IS NOT NULL)
             ORDER BY COALESCE(revoked_at, retired_at) DESC, id DESC
             LIMIT 10 OFFSET $3
         )",
        org_id as OrgId,
        env_id as EnvId,
        1_000_i64,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Organizations with ids beyond `after` in which edges hold keys expired by `until`, in id order. Not tenant-scoped: the job
/// covers all.
pub async fn list_orgs_of_expired(
    conn: &mut PgConnection,
    until: OffsetDateTime,
    after: OrgId,
    limit: i64,
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT org_id AS "org_id: OrgId"
           FROM api_keys
           WHERE org_id > $2 AND expires_at <= $1 AND revoked_at IS NULL AND retired_at IS NULL
           ORDER BY 1
           LIMIT $3"#,
        until,
        after as OrgId,
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// The organization's environments in which edges hold keys expired by `until`.
pub async fn list_environments_of_expired(
    conn: &mut PgConnection,
    org_id: OrgId,
    until: OffsetDateTime,
) -> db::Result<Vec<EnvId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT DISTINCT env_id AS "env_id: EnvId"
           FROM api_keys
           WHERE org_id = $1 AND expires_at <= $2 AND revoked_at IS NULL AND retired_at IS NULL
           LIMIT 1000"#,
        org_id as OrgId,
        until,
    )
    .fetch_all(conn)
    .await?)
}

/// The number of the environment's keys that expired by `until` and that edges hold.
pub async fn count_expired(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    until: OffsetDateTime,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM api_keys
           WHERE org_id = $1 AND env_id = $2 AND expires_at <= $3 AND revoked_at IS NULL AND retired_at IS NULL"#,
        org_id as OrgId,
        env_id as EnvId,
        until,
    )
    .fetch_one(conn)
    .await?)
}

/// Removes the environment's keys that expired by `until` from edges, in the drawn version.
pub async fn retire_expired(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    until: OffsetDateTime,
    now: OffsetDateTime,
    drawn: Drawn,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE api_keys
         SET retired_at = $4, changed_version = $5
         WHERE org_id = $1 AND env_id = $2 AND expires_at <= $3 AND revoked_at IS NULL AND retired_at IS NULL",
        org_id as OrgId,
        env_id as EnvId,
        until,
        now,
        drawn.row_version(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Records the last use of keys, at most once a minute each, by hash, for organizations of the reporter's data region. Not
/// tenant-scoped: reports cover keys of many organizations. Locks keys in one order. Returns the organizations of those keys
/// that still await the first use of one.
pub async fn note_uses(
    conn: &mut PgConnection,
    uses: &BTreeMap<(KeyHash, Option<String>), OffsetDateTime>,
) -> db::Result<Vec<OrgId>> {
    let hashes: Vec<Vec<u8>> = uses.keys().map(|(hash, _)| hash.to_vec()).collect();
    let regions: Vec<Option<String>> = uses.keys().map(|(_, region)| region.clone()).collect();
    let times: Vec<OffsetDateTime> = uses.values().copied().collect();
    Ok(sqlx::query_scalar!(
        r#"WITH noted AS (
               UPDATE api_keys
               SET last_used_at = used.at
               FROM (
                   SELECT k.id, used.at
                   FROM unnest($1::bytea[], $2::text[], $3::timestamptz[]) AS used (hash, region, at)
                   JOIN api_keys k ON k.hash = used.hash
                   JOIN organizations o ON o.id = k.org_id
                   WHERE (used.region IS NULL OR used.region = o.data_region)
                       AND (k.last_used_at IS NULL OR k.last_used_at <= used.at - interval '1 minute')
                   ORDER BY k.id
                   FOR NO KEY UPDATE OF k
               ) AS used
               WHERE api_keys.id = used.id
               RETURNING api_keys.org_id
           )
           SELECT DISTINCT noted.org_id AS "org_id!: OrgId"
           FROM noted
           LEFT JOIN onboarding s ON s.org_id = noted.org_id
           WHERE coalesce(NOT first_sdk_connected AND 'first_sdk_connected' <> ALL(taken_back), true)"#,
        &hashes,
        &regions as &[Option<String>],
        &times,
    )
    .fetch_all(conn)
    .await?)
}
