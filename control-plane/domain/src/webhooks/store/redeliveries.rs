//! SQL of deliveries that are made again.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::events::store::MAX_BYTES;
use base::{
    db,
    ids::{OrgId, WebhookDeliveryId, WebhookId},
};

pub(crate) struct Found {
    pub has_contents: bool,
    /// Whether it waits to be made again.
    pub is_repeated: bool,
}

pub(crate) async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    delivery_id: WebhookDeliveryId,
) -> db::Result<Option<Found>> {
    Ok(sqlx::query_as!(
        Found,
        r#"SELECT EXISTS (
                   SELECT FROM webhook_contents AS stored WHERE stored.org_id = $1 AND stored.position = made.position
               ) AS "has_contents!",
               (EXISTS (
                   SELECT FROM webhook_events WHERE org_id = $1 AND webhook_id = $2 AND redelivery_of = made.id
               ) OR EXISTS (
                   SELECT FROM webhook_queue WHERE webhook_id = $2 AND redelivery_of = made.id
               )) AS "is_repeated!"
           FROM webhook_deliveries AS made
           WHERE org_id = $1 AND webhook_id = $2 AND id = $3"#,
        org_id as OrgId,
        id as WebhookId,
        delivery_id as WebhookDeliveryId,
    )
    .fetch_optional(conn)
    .await?)
}

/// The failed deliveries since a time whose body is kept, and which were not made again, oldest first.
pub(crate) async fn list_failed(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    since: OffsetDateTime,
) -> db::Result<Vec<WebhookDeliveryId>> {
    Ok(sqlx::query_scalar!(
        "WITH repeated AS MATERIALIZED (
             SELECT redelivery_of FROM webhook_events WHERE org_id = $1 AND webhook_id = $2
             UNION ALL
             SELECT redelivery_of FROM webhook_queue WHERE webhook_id = $2
             UNION ALL
             SELECT redelivery_of FROM webhook_deliveries WHERE org_id = $1 AND webhook_id = $2
         )
         SELECT made.id
         FROM webhook_deliveries AS made
         JOIN webhook_contents AS stored ON stored.org_id = made.org_id AND stored.position = made.position
         WHERE made.org_id = $1
             AND made.webhook_id = $2
             AND NOT made.success
             AND made.delivered_at >= $3
             AND NOT EXISTS (SELECT FROM repeated WHERE redelivery_of = made.id)
         ORDER BY made.position, made.id",
        org_id as OrgId,
        id as WebhookId,
        since,
    )
    .fetch_all(conn)
    .await?)
}

/// The events that wait for a webhook alone: in its queue, and those not distributed yet.
pub(crate) async fn count_waiting(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
) -> db::Result<i64> {
    Ok(sqlx::query_scalar!(
        r#"SELECT (SELECT pending FROM webhook_lanes WHERE org_id = $1 AND webhook_id = $2)
                  + (SELECT COUNT(*) FROM webhook_events WHERE org_id = $1 AND webhook_id = $2) AS "waiting!""#,
        org_id as OrgId,
        id as WebhookId,
    )
    .fetch_one(conn)
    .await?)
}

/// Appends the events of deliveries for their webhook, with copies of the contents, in the order of the events; returns how many.
/// None if the organization's contents would exceed their bound.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    deliveries: &[WebhookDeliveryId],
) -> db::Result<u64> {
    let inserted = sqlx::query!(
        "WITH owed AS MATERIALIZED (
             SELECT made.id AS redelivery_of, stored.*,
                    row_number() OVER (ORDER BY stored.position, made.id) AS number,
                    sum(stored.bytes) OVER () AS total
             FROM webhook_deliveries AS made
             JOIN webhook_contents AS stored ON stored.org_id = made.org_id AND stored.position = made.position
             WHERE made.org_id = $1 AND made.webhook_id = $2 AND made.id = ANY ($3::uuid[])
         ), head AS MATERIALIZED (
             SELECT last_position, content_bytes
             FROM webhook_heads
             WHERE org_id = $1
             FOR NO KEY UPDATE
         ), placed AS MATERIALIZED (
             SELECT owed.*, head.last_position + owed.number AS place
             FROM owed, head
             WHERE head.content_bytes + owed.total <= 2 * $4::bigint
         ), advanced AS (
             UPDATE webhook_heads
             SET last_position = added.last_position, content_bytes = content_bytes + added.bytes
             FROM (SELECT max(place) AS last_position, sum(bytes) AS bytes FROM placed) AS added
             WHERE webhook_heads.org_id = $1 AND added.last_position IS NOT NULL
         ), copied AS (
             INSERT INTO webhook_contents
                 (org_id, position, event_type, happened_at, flag_id, flag_key, flag_name, env_id, env_slug, env_name,
                  project_id, project_slug, project_name, actor_type, actor_id, actor_name, subject, before_values,
                  after_values, truncated, bytes)
             SELECT $1, place, event_type, happened_at, flag_id, flag_key, flag_name, env_id, env_slug, env_name,
                    project_id, project_slug, project_name, actor_type, actor_id, actor_name, subject, before_values,
                    after_values, truncated, bytes
             FROM placed
         )
         INSERT INTO webhook_events (org_id, position, webhook_id, redelivery_of, event_type, flag_id, env_id, happened_at)
         SELECT $1, place, $2, redelivery_of, event_type, flag_id, env_id, happened_at
         FROM placed",
        org_id as OrgId,
        id as WebhookId,
        deliveries as &[WebhookDeliveryId],
        MAX_BYTES,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected())
}
