//! SQL of stale flags: all reasons of a project in one query, whose cost is bounded by its flags and by the series of an
//! organization.

use serde::Deserialize;
use serving::page::Page;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::{
    input::StaleFilter,
    model::{Cause, StaleFlag, StaleReason},
};
use crate::{
    flags::model::FlagType,
    usage::{model::OTHER, series::shown_value},
};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId},
};

pub(super) struct Found {
    pub(super) flags: Vec<StaleFlag>,
    pub(super) total: i64,
    pub(super) undistinguished: Vec<EnvId>,
}

#[derive(Clone, Copy)]
pub(super) struct Since {
    pub(super) unused: OffsetDateTime,
    /// The day of that time: the oldest row of a day that is looked at.
    pub(super) day: OffsetDateTime,
}

#[derive(Debug, Deserialize)]
struct Stored {
    reason: Cause,
    everywhere: bool,
    env_ids: Vec<EnvId>,
    value: Option<String>,
    /// In seconds of Unix time.
    since: Option<i64>,
}

pub(super) async fn list(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &StaleFilter,
    page: Page,
    since: Since,
) -> db::Result<Found> {
    let rows = sqlx::query!(
        r#"WITH places AS (
               SELECT id, created_at FROM environments WHERE org_id = $1 AND project_id = $2
           ), folded AS (
               SELECT coalesce(max(hours_folded_to), '-infinity') AS hours,
                      coalesce(max(days_folded_to), '-infinity') AS days
               FROM usage_windows
               WHERE org_id = $1
           ), rows AS (
               SELECT env_id, flag_key, reason, value FROM evaluation_series
               WHERE org_id = $1 AND step = 86400 AND starts_at >= $4
               UNION ALL
               SELECT env_id, flag_key, reason, value FROM evaluation_series
               WHERE org_id = $1 AND step = 3600 AND starts_at >= $4 AND starts_at >= (SELECT days FROM folded)
               UNION ALL
               SELECT env_id, flag_key, reason, value FROM evaluation_series
               WHERE org_id = $1 AND step = 60 AND starts_at >= $4 AND starts_at >= (SELECT hours FROM folded)
           ), answered AS (
               SELECT env_id, flag_key, min(value) AS value, max(value) AS other,
                      count(*) OVER (PARTITION BY flag_key) AS places
               FROM rows
               WHERE reason <> 'NOT_FOUND' AND env_id IN (SELECT id FROM places)
               GROUP BY env_id, flag_key
           ), shared AS (
               SELECT env_id FROM answered WHERE flag_key = $5
           ), old AS (
               SELECT id, key, created_at, updated_at,
                      prerequisites = '{}' AND mutual_exclusion_group = '' AS is_for_all
               FROM flags
               WHERE org_id = $1 AND project_id = $2 AND archived_at IS NULL AND NOT permanent AND created_at < $3
           ), states AS (
               SELECT s.flag_id, s.env_id, s.updated_at,
                      s.enabled AND jsonb_array_length(s.rules) = 0 AND jsonb_array_length(s.variants) <= 1
                          AND coalesce(s.percentage_rollout, 10000) = 10000
                          AND s.scheduled_enable_at IS NULL AND s.scheduled_disable_at IS NULL AS is_full,
                      s.enabled OR s.scheduled_enable_at IS NOT NULL OR s.updated_at >= $3 AS is_on
               FROM flag_states s
               WHERE s.org_id = $1 AND s.env_id IN (SELECT id FROM places)
           ), asked AS (
               SELECT c.flag_key, max(c.last_seen_at) AS at
               FROM evaluation_counters c
               WHERE c.org_id = $1 AND c.reason <> 'NOT_FOUND' AND c.env_id IN (SELECT id FROM places)
               GROUP BY c.flag_key
           ), single AS (
               SELECT old.id AS flag_id, a.env_id, a.value, a.places
               FROM old
               JOIN answered a ON a.flag_key = old.key COLLATE "C"
               LEFT JOIN states s ON s.flag_id = old.id AND s.env_id = a.env_id
               WHERE a.value = a.other AND a.value <> '' AND a.env_id NOT IN (SELECT env_id FROM shared)
                   AND coalesce(s.updated_at < $3, TRUE)
                   AND EXISTS (
                       SELECT FROM evaluation_series e
                       WHERE e.org_id = $1 AND e.flag_key = a.flag_key AND e.env_id = a.env_id
                           AND e.step IN (60, 3600, 86400) AND e.starts_at <= $3)
           ), reasons AS (
               SELECT old.id AS flag_id, 'not_evaluated' AS reason, TRUE AS everywhere,
                      ARRAY(SELECT id FROM places ORDER BY created_at, id) AS env_ids, NULL AS value, asked.at AS since
               FROM old
               LEFT JOIN asked ON asked.flag_key = old.key COLLATE "C"
               WHERE old.updated_at < $3 AND coalesce(asked.at < $3, TRUE)
                   AND NOT EXISTS (SELECT FROM answered a WHERE a.flag_key = old.key COLLATE "C")
                   AND NOT EXISTS (SELECT FROM states s WHERE s.flag_id = old.id AND s.updated_at >= $3)
               UNION ALL
               SELECT single.flag_id, 'one_value', count(*) = max(single.places),
                      array_agg(places.id ORDER BY places.created_at, places.id), single.value, $3
               FROM single
               JOIN places ON places.id = single.env_id
               GROUP BY single.flag_id, single.value
               UNION ALL
               SELECT old.id, 'fully_on', count(*) = (SELECT count(*) FROM places),
                      array_agg(places.id ORDER BY places.created_at, places.id), NULL, max(s.updated_at)
               FROM old
               JOIN states s ON s.flag_id = old.id AND s.is_full AND s.updated_at < $3
               JOIN places ON places.id = s.env_id
               WHERE old.is_for_all
               GROUP BY old.id
               UNION ALL
               SELECT old.id, 'fully_off', TRUE, ARRAY(SELECT id FROM places ORDER BY created_at, id), NULL,
                      (SELECT max(s.updated_at) FROM states s WHERE s.flag_id = old.id)
               FROM old
               WHERE EXISTS (SELECT FROM places)
                   AND NOT EXISTS (SELECT FROM states s WHERE s.flag_id = old.id AND s.is_on)
           ), wanted AS (
               SELECT * FROM reasons
               WHERE ($6::text IS NULL OR reason = $6) AND ($7::uuid IS NULL OR $7 = ANY (env_ids))
           ), page AS (
               SELECT f.id, f.key, f.name, f.flag_type, f.created_at, bool_or(w.everywhere) AS everywhere
               FROM wanted w
               JOIN flags f ON f.id = w.flag_id
               GROUP BY f.id
               ORDER BY bool_or(w.everywhere) DESC, f.key
               LIMIT $8 OFFSET $9
           )
           SELECT counted.total AS "total!", ARRAY(SELECT env_id FROM shared) AS "undistinguished!: Vec<EnvId>",
                  page.id AS "id?: FlagId", page.key AS "key?", page.name AS "name?", page.flag_type AS "flag_type?: FlagType",
                  page.created_at AS "created_at?",
                  CASE WHEN EXISTS (SELECT FROM repositories WHERE org_id = $1 AND project_id = $2) THEN (
                      SELECT count(*) FROM code_references c
                      WHERE c.org_id = $1 AND c.project_id = $2 AND c.flag_key = page.key
                  ) END AS reference_count,
                  date_trunc('minute', asked.at) AS last_evaluated_at,
                  (SELECT jsonb_agg(jsonb_build_object(
                              'reason', w.reason, 'everywhere', w.everywhere, 'env_ids', to_jsonb(w.env_ids), 'value', w.value,
                              'since', extract(epoch FROM w.since)::bigint
                          ) ORDER BY w.everywhere DESC, w.reason, w.value)
                   FROM wanted w
                   WHERE w.flag_id = page.id) AS "reasons?: Json<Vec<Stored>>"
           FROM (SELECT count(DISTINCT flag_id) AS total FROM wanted) counted
           LEFT JOIN page ON TRUE
           LEFT JOIN asked ON asked.flag_key = page.key COLLATE "C"
           ORDER BY page.everywhere DESC, page.key"#,
        org_id as OrgId,
        project_id as ProjectId,
        since.unused,
        since.day,
        OTHER,
        filter.reason.map(Cause::as_str),
        filter.env_id as Option<EnvId>,
        page.limit,
        page.offset,
    )
    .fetch_all(conn)
    .await?;
    let mut found = Found {
        flags: Vec::with_capacity(rows.len()),
        total: 0,
        undistinguished: Vec::new(),
    };
    for row in rows {
        found.total = row.total;
        found.undistinguished = row.undistinguished;
        // A page without flags has one row, for the total.
        let (Some(id), Some(key), Some(name)) = (row.id, row.key, row.name) else {
            continue;
        };
        let (Some(flag_type), Some(created_at), Some(Json(reasons))) =
            (row.flag_type, row.created_at, row.reasons)
        else {
            continue;
        };
        found.flags.push(StaleFlag {
            id,
            key,
            name,
            flag_type,
            created_at,
            last_evaluated_at: row.last_evaluated_at,
            reference_count: row.reference_count,
            reasons: reasons.into_iter().map(shape).collect(),
        });
    }
    Ok(found)
}

fn shape(stored: Stored) -> StaleReason {
    let (value, value_digest) = shown_value(stored.value.as_deref().unwrap_or_default());
    let since = stored.since.map(OffsetDateTime::from_unix_timestamp);
    StaleReason {
        reason: stored.reason,
        everywhere: stored.everywhere,
        env_ids: stored.env_ids,
        value,
        value_digest,
        since: since.and_then(Result::ok),
    }
}
