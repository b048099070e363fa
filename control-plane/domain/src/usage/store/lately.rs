//! Recent counts of several organizations at once.

use std::collections::BTreeMap;

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::usage::lately::FirstEvaluation;
use base::{
    db,
    ids::{EnvId, OrgId},
};

pub(in crate::usage) async fn count_since(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
    since: OffsetDateTime,
) -> db::Result<Vec<(OrgId, OffsetDateTime, i64)>> {
    let rows = sqlx::query!(
        r#"SELECT org_id AS "org_id: OrgId", starts_at,
                  least(sum(count), 9223372036854775807)::bigint AS "count!"
           FROM evaluation_series
           WHERE org_id = ANY($1) AND step = 60 AND starts_at >= $2
           GROUP BY org_id, starts_at"#,
        org_ids as &[OrgId],
        since,
    )
    .fetch_all(conn)
    .await?;
    let counts = rows.into_iter();
    Ok(counts
        .map(|row| (row.org_id, row.starts_at, row.count))
        .collect())
}

pub(in crate::usage) async fn first(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<BTreeMap<OrgId, FirstEvaluation>> {
    let rows = sqlx::query!(
        r#"SELECT DISTINCT ON (org_id) org_id AS "org_id: OrgId", flag_key, env_id AS "env_id: EnvId", first_seen_at
           FROM evaluation_counters
           WHERE org_id = ANY($1) AND reason <> 'NOT_FOUND'
           ORDER BY org_id, first_seen_at, flag_key, env_id"#,
        org_ids as &[OrgId],
    )
    .fetch_all(conn)
    .await?;
    let firsts = rows.into_iter().map(|row| {
        let first = FirstEvaluation {
            flag_key: row.flag_key,
            env_id: row.env_id,
            at: row.first_seen_at,
        };
        (row.org_id, first)
    });
    Ok(firsts.collect())
}
