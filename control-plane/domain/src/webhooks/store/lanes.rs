//! SQL of lanes: the lease and progress of each webhook.
//!
//! A lane is leased by moving its due time beyond the longest attempt. The holder names the lease with each step; a step whose
//! lease was taken over changes nothing.
//!
//! Nothing here waits for the disk (`synchronous_commit` is off for these statements alone): if the database crashes and loses
//! a step, the lease ends and the delivery is repeated.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    events::contents::About,
    webhooks::{model::Format, outcome::Outcome},
};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, WebhookDeliveryId, WebhookId},
};

/// A webhook delivered only by the holder, until the lease ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leased {
    pub webhook_id: WebhookId,
    pub org_id: OrgId,
    pub lease: Uuid,
}

/// Leases at most `limit` due lanes until `until`, longest due first.
pub(crate) async fn lease(
    conn: &mut PgConnection,
    is_slow: bool,
    limit: i64,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> db::Result<Vec<Leased>> {
    Ok(sqlx::query_as!(
        Leased,
        r#"WITH relaxed AS MATERIALIZED (
             SELECT set_config('synchronous_commit', 'off', true)
         ), due AS MATERIALIZED (
             SELECT webhook_id
             FROM webhook_lanes
             WHERE is_slow = $1 AND due_at <= $3
             ORDER BY due_at
             LIMIT $2
             FOR NO KEY UPDATE SKIP LOCKED
         )
         UPDATE webhook_lanes
         SET lease = gen_random_uuid(), due_at = $4
         FROM due, relaxed
         WHERE webhook_lanes.webhook_id = due.webhook_id
         RETURNING webhook_lanes.webhook_id, webhook_lanes.org_id, lease AS "lease!""#,
        is_slow,
        limit,
        now,
        until,
    )
    .fetch_all(conn)
    .await?)
}

/// The first of a webhook's queue, and the current webhook.
pub(crate) struct Next {
    pub url: String,
    pub sealed_secret: Option<Vec<u8>>,
    pub format: Format,
    pub enabled: bool,
    pub attempts: i32,
    pub position: i64,
    pub delivery_id: WebhookDeliveryId,
    pub redelivery_of: Option<WebhookDeliveryId>,
    pub event_type: String,
    pub flag_id: Option<FlagId>,
    pub env_id: Option<EnvId>,
    pub happened_at: OffsetDateTime,
    /// The stored contents; `None` if too much was stored.
    pub about: Option<Json<About>>,
    pub flag_key: Option<String>,
    pub flag_name: Option<String>,
    pub env_slug: Option<String>,
    pub env_name: Option<String>,
    pub project_id: Option<ProjectId>,
    pub project_slug: Option<String>,
    pub project_name: Option<String>,
    pub actor_type: Option<String>,
    pub actor_id: Option<Uuid>,
    pub actor_name: Option<String>,
    pub before_values: Option<Value>,
    pub after_values: Option<Value>,
    pub truncated: Option<bool>,
}

/// The next delivery. `None` if the queue is empty, the webhook is gone, or the lease was lost.
pub(crate) async fn next(conn: &mut PgConnection, leased: Leased) -> db::Result<Option<Next>> {
    Ok(sqlx::query_as!(
        Next,
        r#"SELECT webhooks.url, webhooks.sealed_secret, webhooks.format AS "format: Format", webhooks.enabled, webhook_lanes.attempts,
                first.position, first.delivery_id, first.redelivery_of, first.event_type, first.flag_id, first.env_id,
                first.happened_at,
                contents.subject AS "about?: Json<About>", contents.flag_key AS "flag_key?", contents.flag_name AS "flag_name?",
                contents.env_slug AS "env_slug?", contents.env_name AS "env_name?",
                contents.project_id AS "project_id?: ProjectId", contents.project_slug AS "project_slug?",
                contents.project_name AS "project_name?",
                contents.actor_type AS "actor_type?",
                contents.actor_id AS "actor_id?", contents.actor_name AS "actor_name?",
                contents.before_values AS "before_values?", contents.after_values AS "after_values?",
                contents.truncated AS "truncated?"
         FROM webhook_lanes
         JOIN webhooks ON webhooks.id = webhook_lanes.webhook_id
         CROSS JOIN LATERAL (
             SELECT *
             FROM webhook_queue
             WHERE webhook_queue.webhook_id = webhook_lanes.webhook_id
             ORDER BY position
             LIMIT 1
         ) AS first
         LEFT JOIN webhook_contents AS contents
             ON contents.org_id = webhook_lanes.org_id AND contents.position = first.position
         WHERE webhook_lanes.org_id = $1 AND webhook_lanes.webhook_id = $2 AND webhook_lanes.lease = $3"#,
        leased.org_id as OrgId,
        leased.webhook_id as WebhookId,
        leased.lease,
    )
    .fetch_optional(conn)
    .await?)
}

/// How a delivery ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub attempts: i32,
    /// Of the last attempt.
    pub outcome: Outcome,
    pub is_slow: bool,
    pub at: OffsetDateTime,
}

/// Takes a delivery out of the queue, records its result, and extends the lease until `until`, in one atomic statement.
///
/// It deletes all but 49 earlier deliveries: with this one they are [`KEPT`]. As a parameter that number would make the
/// database plan the statement each time, which takes longer than running it.
///
/// [`KEPT`]: super::deliveries::KEPT
pub(crate) async fn finish(
    conn: &mut PgConnection,
    leased: Leased,
    next: &Next,
    ended: &Ended,
    until: OffsetDateTime,
) -> db::Result<()> {
    let outcome = &ended.outcome;
    sqlx::query!(
        "WITH relaxed AS MATERIALIZED (
             SELECT set_config('synchronous_commit', 'off', true)
         ), lane AS (
             UPDATE webhook_lanes
             SET attempts = 0,
                 pending = pending - 1,
                 is_slow = $9,
                 lease = CASE WHEN pending > 1 THEN lease END,
                 due_at = CASE WHEN pending > 1 THEN $10::timestamptz END
             FROM relaxed
             WHERE org_id = $1 AND webhook_id = $2 AND lease = $3
             RETURNING webhook_id
         ), taken AS (
             DELETE FROM webhook_queue
             USING lane
             WHERE webhook_queue.webhook_id = lane.webhook_id AND webhook_queue.position = $11
         ), forgotten AS (
             DELETE FROM webhook_deliveries
             WHERE id IN (
                 SELECT webhook_deliveries.id
                 FROM webhook_deliveries
                 JOIN lane ON lane.webhook_id = webhook_deliveries.webhook_id
                 ORDER BY webhook_deliveries.delivered_at DESC, webhook_deliveries.id DESC
                 OFFSET 49
             )
         )
         INSERT INTO webhook_deliveries
             (id, webhook_id, org_id, event_type, response_status, success, delivered_at, position, redelivery_of,
              attempts, error, response_body, duration_ms, format)
         SELECT $4, lane.webhook_id, $1, $5, $6, $7, $8, $11, $12, $13, $14, $15, $16, $17 FROM lane",
        leased.org_id as OrgId,
        leased.webhook_id as WebhookId,
        leased.lease,
        next.delivery_id as WebhookDeliveryId,
        next.event_type,
        i32::from(outcome.status),
        outcome.is_success(),
        ended.at,
        ended.is_slow,
        until,
        next.position,
        next.redelivery_of as Option<WebhookDeliveryId>,
        ended.attempts,
        outcome.error.as_deref(),
        outcome.response_body,
        outcome.duration_ms,
        next.format as Format,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Releases a lane until its next attempt. `None` leaves its speed class unchanged.
pub(crate) async fn postpone(
    conn: &mut PgConnection,
    leased: Leased,
    attempts: i32,
    is_slow: Option<bool>,
    due_at: OffsetDateTime,
) -> db::Result<()> {
    sqlx::query!(
        "WITH relaxed AS MATERIALIZED (
             SELECT set_config('synchronous_commit', 'off', true)
         )
         UPDATE webhook_lanes
         SET attempts = $4, is_slow = COALESCE($5, is_slow), lease = NULL, due_at = $6
         FROM relaxed
         WHERE org_id = $1 AND webhook_id = $2 AND lease = $3 AND pending > 0",
        leased.org_id as OrgId,
        leased.webhook_id as WebhookId,
        leased.lease,
        attempts,
        is_slow,
        due_at,
    )
    .execute(conn)
    .await?;
    Ok(())
}
