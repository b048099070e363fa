//! SQL of the defaults that callers told.

use sqlx::PgConnection;
use time::{Date, OffsetDateTime};

use crate::usage::{
    defaults::Counts,
    model::{DefaultsFilter, ToldDefault},
    series::shown_value,
};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// The most that one answer shows.
const SHOWN: i64 = 500;

/// Adds to the counts of today, and begins others up to `bound` of the organization. Returns how many of them are stored.
pub(in crate::usage) async fn add(
    conn: &mut PgConnection,
    org_id: OrgId,
    counts: &Counts,
    bound: i64,
    now: OffsetDateTime,
) -> db::Result<usize> {
    let env_ids: Vec<EnvId> = counts.keys().map(|key| key.env_id).collect();
    let flag_keys: Vec<String> = counts.keys().map(|key| key.flag_key.clone()).collect();
    let services: Vec<String> = counts.keys().map(|key| key.service.clone()).collect();
    let values: Vec<String> = counts.keys().map(|key| key.value.clone()).collect();
    let answers: Vec<i64> = counts.values().map(|count| count.answers).collect();
    let differing: Vec<i64> = counts.values().map(|count| count.differing).collect();
    let stored = sqlx::query!(
        r#"WITH told AS (
               SELECT *
               FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[])
                   AS told (env_id, flag_key, service, value, answers, differing)
           ), known AS (
               SELECT t.env_id, t.flag_key, t.service, t.value
               FROM told t
               JOIN told_defaults d USING (env_id, flag_key, service, value)
               WHERE d.day = $8
           ), allowed AS (
               SELECT t.*
               FROM told t
               JOIN known USING (env_id, flag_key, service, value)
               UNION ALL (
                   SELECT t.*
                   FROM told t
                   LEFT JOIN known k USING (env_id, flag_key, service, value)
                   WHERE k.env_id IS NULL
                   LIMIT greatest($10 - (SELECT COUNT(*) FROM told_defaults WHERE org_id = $1 AND day = $8), 0)
               )
           )
           INSERT INTO told_defaults (org_id, env_id, day, flag_key, service, value, answers, differing, last_told_at)
           SELECT $1, env_id, $8, flag_key, service, value, answers, differing, $9
           FROM allowed
           ON CONFLICT ON CONSTRAINT told_defaults_pkey
           DO UPDATE SET answers = told_defaults.answers + excluded.answers,
                         differing = told_defaults.differing + excluded.differing,
                         last_told_at = greatest(told_defaults.last_told_at, excluded.last_told_at)"#,
        org_id as OrgId,
        &env_ids as &[EnvId],
        &flag_keys,
        &services,
        &values,
        &answers,
        &differing,
        now.date(),
        now,
        bound,
    )
    .execute(conn)
    .await?;
    Ok(usize::try_from(stored.rows_affected()).unwrap_or(usize::MAX))
}

/// Those of existing flags, with the most answers that differ first, and how many there are.
pub(in crate::usage) async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &DefaultsFilter,
    since: Date,
) -> db::Result<(Vec<ToldDefault>, i64)> {
    let rows = sqlx::query!(
        r#"WITH sums AS (
               SELECT env_id, flag_key, service, value,
                      sum(answers)::bigint AS answers, sum(differing)::bigint AS differing, max(last_told_at) AS last_told_at
               FROM told_defaults
               WHERE org_id = $1 AND day >= $5
                   AND env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $2)
                   AND ($3::uuid IS NULL OR env_id = $3)
                   AND ($4::text IS NULL OR flag_key = $4)
                   AND flag_key IN (SELECT key FROM flags WHERE org_id = $1 AND project_id = $2 AND archived_at IS NULL)
               GROUP BY env_id, flag_key, service, value
           )
           SELECT env_id AS "env_id: EnvId", flag_key, service, value, answers AS "answers!", differing AS "differing!",
                  last_told_at AS "last_told_at!",
                  min(value) OVER of_flag <> max(value) OVER of_flag AS "disagrees!",
                  COUNT(*) OVER () AS "total!"
           FROM sums
           WINDOW of_flag AS (PARTITION BY env_id, flag_key)
           ORDER BY differing DESC, flag_key, env_id, service, value
           LIMIT $6"#,
        org_id as OrgId,
        project_id as ProjectId,
        filter.env_id as Option<EnvId>,
        filter.flag_key,
        since,
        SHOWN,
    )
    .fetch_all(conn)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    let told = rows.into_iter().map(|row| {
        let (value, value_digest) = shown_value(&row.value);
        ToldDefault {
            flag_key: row.flag_key,
            env_id: row.env_id,
            service: row.service,
            value,
            value_digest,
            answers: row.answers,
            differing: row.differing,
            disagrees: row.disagrees,
            last_told_at: row.last_told_at,
        }
    });
    Ok((told.collect(), total))
}

/// Deletes some of before a day; how many. Not tenant-scoped: the job covers all.
pub(in crate::usage) async fn delete_older(
    conn: &mut PgConnection,
    until: Date,
    limit: i64,
) -> db::Result<u64> {
    let deleted = sqlx::query!(
        "DELETE FROM told_defaults
         WHERE ctid IN (SELECT ctid FROM told_defaults WHERE day < $1 LIMIT $2)",
        until,
        limit,
    )
    .execute(conn)
    .await?;
    Ok(deleted.rows_affected())
}
