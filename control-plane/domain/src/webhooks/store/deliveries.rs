//! SQL of recorded deliveries.

use serving::page::{Page, Paged};
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::lanes::Next;
use crate::{
    events::contents::About,
    webhooks::{
        model::{Delivery, Format},
        queue::Queued,
    },
};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, WebhookDeliveryId, WebhookId},
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
    let items = items.into_iter().skip(skipped).take(shown);
    let items = items.map(Delivery::shortened).collect();
    Ok(Paged::new(items, total, page))
}

/// A recorded delivery.
pub(crate) async fn find(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    delivery_id: WebhookDeliveryId,
) -> db::Result<Option<Delivery>> {
    Ok(sqlx::query_as!(
        Delivery,
        "SELECT id, event_type, response_status, success, delivered_at, redelivery_of, attempts, duration_ms, error, response_body
         FROM webhook_deliveries
         WHERE org_id = $1 AND webhook_id = $2 AND id = $3",
        org_id as OrgId,
        id as WebhookId,
        delivery_id as WebhookDeliveryId,
    )
    .fetch_optional(conn)
    .await?)
}

/// A recorded delivery as it was sent, without the secret; `None` if its contents are no longer kept.
pub(crate) async fn find_sent(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    delivery_id: WebhookDeliveryId,
) -> db::Result<Option<Next>> {
    Ok(sqlx::query_as!(
        Next,
        r#"SELECT webhooks.url, NULL::bytea AS "sealed_secret?", COALESCE(made.format, webhooks.format) AS "format!: Format",
                webhooks.enabled, COALESCE(made.attempts, 0) AS "attempts!", contents.position, made.id AS delivery_id,
                made.redelivery_of, contents.event_type, contents.flag_id AS "flag_id?: FlagId",
                contents.env_id AS "env_id?: EnvId", contents.happened_at,
                contents.subject AS "about?: Json<About>", contents.flag_key, contents.flag_name, contents.env_slug,
                contents.env_name, contents.project_id AS "project_id?: ProjectId", contents.project_slug,
                contents.project_name, contents.actor_type AS "actor_type?", contents.actor_id, contents.actor_name,
                contents.before_values, contents.after_values, contents.truncated AS "truncated?"
         FROM webhook_deliveries AS made
         JOIN webhooks ON webhooks.id = made.webhook_id
         JOIN webhook_contents AS contents ON contents.org_id = made.org_id AND contents.position = made.position
         WHERE made.org_id = $1 AND made.webhook_id = $2 AND made.id = $3"#,
        org_id as OrgId,
        id as WebhookId,
        delivery_id as WebhookDeliveryId,
    )
    .fetch_optional(conn)
    .await?)
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
