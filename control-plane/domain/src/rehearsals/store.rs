//! SQL of rehearsals.

use protocol::snapshot::KeyHash;
use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::model::{Failure, Rehearsal};
use base::{
    db,
    ids::{ApiKeyId, EnvId, OrgId, RehearsalId, UserId},
};

/// The one that went on last, unless it was stopped; its time may be over. Exact while the organization is locked.
pub async fn find_open(conn: &mut PgConnection, org_id: OrgId) -> db::Result<Option<Rehearsal>> {
    Ok(sqlx::query_as!(
        Rehearsal,
        "SELECT id, env_id, api_key_id, failure, began_at, ends_at, began_by, stopped_at
         FROM rehearsals
         WHERE org_id = $1 AND is_open",
        org_id as OrgId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The one that is open does not go on any more.
pub async fn close(conn: &mut PgConnection, org_id: OrgId) -> db::Result<()> {
    sqlx::query!(
        "UPDATE rehearsals SET is_open = false WHERE org_id = $1 AND is_open",
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Inserts one that goes on, and deletes the oldest beyond 100 of the organization.
pub async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    rehearsal: &Rehearsal,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO rehearsals (id, org_id, env_id, api_key_id, failure, began_at, ends_at, began_by, is_open)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true)",
        rehearsal.id as RehearsalId,
        org_id as OrgId,
        rehearsal.env_id as EnvId,
        rehearsal.api_key_id as ApiKeyId,
        rehearsal.failure as Failure,
        rehearsal.began_at,
        rehearsal.ends_at,
        rehearsal.began_by as UserId,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM rehearsals
         WHERE id IN (
             SELECT id FROM rehearsals WHERE org_id = $1 ORDER BY began_at DESC, id DESC OFFSET 100
         )",
        org_id as OrgId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn stop(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: RehearsalId,
    now: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE rehearsals SET stopped_at = $3, is_open = false WHERE org_id = $1 AND id = $2",
        org_id as OrgId,
        id as RehearsalId,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of those of an environment, the last one first.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    page: Page,
) -> db::Result<Paged<Rehearsal>> {
    let items = sqlx::query_as!(
        Rehearsal,
        "SELECT id, env_id, api_key_id, failure, began_at, ends_at, began_by, stopped_at
         FROM rehearsals
         WHERE org_id = $1 AND env_id = $2
         ORDER BY began_at DESC, id DESC
         LIMIT $3 OFFSET $4",
        org_id as OrgId,
        env_id as EnvId,
        page.limit,
        page.offset,
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM rehearsals WHERE org_id = $1 AND env_id = $2"#,
        org_id as OrgId,
        env_id as EnvId,
    )
    .fetch_one(conn)
    .await?;
    Ok(Paged::new(items, total, page))
}

/// One that goes on, for edges.
#[derive(Debug)]
pub struct Running {
    pub id: RehearsalId,
    pub env_id: EnvId,
    pub hash: KeyHash,
    pub failure: Failure,
    pub began_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
}

/// Those of all organizations that go on, at most `limit`.
pub async fn list_running(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    limit: i64,
) -> db::Result<Vec<Running>> {
    let rows = sqlx::query!(
        "SELECT r.id, r.env_id, k.hash, r.failure, r.began_at, r.ends_at
         FROM rehearsals r
         JOIN api_keys k ON k.id = r.api_key_id
         WHERE r.is_open AND r.ends_at > $1
         ORDER BY r.id
         LIMIT $2",
        now,
        limit,
    )
    .fetch_all(conn)
    .await?;
    let running = rows.into_iter().filter_map(|row| {
        Some(Running {
            id: row.id,
            env_id: row.env_id,
            hash: row.hash.try_into().ok()?,
            failure: row.failure,
            began_at: row.began_at,
            ends_at: row.ends_at,
        })
    });
    Ok(running.collect())
}
