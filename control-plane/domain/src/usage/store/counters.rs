//! Counters of evaluations.

use std::collections::{BTreeMap, HashMap, HashSet};

use serving::page::Page;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Removed;
use crate::usage::{
    merge::OrgUsage,
    model::{EvaluationCounter, Filter, OTHER, Part, UnknownFlag},
};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// The keys without a flag that already have a counter, by organization. Exact while the windows are locked.
pub(in crate::usage) async fn find_unknown(
    conn: &mut PgConnection,
    orgs: &BTreeMap<OrgId, OrgUsage>,
) -> db::Result<HashMap<OrgId, HashSet<(EnvId, String)>>> {
    let (mut org_ids, mut env_ids, mut flag_keys) = (Vec::new(), Vec::new(), Vec::new());
    for (org_id, org) in orgs {
        for key in org.unknown() {
            org_ids.push(*org_id);
            env_ids.push(key.env_id);
            flag_keys.push(key.flag_key.clone());
        }
    }
    let mut known: HashMap<OrgId, HashSet<_>> = HashMap::new();
    if org_ids.is_empty() {
        return Ok(known);
    }
    let rows = sqlx::query!(
        r#"SELECT c.org_id, c.env_id, c.flag_key
           FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS asked (org_id, env_id, flag_key)
           JOIN evaluation_counters c
               ON c.org_id = asked.org_id AND c.env_id = asked.env_id AND c.flag_key = asked.flag_key
           WHERE c.reason = 'NOT_FOUND'"#,
        &org_ids as &[OrgId],
        &env_ids as &[EnvId],
        &flag_keys,
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        let keys = known.entry(row.org_id).or_default();
        keys.insert((row.env_id, row.flag_key));
    }
    Ok(known)
}

/// Adds to the counters. A sum that exceeds 64 bits stays at the maximum.
pub(in crate::usage) async fn add(
    conn: &mut PgConnection,
    orgs: &BTreeMap<OrgId, OrgUsage>,
    now: OffsetDateTime,
) -> db::Result<()> {
    let (mut org_ids, mut env_ids, mut flag_keys) = (Vec::new(), Vec::new(), Vec::new());
    let (mut reasons, mut counts) = (Vec::new(), Vec::new());
    for (org_id, org) in orgs {
        for (key, count) in &org.counts {
            org_ids.push(*org_id);
            env_ids.push(key.env_id);
            flag_keys.push(key.flag_key.clone());
            reasons.push(key.reason.to_owned());
            counts.push(*count);
        }
    }
    if org_ids.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
         SELECT org_id, env_id, flag_key, reason, count, $6, $6
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[])
             AS counted (org_id, env_id, flag_key, reason, count)
         ON CONFLICT ON CONSTRAINT evaluation_counters_pkey
         DO UPDATE SET
             count = least(evaluation_counters.count::numeric + excluded.count, 9223372036854775807)::bigint,
             last_seen_at = excluded.last_seen_at",
        &org_ids as &[OrgId],
        &env_ids as &[EnvId],
        &flag_keys,
        &reasons,
        &counts,
        now,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A page of the counters, by flag key, environment, reason. It ends early if keys are long, but has at least one.
pub async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    part: Part,
) -> db::Result<Vec<EvaluationCounter>> {
    Ok(sqlx::query_as!(
        EvaluationCounter,
        "WITH listed AS (
             SELECT flag_key, env_id, reason, count, octet_length(to_json(flag_key)::text) AS bytes
             FROM evaluation_counters
             WHERE org_id = $1
                 AND ($5::text IS NULL OR flag_key = $5)
                 AND ($6::uuid IS NULL OR env_id = $6)
                 AND ($7::uuid IS NULL
                      OR env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $7))
             ORDER BY flag_key, env_id, reason
             LIMIT $2 OFFSET $3
         ), placed AS (
             SELECT *, sum(bytes) OVER (ORDER BY flag_key, env_id, reason) - bytes AS bytes_before FROM listed
         )
         SELECT flag_key, env_id, reason, count
         FROM placed
         WHERE bytes_before < $4::bigint
         ORDER BY flag_key, env_id, reason",
        org_id as OrgId,
        part.limit,
        part.offset,
        Part::BYTES,
        filter.flag_key,
        filter.env_id as Option<EnvId>,
        filter.project_id as Option<ProjectId>,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn total(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
) -> db::Result<(i64, i64)> {
    let row = sqlx::query!(
        r#"SELECT COUNT(*) AS "counters!",
                  least(coalesce(sum(count), 0), 9223372036854775807)::bigint AS "evaluations!"
           FROM evaluation_counters
           WHERE org_id = $1
               AND ($2::text IS NULL OR flag_key = $2)
               AND ($3::uuid IS NULL OR env_id = $3)
               AND ($4::uuid IS NULL
                    OR env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $4))"#,
        org_id as OrgId,
        filter.flag_key,
        filter.env_id as Option<EnvId>,
        filter.project_id as Option<ProjectId>,
    )
    .fetch_one(conn)
    .await?;
    Ok((row.counters, row.evaluations))
}

/// Removed environments that still have counters, with their organizations. Looks each environment up once, however many
/// counters it has. Not tenant-scoped: the environments are gone.
pub(in crate::usage) async fn removed_environments(
    conn: &mut PgConnection,
) -> db::Result<Vec<Removed>> {
    Ok(sqlx::query_as!(
        Removed,
        r#"WITH RECURSIVE counted AS (
               (SELECT env_id, org_id FROM evaluation_counters ORDER BY env_id LIMIT 1)
               UNION ALL
               SELECT next.env_id, next.org_id
               FROM counted
               CROSS JOIN LATERAL (
                   SELECT c.env_id, c.org_id
                   FROM evaluation_counters c
                   WHERE c.env_id > counted.env_id
                   ORDER BY c.env_id
                   LIMIT 1
               ) AS next
           )
           SELECT org_id AS "org_id!: OrgId", env_id AS "env_id!: EnvId"
           FROM counted
           WHERE NOT EXISTS (SELECT FROM environments e WHERE e.id = counted.env_id)"#,
    )
    .fetch_all(conn)
    .await?)
}

/// Deletes at most `limit` counters of an environment; returns their number.
pub(in crate::usage) async fn delete_of_environment(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: EnvId,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM evaluation_counters
         WHERE org_id = $1 AND ctid = ANY(ARRAY(
             SELECT ctid FROM evaluation_counters WHERE org_id = $1 AND env_id = $2 LIMIT $3
         ))",
        org_id as OrgId,
        env_id as EnvId,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

#[derive(Clone, Copy, Debug)]
pub(in crate::usage) struct Deleted {
    pub(in crate::usage) counters: i64,
    /// How many of them counted keys without a flag individually.
    pub(in crate::usage) unknown_keys: i64,
    pub(in crate::usage) evaluations: i64,
}

/// Deletes at most `limit` counters. They are stable while the window is locked.
pub(in crate::usage) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    limit: i64,
) -> db::Result<Deleted> {
    Ok(sqlx::query_as!(
        Deleted,
        r#"WITH deleted AS (
               DELETE FROM evaluation_counters
               WHERE org_id = $1 AND ctid = ANY(ARRAY(
                   SELECT ctid FROM evaluation_counters WHERE org_id = $1 LIMIT $2
               ))
               RETURNING flag_key, reason, count
           )
           SELECT COUNT(*) AS "counters!",
                  COUNT(*) FILTER (WHERE reason = 'NOT_FOUND' AND flag_key <> $3) AS "unknown_keys!",
                  least(coalesce(sum(count), 0), 9223372036854775807)::bigint AS "evaluations!"
           FROM deleted"#,
        org_id as OrgId,
        limit,
        OTHER,
    )
    .fetch_one(conn)
    .await?)
}

/// A page of the requested keys without a flag, of an environment or of the whole project. Excludes keys of flags created since,
/// which is why flags are read too.
pub async fn list_unknown(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    env_id: Option<EnvId>,
    page: Page,
) -> db::Result<Vec<UnknownFlag>> {
    Ok(sqlx::query_as!(
        UnknownFlag,
        "SELECT flag_key, env_id, count, first_seen_at, last_seen_at
         FROM evaluation_counters c
         WHERE org_id = $1 AND reason = 'NOT_FOUND'
             AND env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $2)
             AND ($3::uuid IS NULL OR env_id = $3)
             AND NOT EXISTS (SELECT FROM flags f WHERE f.project_id = $2 AND f.key = c.flag_key)
         ORDER BY flag_key, env_id
         LIMIT $4 OFFSET $5",
        org_id as OrgId,
        project_id as ProjectId,
        env_id as Option<EnvId>,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn count_unknown(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    env_id: Option<EnvId>,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!"
           FROM evaluation_counters c
           WHERE org_id = $1 AND reason = 'NOT_FOUND'
               AND env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $2)
               AND ($3::uuid IS NULL OR env_id = $3)
               AND NOT EXISTS (SELECT FROM flags f WHERE f.project_id = $2 AND f.key = c.flag_key)"#,
        org_id as OrgId,
        project_id as ProjectId,
        env_id as Option<EnvId>,
    )
    .fetch_one(conn)
    .await?)
}
