//! SQL of comparisons.

use serving::page::Page;
use sqlx::PgConnection;

use super::model::Flag;
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

/// Bytes of states that a page has, beyond those of its first flag.
const PAGE_BYTES: i64 = 4 << 20;

/// A page of the flags whose states differ, and their total. What was never stored is off, with nothing set.
pub(super) async fn differing(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    (from, to): (EnvId, EnvId),
    page: Page,
) -> db::Result<(Vec<Flag>, i64)> {
    let rows = sqlx::query!(
        r#"WITH compared AS (
               SELECT f.id, f.key, f.name,
                      coalesce(a.compiled_bytes, 0)::bigint + coalesce(b.compiled_bytes, 0) AS bytes,
                      array_remove(ARRAY[
                          CASE WHEN coalesce(a.enabled, false) <> coalesce(b.enabled, false) THEN 'enabled' END,
                          CASE WHEN a.default_value IS DISTINCT FROM b.default_value THEN 'default_value' END,
                          CASE WHEN coalesce(a.rules, '[]') <> coalesce(b.rules, '[]')
                              -- Equal rules that were stored apart have other ids.
                              AND (SELECT jsonb_agg(one.rule - 'id' ORDER BY one.place)
                                   FROM jsonb_array_elements(a.rules) WITH ORDINALITY AS one (rule, place))
                                  IS DISTINCT FROM
                                  (SELECT jsonb_agg(one.rule - 'id' ORDER BY one.place)
                                   FROM jsonb_array_elements(b.rules) WITH ORDINALITY AS one (rule, place))
                              THEN 'rules' END,
                          CASE WHEN a.percentage_rollout IS DISTINCT FROM b.percentage_rollout THEN 'percentage_rollout' END,
                          CASE WHEN coalesce(a.variants, '[]') <> coalesce(b.variants, '[]') THEN 'variants' END,
                          CASE WHEN a.bucketing IS DISTINCT FROM b.bucketing THEN 'bucketing' END,
                          CASE WHEN a.scheduled_enable_at IS DISTINCT FROM b.scheduled_enable_at
                              THEN 'scheduled_enable_at' END,
                          CASE WHEN a.scheduled_disable_at IS DISTINCT FROM b.scheduled_disable_at
                              THEN 'scheduled_disable_at' END
                      ], NULL) AS differs
               FROM flags f
               LEFT JOIN flag_states a ON a.flag_id = f.id AND a.env_id = $3
               LEFT JOIN flag_states b ON b.flag_id = f.id AND b.env_id = $4
               WHERE f.org_id = $1 AND f.project_id = $2 AND f.archived_at IS NULL
           ), differing AS MATERIALIZED (
               SELECT * FROM compared WHERE differs <> '{}'
           ), page AS (
               SELECT *, sum(bytes) OVER (ORDER BY key ROWS UNBOUNDED PRECEDING) - bytes AS before
               FROM (SELECT * FROM differing ORDER BY key LIMIT $5 OFFSET $6) AS asked
           )
           SELECT p.id AS "id?: base::ids::FlagId", p.key AS "key?", p.name AS "name?", p.differs AS "differs?",
                  counted.total AS "total!"
           FROM (SELECT count(*) AS total FROM differing) AS counted
           LEFT JOIN page p ON p.before < $7::bigint
           ORDER BY p.key"#,
        org_id as OrgId,
        project_id as ProjectId,
        from as EnvId,
        to as EnvId,
        page.limit,
        page.offset,
        PAGE_BYTES,
    )
    .fetch_all(conn)
    .await?;
    let total = rows.first().map_or(0, |row| row.total);
    let flags = rows.into_iter().filter_map(|row| {
        Some(Flag {
            id: row.id?,
            key: row.key?,
            name: row.name?,
            differs: row.differs?,
        })
    });
    Ok((flags.collect(), total))
}
