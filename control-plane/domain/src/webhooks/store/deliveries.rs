//! SQL of recorded deliveries.

use serving::page::{Page, Paged};
use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::webhooks::{model::Delivery, queue::Queued};
use base::{
    db,
    ids::{OrgId, WebhookDeliveryId, WebhookId},
};

pub const KEPT: i64 = 50;

/// The error of an event that was not delivered.
const DROPPED: &str = "dropped: too many events were waiting";

/// A page of a webhook's deliveries, the newest first.
pub async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    page: Page,
) -> db::Result<Paged<Delivery>> {
    let items = sqlx::query_as!(
        Delivery,
        "SELECT id, event_type, response_status, success, delivered_at, redelivery_of, attempts, duration_ms, error, response_body
         FROM webhook_deliveries
         WHERE org_id = $1 AND webhook_id = $2
         ORDER BY delivered_at DESC, id DESC
         LIMIT $3",
        org_id as OrgId,
        id as WebhookId,
        KEPT,
    )
    .fetch_all(conn)
    .await?;
    let total = i64::try_from(items.len()).unwrap_or(KEPT);
    let skipped = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let shown = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let items = items.into_iter().skip(skipped).take(shown).collect();
    Ok(Paged::new(items, total, page))
}

/// Records events dropped from full queues, and deletes the oldest records.
pub(crate) async fn insert_dropped(
    conn: &mut PgConnection,
    org_id: OrgId,
    dropped: &[Queued<'_>],
    now: OffsetDateTime,
) -> db::Result<()> {
    let webhooks: Vec<_> = dropped.iter().map(|one| one.webhook_id).collect();
    let ids: Vec<_> = dropped.iter().map(|one| one.delivery_id).collect();
    let positions: Vec<_> = dropped.iter().map(|one| one.event.position).collect();
    let redeliveries: Vec<_> = dropped.iter().map(|one| one.event.redelivery_of).collect();
    let types: Vec<_> = dropped
        .iter()
        .map(|one| one.event.event_type.clone())
        .collect();
    sqlx::query!(
        "INSERT INTO webhook_deliveries
             (id, webhook_id, org_id, event_type, response_status, success, delivered_at, position, redelivery_of, attempts, error)
         SELECT dropped.id, dropped.webhook_id, $1, dropped.event_type, 0, false, $5, dropped.position,
                dropped.redelivery_of, 0, $8
         FROM unnest($2::uuid[], $3::uuid[], $4::text[], $6::bigint[], $7::uuid[])
             AS dropped (id, webhook_id, event_type, position, redelivery_of)",
        org_id as OrgId,
        &ids as &[WebhookDeliveryId],
        &webhooks as &[WebhookId],
        &types,
        now,
        &positions,
        &redeliveries as &[Option<WebhookDeliveryId>],
        DROPPED,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "DELETE FROM webhook_deliveries
         WHERE id IN (
             SELECT old.id
             FROM (SELECT DISTINCT id FROM unnest($2::uuid[]) AS touched (id)) AS touched
             CROSS JOIN LATERAL (
                 SELECT id
                 FROM webhook_deliveries
                 WHERE org_id = $1 AND webhook_id = touched.id
                 ORDER BY delivered_at DESC, id DESC
                 OFFSET $3
             ) AS old
         )",
        org_id as OrgId,
        &webhooks as &[WebhookId],
        KEPT,
    )
    .execute(conn)
    .await?;
    Ok(())
}
