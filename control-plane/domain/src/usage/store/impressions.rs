//! The impressions of an organization, in order of receipt. Written while its window is locked.

use protocol::wire::usage::Impression;
use sqlx::PgConnection;

use crate::usage::model::{AggregatedImpression, Filter, Part, RawImpression};
use base::{
    db,
    ids::{EnvId, OrgId, ProjectId},
};

pub(in crate::usage) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    impressions: &[Impression],
) -> db::Result<i64> {
    let env_ids: Vec<EnvId> = impressions
        .iter()
        .map(|shown| shown.env_id.into())
        .collect();
    let texts = |text: fn(&Impression) -> &String| -> Vec<String> {
        impressions
            .iter()
            .map(|shown| text(shown).clone())
            .collect()
    };
    let times: Vec<i64> = impressions.iter().map(|shown| shown.at_ms).collect();
    let inserted = sqlx::query!(
        "INSERT INTO impressions (org_id, received_ms, env_id, flag_key, variant_key, user_key)
         SELECT $1, received_ms, env_id, flag_key, variant_key, user_key
         FROM unnest($2::bigint[], $3::uuid[], $4::text[], $5::text[], $6::text[])
             WITH ORDINALITY AS shown (received_ms, env_id, flag_key, variant_key, user_key, place)
         ORDER BY place",
        org_id as OrgId,
        &times,
        &env_ids as &[EnvId],
        &texts(|shown| &shown.flag_key),
        &texts(|shown| &shown.variant_key),
        &texts(|shown| &shown.user_key),
    )
    .execute(conn)
    .await?;
    Ok(i64::try_from(inserted.rows_affected()).unwrap_or(i64::MAX))
}

/// Deletes the oldest `count` and returns the actual number.
pub(in crate::usage) async fn delete_oldest(
    conn: &mut PgConnection,
    org_id: OrgId,
    count: i64,
) -> db::Result<i64> {
    let deleted = sqlx::query!(
        "DELETE FROM impressions
         WHERE org_id = $1 AND (received_ms, id) IN (
             SELECT received_ms, id
             FROM impressions
             WHERE org_id = $1
             ORDER BY received_ms, id
             LIMIT $2
         )",
        org_id as OrgId,
        count,
    )
    .execute(conn)
    .await?;
    Ok(i64::try_from(deleted.rows_affected()).unwrap_or(i64::MAX))
}

/// Counts of each variant shown, by flag key and variant key, that match the filter: after the first `offset`, limited by
/// number and by bytes of keys in JSON, but at least one.
pub async fn aggregate(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    part: Part,
) -> db::Result<Vec<AggregatedImpression>> {
    Ok(sqlx::query_as!(
        AggregatedImpression,
        r#"WITH counted AS (
               SELECT flag_key, variant_key, COUNT(*) AS count
               FROM impressions
               WHERE org_id = $1
                   AND ($5::text IS NULL OR flag_key = $5)
                   AND ($6::uuid IS NULL OR env_id = $6)
                   AND ($7::uuid IS NULL
                        OR env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $7))
               GROUP BY flag_key, variant_key
               ORDER BY flag_key, variant_key
               LIMIT $2 OFFSET $3
           ), measured AS (
               SELECT *, octet_length(to_json(flag_key)::text) + octet_length(to_json(variant_key)::text) AS bytes
               FROM counted
           ), placed AS (
               SELECT *, sum(bytes) OVER (ORDER BY flag_key, variant_key) - bytes AS bytes_before FROM measured
           )
           SELECT flag_key, variant_key, count AS "count!"
           FROM placed
           WHERE bytes_before < $4::bigint
           ORDER BY flag_key, variant_key"#,
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

pub async fn count_aggregated(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COUNT(*) AS "count!" FROM (
               SELECT DISTINCT flag_key, variant_key
               FROM impressions
               WHERE org_id = $1
                   AND ($2::text IS NULL OR flag_key = $2)
                   AND ($3::uuid IS NULL OR env_id = $3)
                   AND ($4::uuid IS NULL
                        OR env_id IN (SELECT id FROM environments WHERE org_id = $1 AND project_id = $4))
           ) AS kept"#,
        org_id as OrgId,
        filter.flag_key,
        filter.env_id as Option<EnvId>,
        filter.project_id as Option<ProjectId>,
    )
    .fetch_one(conn)
    .await?)
}

/// The highest id and the number of impressions; `None` if there are none. Later ones have higher ids, since the window is
/// locked.
pub(in crate::usage) async fn newest(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Option<(i64, i64)>> {
    let row = sqlx::query!(
        r#"SELECT max(id) AS through, COUNT(*) AS "count!" FROM impressions WHERE org_id = $1"#,
        org_id as OrgId,
    )
    .fetch_one(conn)
    .await?;
    Ok(row.through.map(|through| (through, row.count)))
}

pub(in crate::usage) struct Read {
    pub(in crate::usage) id: i64,
    pub(in crate::usage) impression: RawImpression,
}

/// Impressions after `last`, in the order of receipt, with ids up to `through`: limited by number and by bytes of their texts
/// in JSON, but at least one.
pub(in crate::usage) async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    through: i64,
    last: Option<(i64, i64)>,
    (limit, bytes): (i64, i64),
) -> db::Result<Vec<Read>> {
    let (received_ms, id) = last.unwrap_or((i64::MIN, i64::MIN));
    let rows = sqlx::query!(
        "WITH next AS (
             SELECT received_ms, id, flag_key, variant_key, user_key,
                    octet_length(to_json(flag_key)::text) + octet_length(to_json(variant_key)::text)
                        + octet_length(to_json(user_key)::text) AS bytes
             FROM impressions
             WHERE org_id = $1 AND id <= $2 AND (received_ms, id) > ($3, $4)
             ORDER BY received_ms, id
             LIMIT $5
         ), measured AS (
             SELECT *, sum(bytes) OVER (ORDER BY received_ms, id) - bytes AS bytes_before FROM next
         )
         SELECT received_ms, id, flag_key, variant_key, user_key
         FROM measured
         WHERE bytes_before < $6::bigint
         ORDER BY received_ms, id",
        org_id as OrgId,
        through,
        received_ms,
        id,
        limit,
        bytes,
    )
    .fetch_all(conn)
    .await?;
    let read = rows.into_iter().map(|row| Read {
        id: row.id,
        impression: RawImpression {
            flag_key: row.flag_key,
            variant_key: row.variant_key,
            user_key: row.user_key,
            timestamp: row.received_ms,
        },
    });
    Ok(read.collect())
}

/// Deletes impressions with ids up to `through`; returns their number.
pub(in crate::usage) async fn delete(
    conn: &mut PgConnection,
    org_id: OrgId,
    through: i64,
) -> db::Result<i64> {
    let deleted = sqlx::query!(
        "DELETE FROM impressions WHERE org_id = $1 AND id <= $2",
        org_id as OrgId,
        through,
    )
    .execute(conn)
    .await?;
    Ok(i64::try_from(deleted.rows_affected()).unwrap_or(i64::MAX))
}
