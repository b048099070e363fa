//! SQL of the events of subscriptions.

use sqlx::PgConnection;
use time::OffsetDateTime;

use crate::billing::{
    history::{Kind, SubscriptionEvent},
    model::{Gateway, Status, Subscription},
};
use base::{
    db,
    ids::{SubscriptionEventId, SubscriptionId},
};

#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub gateway: Gateway,
    /// The gateway's id of the event; `None` for our own decisions.
    pub event_ref: Option<&'a str>,
    pub gateway_ref: Option<&'a str>,
    /// The subscription, if known in advance.
    pub subscription_id: Option<SubscriptionId>,
}

impl<'a> Source<'a> {
    /// An event of a single payment.
    pub const fn of_form(event_ref: Option<&'a str>) -> Self {
        Self {
            gateway: Gateway::Form,
            event_ref,
            gateway_ref: None,
            subscription_id: None,
        }
    }

    /// Our own decision about a subscription.
    pub fn here(subscription: &'a Subscription) -> Self {
        Self {
            gateway: subscription.gateway,
            event_ref: None,
            gateway_ref: subscription.gateway_ref.as_deref(),
            subscription_id: Some(subscription.id),
        }
    }
}

/// Stores an event, with or without a subscription. `false` if the gateway delivered it before.
pub async fn insert(
    conn: &mut PgConnection,
    source: Source<'_>,
    subscription_id: Option<SubscriptionId>,
    event: &SubscriptionEvent,
) -> db::Result<bool> {
    let inserted = sqlx::query!(
        "INSERT INTO subscription_events (id, gateway, event_ref, subscription_id, gateway_ref, kind, status,
             customer_ref, cancel_at_period_end, period_start, period_end, happened_at, received_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         ON CONFLICT ON CONSTRAINT subscription_events_gateway_event_ref_key DO NOTHING",
        SubscriptionEventId::new(event.received_at) as SubscriptionEventId,
        source.gateway as Gateway,
        source.event_ref,
        subscription_id as Option<SubscriptionId>,
        source.gateway_ref,
        event.kind as Kind,
        event.status as Option<Status>,
        event.customer_ref,
        event.cancel_at_period_end,
        event.period_start,
        event.period_end,
        event.happened_at,
        event.received_at,
    )
    .execute(conn)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

pub async fn is_known(
    conn: &mut PgConnection,
    gateway: Gateway,
    event_ref: &str,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM subscription_events WHERE gateway = $1 AND event_ref = $2
           ) AS "is_known!""#,
        gateway as Gateway,
        event_ref,
    )
    .fetch_one(conn)
    .await?)
}

/// Assigns earlier events to a new subscription: a failed payment may arrive before its checkout.
pub async fn place(
    conn: &mut PgConnection,
    gateway: Gateway,
    gateway_ref: &str,
    subscription_id: SubscriptionId,
) -> db::Result<()> {
    sqlx::query!(
        "UPDATE subscription_events
         SET subscription_id = $3
         WHERE gateway = $1 AND gateway_ref = $2 AND subscription_id IS NULL",
        gateway as Gateway,
        gateway_ref,
        subscription_id as SubscriptionId,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The events of a subscription, in the order in which they happened.
pub async fn list(
    conn: &mut PgConnection,
    subscription_id: SubscriptionId,
) -> db::Result<Vec<SubscriptionEvent>> {
    Ok(sqlx::query_as!(
        SubscriptionEvent,
        "SELECT kind, status, customer_ref, cancel_at_period_end, period_start, period_end, happened_at,
                received_at
         FROM subscription_events
         WHERE subscription_id = $1
         ORDER BY happened_at, sequence",
        subscription_id as SubscriptionId,
    )
    .fetch_all(conn)
    .await?)
}

pub async fn find_latest(
    conn: &mut PgConnection,
    subscription_id: SubscriptionId,
) -> db::Result<Option<OffsetDateTime>> {
    Ok(sqlx::query_scalar!(
        "SELECT MAX(happened_at) FROM subscription_events WHERE subscription_id = $1",
        subscription_id as SubscriptionId,
    )
    .fetch_one(conn)
    .await?)
}

/// Whether we decided something about a subscription after `happened_at`.
pub async fn is_overruled(
    conn: &mut PgConnection,
    subscription_id: SubscriptionId,
    happened_at: OffsetDateTime,
) -> db::Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (
               SELECT FROM subscription_events
               WHERE subscription_id = $1 AND event_ref IS NULL AND happened_at >= $2
           ) AS "is_overruled!""#,
        subscription_id as SubscriptionId,
        happened_at,
    )
    .fetch_one(conn)
    .await?)
}

/// Deletes unassigned events that arrived before `until`.
pub async fn delete_unplaced(conn: &mut PgConnection, until: OffsetDateTime) -> db::Result<()> {
    sqlx::query!(
        "DELETE FROM subscription_events WHERE subscription_id IS NULL AND received_at < $1",
        until
    )
    .execute(conn)
    .await?;
    Ok(())
}
