//! The impressions of an organization, in order of receipt. Written while its window is locked.

use protocol::wire::usage::Impression;
use sqlx::PgConnection;

use crate::{
    db,
    ids::{EnvId, OrgId},
    usage::model::{AggregatedImpression, RawImpression},
};

/// Inserts impressions and returns their number.
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

/// Deletes the oldest `count` and returns how many there were.
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

/// How often each variant was shown, by flag key and variant key.
pub(in crate::usage) async fn aggregate(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Vec<AggregatedImpression>> {
    Ok(sqlx::query_as!(
        AggregatedImpression,
        r#"SELECT flag_key, variant_key, COUNT(*) AS "count!"
           FROM impressions
           WHERE org_id = $1
           GROUP BY flag_key, variant_key
           ORDER BY flag_key, variant_key"#,
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}

/// Takes all impressions, oldest first.
pub(in crate::usage) async fn take(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Vec<RawImpression>> {
    Ok(sqlx::query_as!(
        RawImpression,
        r#"WITH taken AS (
               DELETE FROM impressions
               WHERE org_id = $1
               RETURNING received_ms, id, flag_key, variant_key, user_key
           )
           SELECT flag_key, variant_key, user_key, received_ms AS timestamp
           FROM taken
           ORDER BY received_ms, id"#,
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}
