//! Series as a report shows them.

use sqlx::PgConnection;

use crate::usage::{input::Span, model::Filter};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// A series; what it is not told apart by is `None`.
pub(in crate::usage) struct Read {
    pub(in crate::usage) flag_key: Option<String>,
    pub(in crate::usage) env_id: Option<EnvId>,
    pub(in crate::usage) reason: Option<String>,
    pub(in crate::usage) value: Option<String>,
    pub(in crate::usage) variant_key: Option<String>,
    pub(in crate::usage) points: Vec<(i64, i64)>,
}

/// The series that are not read.
#[derive(Default)]
pub(in crate::usage) struct Rest {
    /// How many there are, with those that are read.
    pub(in crate::usage) all_series: i64,
    pub(in crate::usage) points: Vec<(i64, i64)>,
    /// Rows that were added up, at most one more than [`MAX_ROWS`].
    pub(in crate::usage) rows: i64,
}

/// Rows that one report adds up.
pub(in crate::usage) const MAX_ROWS: i64 = 600_000;

/// The 50 most frequent series, in that order. Each step combines folded rows with unfolded rows of smaller steps.
pub(in crate::usage) async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    span: &Span,
) -> db::Result<(Vec<Read>, Rest)> {
    let by = span.by;
    let rows = sqlx::query!(
        r#"WITH folded AS (
               SELECT coalesce(max(hours_folded_to), '-infinity') AS hours,
                      coalesce(max(days_folded_to), '-infinity') AS days
               FROM usage_windows
               WHERE org_id = $1
           ), rows AS (
               SELECT s.*
               FROM evaluation_series s
               WHERE s.org_id = $1 AND s.step = 60 AND s.starts_at >= $3 AND s.starts_at < $4
                   AND ($2::bigint = 60 OR s.starts_at >= (SELECT hours FROM folded))
                   AND ($5::text IS NULL OR s.flag_key = $5)
               UNION ALL
               SELECT s.*
               FROM evaluation_series s
               WHERE s.org_id = $1 AND s.step = 3600 AND s.starts_at >= $3 AND s.starts_at < $4
                   AND ($2 = 3600 OR $2 = 86400 AND s.starts_at >= (SELECT days FROM folded))
                   AND ($5 IS NULL OR s.flag_key = $5)
               UNION ALL
               SELECT s.*
               FROM evaluation_series s
               WHERE s.org_id = $1 AND s.step = 86400 AND s.starts_at >= $3 AND s.starts_at < $4
                   AND $2 = 86400
                   AND ($5 IS NULL OR s.flag_key = $5)
           ), asked AS (
               SELECT *
               FROM rows
               WHERE ($6::uuid IS NULL OR env_id = $6)
                   AND ($7::uuid IS NULL
                        OR env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $7))
               LIMIT $14::bigint + 1
           ), points AS (
               SELECT CASE WHEN $9::boolean THEN env_id END AS env_id,
                      CASE WHEN $10::boolean THEN flag_key END AS flag_key,
                      CASE WHEN $11::boolean THEN reason END AS reason,
                      CASE WHEN $12::boolean THEN value END AS value,
                      CASE WHEN $13::boolean THEN variant_key END AS variant_key,
                      extract(epoch FROM starts_at)::bigint / $2 * $2 AS point, sum(count) AS count,
                      count(*) AS rows
               FROM asked
               GROUP BY 1, 2, 3, 4, 5, 6
           ), series AS (
               SELECT env_id, flag_key, reason, value, variant_key, sum(rows) AS rows,
                      row_number() OVER (ORDER BY sum(count) DESC, flag_key, env_id, reason, value, variant_key) AS place,
                      array_agg(point ORDER BY point) AS points,
                      array_agg(least(count, 9223372036854775807)::bigint ORDER BY point) AS counts
               FROM points
               GROUP BY 1, 2, 3, 4, 5
           ), rest AS (
               SELECT point, least(sum(count), 9223372036854775807)::bigint AS count
               FROM series, unnest(points, counts) AS left_out (point, count)
               WHERE place > $8
               GROUP BY point
           )
           SELECT env_id AS "env_id: EnvId", flag_key, reason, value, variant_key, points AS "points!", counts AS "counts!",
                  CASE WHEN place = 1 THEN (SELECT COUNT(*) FROM series) END AS all_series,
                  CASE WHEN place = 1 THEN (SELECT sum(rows) FROM series)::bigint END AS all_rows,
                  CASE WHEN place = 1 THEN (SELECT array_agg(point ORDER BY point) FROM rest) END AS rest_points,
                  CASE WHEN place = 1 THEN (SELECT array_agg(count ORDER BY point) FROM rest) END AS rest_counts
           FROM series
           WHERE place <= $8
           ORDER BY place"#,
        org_id as OrgId,
        i64::from(span.step.seconds()),
        span.from,
        span.to,
        filter.flag_key,
        filter.env_id as Option<EnvId>,
        filter.project_id as Option<ProjectId>,
        50_i64,
        by.env_id,
        by.flag_key,
        by.reason,
        by.value,
        by.variant_key,
        MAX_ROWS,
    )
    .fetch_all(conn)
    .await?;
    let mut rest = Rest::default();
    let mut read = Vec::with_capacity(rows.len());
    for row in rows {
        if let Some(all_series) = row.all_series {
            let (points, counts) = (row.rest_points, row.rest_counts);
            let points = points.unwrap_or_default().into_iter();
            rest.points = points.zip(counts.unwrap_or_default()).collect();
            rest.all_series = all_series;
            rest.rows = row.all_rows.unwrap_or_default();
        }
        read.push(Read {
            flag_key: row.flag_key,
            env_id: row.env_id,
            reason: row.reason,
            value: row.value,
            variant_key: row.variant_key,
            points: row.points.into_iter().zip(row.counts).collect(),
        });
    }
    Ok((read, rest))
}
