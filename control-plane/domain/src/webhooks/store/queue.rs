//! SQL of the queue of each webhook.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::webhooks::queue::{Listener, Queued};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, WebhookDeliveryId, WebhookId},
};

/// Lets this transaction commit without waiting for the disk: if the database crashes and loses it, the events are still there.
pub(crate) async fn relax(conn: &mut PgConnection) -> db::Result<()> {
    sqlx::query!("SET LOCAL synchronous_commit TO off")
        .execute(conn)
        .await?;
    Ok(())
}

/// The webhooks of an organization that may receive its events. Not locked: their queues may shrink meanwhile.
pub(crate) async fn list_listeners(
    conn: &mut PgConnection,
    org_id: OrgId,
) -> db::Result<Vec<Listener>> {
    Ok(sqlx::query_as!(
        Listener,
        "SELECT webhooks.id, webhooks.events, webhooks.enabled, webhooks.listens_after, webhook_lanes.pending
         FROM webhook_lanes
         JOIN webhooks ON webhooks.id = webhook_lanes.webhook_id
         WHERE webhook_lanes.org_id = $1
         ORDER BY webhook_lanes.webhook_id",
        org_id as OrgId,
    )
    .fetch_all(conn)
    .await?)
}

/// Enqueues events for webhooks, unless deleted meanwhile. Lanes with an empty queue are due `first_wait` after the event.
pub(crate) async fn insert(
    conn: &mut PgConnection,
    queued: &[Queued<'_>],
    first_wait: time::Duration,
) -> db::Result<()> {
    let webhooks: Vec<_> = queued.iter().map(|one| one.webhook_id).collect();
    let positions: Vec<_> = queued.iter().map(|one| one.event.position).collect();
    let deliveries: Vec<_> = queued.iter().map(|one| one.delivery_id).collect();
    let redeliveries: Vec<_> = queued.iter().map(|one| one.event.redelivery_of).collect();
    let types: Vec<_> = queued
        .iter()
        .map(|one| one.event.event_type.clone())
        .collect();
    let flags: Vec<_> = queued.iter().map(|one| one.event.flag_id).collect();
    let envs: Vec<_> = queued.iter().map(|one| one.event.env_id).collect();
    let times: Vec<_> = queued.iter().map(|one| one.event.happened_at).collect();
    let due: Vec<OffsetDateTime> = times.iter().map(|&time| time + first_wait).collect();
    // Lanes first, which locks them against deletion.
    sqlx::query!(
        "UPDATE webhook_lanes
         SET pending = pending + new.number, due_at = COALESCE(webhook_lanes.due_at, new.due_at)
         FROM (
             SELECT webhook_id, COUNT(*)::integer AS number, MIN(due_at) AS due_at
             FROM unnest($1::uuid[], $2::timestamptz[]) AS queued (webhook_id, due_at)
             GROUP BY webhook_id
         ) AS new
         WHERE webhook_lanes.webhook_id = new.webhook_id",
        &webhooks as &[WebhookId],
        &due,
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO webhook_queue (webhook_id, position, delivery_id, redelivery_of, event_type, flag_id, env_id, happened_at)
         SELECT queued.*
         FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::uuid[], $8::timestamptz[])
             AS queued (webhook_id, position, delivery_id, redelivery_of, event_type, flag_id, env_id, happened_at)
         JOIN webhook_lanes ON webhook_lanes.webhook_id = queued.webhook_id",
        &webhooks as &[WebhookId],
        &positions,
        &deliveries as &[WebhookDeliveryId],
        &redeliveries as &[Option<WebhookDeliveryId>],
        &types,
        &flags as &[Option<FlagId>],
        &envs as &[Option<EnvId>],
        &times,
    )
    .execute(conn)
    .await?;
    Ok(())
}
