//! Series of flag results: rows of a minute, an hour or a day.

use std::collections::{BTreeMap, HashMap, HashSet};

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::Removed;
use crate::usage::{
    merge::{OrgUsage, SeriesKey},
    model::{OTHER, Step},
    series::MAX_ROWS,
};
use base::{
    db,
    ids::{EnvId, OrgId},
    jobs::sweep::BATCH,
};

pub(in crate::usage) type Minutes = BTreeMap<OrgId, OffsetDateTime>;

/// The number of rows in these minutes. Exact while the windows are locked.
pub(in crate::usage) async fn count(
    conn: &mut PgConnection,
    minutes: &Minutes,
) -> db::Result<HashMap<OrgId, i64>> {
    let org_ids: Vec<OrgId> = minutes.keys().copied().collect();
    let starts: Vec<OffsetDateTime> = minutes.values().copied().collect();
    let rows = sqlx::query!(
        r#"SELECT s.org_id AS "org_id: OrgId", COUNT(*) AS "rows!"
           FROM unnest($1::uuid[], $2::timestamptz[]) AS added (org_id, starts_at)
           JOIN evaluation_series s
               ON s.org_id = added.org_id AND s.step = 60 AND s.starts_at = added.starts_at
           GROUP BY s.org_id"#,
        &org_ids as &[OrgId],
        &starts,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.org_id, row.rows)).collect())
}

/// The rows of an organization in its minute.
pub(in crate::usage) async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    minute: OffsetDateTime,
) -> db::Result<HashSet<SeriesKey>> {
    let keys = sqlx::query_as!(
        SeriesKey,
        r#"SELECT env_id AS "env_id: EnvId", flag_key, reason, value, variant_key
           FROM evaluation_series
           WHERE org_id = $1 AND step = 60 AND starts_at = $2"#,
        org_id as OrgId,
        minute,
    )
    .fetch_all(conn)
    .await?;
    Ok(keys.into_iter().collect())
}

/// Adds to the rows of minutes. A sum that exceeds 64 bits stays at the maximum.
pub(in crate::usage) async fn add(
    conn: &mut PgConnection,
    orgs: &BTreeMap<OrgId, OrgUsage>,
    minutes: &Minutes,
) -> db::Result<()> {
    let (mut org_ids, mut starts, mut env_ids) = (Vec::new(), Vec::new(), Vec::new());
    let (mut flag_keys, mut reasons) = (Vec::new(), Vec::new());
    let (mut values, mut variant_keys, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (org_id, minute) in minutes {
        for (key, count) in orgs.get(org_id).into_iter().flat_map(|org| &org.series) {
            org_ids.push(*org_id);
            starts.push(*minute);
            env_ids.push(key.env_id);
            flag_keys.push(key.flag_key.clone());
            reasons.push(key.reason.clone());
            values.push(key.value.clone());
            variant_keys.push(key.variant_key.clone());
            counts.push(*count);
        }
    }
    if org_ids.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "INSERT INTO evaluation_series (org_id, step, starts_at, env_id, flag_key, reason, value, variant_key, count)
         SELECT org_id, 60, starts_at, env_id, flag_key, reason, value, variant_key, count
         FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
             AS counted (org_id, starts_at, env_id, flag_key, reason, value, variant_key, count)
         ON CONFLICT ON CONSTRAINT evaluation_series_pkey
         DO UPDATE SET
             count = least(evaluation_series.count::numeric + excluded.count, 9223372036854775807)::bigint",
        &org_ids as &[OrgId],
        &starts,
        &env_ids as &[EnvId],
        &flag_keys,
        &reasons,
        &values,
        &variant_keys,
        &counts,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Organizations with minutes or hours to fold before these two times, or with rows beyond their retention.
pub(in crate::usage) async fn list_due(
    conn: &mut PgConnection,
    after: OrgId,
    (hour, day): (OffsetDateTime, OffsetDateTime),
    [minutes_kept, hours_kept, days_kept]: [OffsetDateTime; 3],
) -> db::Result<Vec<OrgId>> {
    Ok(sqlx::query_scalar!(
        r#"SELECT w.org_id AS "org_id: OrgId"
           FROM usage_windows w
           WHERE w.org_id > $1 AND (
               EXISTS (
                   SELECT FROM evaluation_series s
                   WHERE s.org_id = w.org_id AND s.step = 60 AND s.starts_at < $2
                       AND s.starts_at >= coalesce(w.hours_folded_to, '-infinity'))
               OR EXISTS (
                   SELECT FROM evaluation_series s
                   WHERE s.org_id = w.org_id AND s.step = 3600 AND s.starts_at < $3
                       AND s.starts_at >= coalesce(w.days_folded_to, '-infinity'))
               OR EXISTS (
                   SELECT FROM evaluation_series s
                   WHERE s.org_id = w.org_id AND s.step = 60 AND s.starts_at < $4)
               OR EXISTS (
                   SELECT FROM evaluation_series s
                   WHERE s.org_id = w.org_id AND s.step = 3600 AND s.starts_at < $5)
               OR EXISTS (
                   SELECT FROM evaluation_series s
                   WHERE s.org_id = w.org_id AND s.step = 86400 AND s.starts_at < $6))
           ORDER BY w.org_id
           LIMIT $7"#,
        after as OrgId,
        hour,
        day,
        minutes_kept,
        hours_kept,
        days_kept,
        BATCH,
    )
    .fetch_all(conn)
    .await?)
}

/// The start of the oldest row of this step between two times.
pub(in crate::usage) async fn oldest(
    conn: &mut PgConnection,
    org_id: OrgId,
    step: Step,
    start: Option<OffsetDateTime>,
    end: OffsetDateTime,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT min(starts_at)
         FROM evaluation_series
         WHERE org_id = $1 AND step = $2 AND starts_at >= coalesce($3, '-infinity'::timestamptz) AND starts_at < $4",
        org_id as OrgId,
        step.seconds(),
        start,
        end,
    )
    .fetch_one(conn)
    .await?)
}

/// Aggregates the minutes of an hour, or the hours of a day. The most frequent series keep rows of their own, the others share
/// one per environment and reason.
pub(in crate::usage) async fn fold(
    conn: &mut PgConnection,
    org_id: OrgId,
    from: Step,
    into: Step,
    start: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "INSERT INTO evaluation_series (org_id, step, starts_at, env_id, flag_key, reason, value, variant_key, count)
         WITH counted AS (
             SELECT env_id, flag_key, reason, value, variant_key, sum(count) AS count,
                    row_number() OVER (ORDER BY sum(count) DESC, env_id, flag_key, reason, value, variant_key)
                        <= $6::bigint AS is_kept
             FROM evaluation_series
             WHERE org_id = $1 AND step = $2 AND starts_at >= $4 AND starts_at < $5
             GROUP BY env_id, flag_key, reason, value, variant_key
         ), kept AS (
             SELECT env_id, reason, count,
                    CASE WHEN is_kept THEN flag_key ELSE $7::text END AS flag_key,
                    CASE WHEN is_kept THEN value ELSE '' END AS value,
                    CASE WHEN is_kept THEN variant_key ELSE '' END AS variant_key
             FROM counted
         )
         SELECT $1::uuid, $3::integer, $4::timestamptz, env_id, flag_key, reason, value, variant_key,
                least(sum(count), 9223372036854775807)::bigint
         FROM kept
         GROUP BY env_id, flag_key, reason, value, variant_key
         ON CONFLICT ON CONSTRAINT evaluation_series_pkey DO UPDATE SET count = excluded.count",
        org_id as OrgId,
        from.seconds(),
        into.seconds(),
        start,
        start + into.length(),
        MAX_ROWS,
        OTHER,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes at most `limit` folded rows that began before a time; returns their number.
pub(in crate::usage) async fn delete_older(
    conn: &mut PgConnection,
    org_id: OrgId,
    step: Step,
    before: OffsetDateTime,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM evaluation_series
         WHERE org_id = $1 AND ctid = ANY(ARRAY(
             SELECT s.ctid
             FROM evaluation_series s
             JOIN usage_windows w ON w.org_id = s.org_id
             WHERE s.org_id = $1 AND s.step = $2 AND s.starts_at < $3
                 AND s.starts_at < coalesce(
                     CASE s.step WHEN 60 THEN w.hours_folded_to WHEN 3600 THEN w.days_folded_to ELSE 'infinity' END,
                     '-infinity')
             LIMIT $4
         ))",
        org_id as OrgId,
        step.seconds(),
        before,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}

/// Removed environments that still have series, with their organizations. Looks each environment up once, however many rows it
/// has. Not tenant-scoped: the environments are gone.
pub(in crate::usage) async fn removed_environments(
    conn: &mut PgConnection,
) -> db::Result<Vec<Removed>> {
    Ok(sqlx::query_as!(
        Removed,
        r#"WITH RECURSIVE counted AS (
               (SELECT env_id, org_id FROM evaluation_series ORDER BY env_id LIMIT 1)
               UNION ALL
               SELECT next.env_id, next.org_id
               FROM counted
               CROSS JOIN LATERAL (
                   SELECT s.env_id, s.org_id
                   FROM evaluation_series s
                   WHERE s.env_id > counted.env_id
                   ORDER BY s.env_id
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

/// Deletes at most `limit` rows of an environment, or of all; returns their number.
pub(in crate::usage) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    env_id: Option<EnvId>,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM evaluation_series
         WHERE org_id = $1 AND ctid = ANY(ARRAY(
             SELECT ctid FROM evaluation_series WHERE org_id = $1 AND ($2::uuid IS NULL OR env_id = $2) LIMIT $3
         ))",
        org_id as OrgId,
        env_id as Option<EnvId>,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
