//! SQL of sampling.

use sqlx::PgConnection;

use super::model::{Keys, MOST, Sampling};
use base::{
    db,
    ids::{EnvId, OrgId},
};

/// The setting of an environment: off where none was ever stored.
pub async fn find(conn: &mut PgConnection, org_id: OrgId, env_id: EnvId) -> db::Result<Sampling> {
    let row = sqlx::query!(
        "SELECT attributes, keys, enabled_at FROM environment_sampling WHERE org_id = $1 AND env_id = $2",
        org_id as OrgId,
        env_id as EnvId,
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map_or_else(Sampling::default, |row| Sampling {
        enabled: row.enabled_at.is_some(),
        attributes: row.attributes,
        keys: row.keys,
        enabled_at: row.enabled_at,
    }))
}

/// How many environments of the organization are sampled. Exact while it is locked.
pub async fn count(conn: &mut PgConnection, org_id: OrgId) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM environment_sampling WHERE org_id = $1 AND enabled_at IS NOT NULL"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?)
}

/// An environment that is sampled.
#[derive(Debug)]
pub struct Enabled {
    pub env_id: EnvId,
    pub attributes: Vec<String>,
    pub keys: Keys,
}

/// Those of all organizations, at most `limit`, with every organization's first one before anybody's second. Not tenant-scoped: edges are
/// told of those of their regions.
pub async fn list_enabled(conn: &mut PgConnection, limit: i64) -> db::Result<Vec<Enabled>> {
    Ok(sqlx::query_as!(
        Enabled,
        "SELECT env_id, attributes, keys FROM environment_sampling
         WHERE enabled_at IS NOT NULL
         ORDER BY place, env_id
         LIMIT $1",
        limit,
    )
    .fetch_all(conn)
    .await?)
}

/// Stores a setting; one that is on has the first free place among those of the organization, which is locked if it was off before.
pub async fn upsert(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    sampling: &Sampling,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO environment_sampling AS stored (env_id, org_id, attributes, keys, enabled_at, place)
         SELECT $1, $2, $3, $4, $5, COALESCE(MIN(free), 1)
         FROM generate_series(1, $6) free
         WHERE NOT EXISTS (
             SELECT FROM environment_sampling
             WHERE org_id = $2 AND env_id <> $1 AND enabled_at IS NOT NULL AND place = free
         )
         ON CONFLICT ON CONSTRAINT environment_sampling_pkey
         DO UPDATE SET attributes = excluded.attributes, keys = excluded.keys, enabled_at = excluded.enabled_at, place = excluded.place
         WHERE stored.org_id = $2",
        env_id as EnvId,
        org_id as OrgId,
        &sampling.attributes,
        sampling.keys as Keys,
        sampling.enabled_at,
        MOST,
    )
    .execute(conn)
    .await?;
    Ok(())
}
