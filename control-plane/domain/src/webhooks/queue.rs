//! Distributes committed events to the listening webhooks.
//!
//! Each webhook has a queue of its own, so that a slow one loses only its own events. A queue holds a fixed number of events;
//! events beyond that are dropped, as the contract states, counted in a metric, logged, and recorded as failed deliveries.

use std::{collections::HashMap, sync::Arc};

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    Webhooks,
    model::listens,
    store::{self, deliveries},
};
use crate::events::{
    Action,
    store::{self as outbox, OutboxEvent},
};
use base::{
    db,
    ids::{OrgId, WebhookDeliveryId, WebhookId},
    jobs::sweep::{Sweep, SweepError, sweep},
    refusal::Refusal,
};

/// Events of one organization distributed in one transaction. The rest follows in the next run, after all other organizations.
const EVENTS: i64 = 200;
/// Dropped events of one organization recorded in one transaction. All of them are counted.
const DROPS: usize = 100;

/// Events of an organization after which contents that are no longer needed are deleted.
const PURGE_AFTER: i64 = 50;

/// A webhook that may receive an event.
#[derive(Clone, Debug)]
pub(super) struct Listener {
    pub(super) id: WebhookId,
    pub(super) events: Vec<String>,
    pub(super) enabled: bool,
    pub(super) listens_after: i64,
    pub(super) pending: i32,
}

/// An event for one webhook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Queued<'a> {
    pub(super) webhook_id: WebhookId,
    pub(super) delivery_id: WebhookDeliveryId,
    pub(super) event: &'a OutboxEvent,
}

#[derive(Debug, Default)]
struct Assigned<'a> {
    queued: Vec<Queued<'a>>,
    dropped: Vec<Queued<'a>>,
}

impl Webhooks {
    /// Distributes a batch of each organization with events.
    pub(super) async fn distribute(self: Arc<Self>) -> Result<(), SweepError> {
        sweep(&self.db, &Outboxes(&self)).await
    }

    async fn distribute_of_org(&self, org_id: OrgId) -> db::Result<()> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        store::queue::relax(&mut tx).await?;
        let listeners = store::queue::list_listeners(&mut tx, org_id).await?;
        let events = outbox::take(&mut tx, org_id, EVENTS).await?;
        let assigned = assign(&events, listeners, self.settings.queue_size, now);
        if !assigned.queued.is_empty() {
            let first_wait = self.settings.first_wait();
            store::queue::insert(&mut tx, &assigned.queued, first_wait).await?;
        }
        record_dropped(&mut tx, org_id, &assigned.dropped, now).await?;
        tx.commit().await?;
        report_dropped(org_id, &assigned.dropped);
        let mut conn = self.db.acquire().await?;
        store::purge(&mut conn, org_id, PURGE_AFTER).await
    }
}

/// Organizations with undistributed events.
struct Outboxes<'a>(&'a Webhooks);

impl Sweep for Outboxes<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        outbox::list_orgs(conn, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        Ok(self.0.distribute_of_org(org_id).await?)
    }
}

/// Assigns events to webhooks, in the order of the events.
fn assign<'a>(
    events: &'a [OutboxEvent],
    listeners: Vec<Listener>,
    queue_size: u32,
    now: OffsetDateTime,
) -> Assigned<'a> {
    let mut assigned = Assigned::default();
    for listener in listeners {
        let pending = listener.pending.unsigned_abs();
        let mut room = queue_size.saturating_sub(pending);
        for event in events.iter().filter(|event| listener.receives(event)) {
            let queued = Queued {
                webhook_id: listener.id,
                delivery_id: WebhookDeliveryId::new(now),
                event,
            };
            if room == 0 {
                assigned.dropped.push(queued);
            } else {
                room -= 1;
                assigned.queued.push(queued);
            }
        }
    }
    assigned
}

impl Listener {
    fn receives(&self, event: &OutboxEvent) -> bool {
        match event.webhook_id {
            Some(only) => only == self.id,
            None => {
                self.enabled
                    && event.position > self.listens_after
                    && listens(&self.events, &event.event_type)
                    // Of a change set that it receives as one, it gets no parts.
                    && !(event.is_part && listens(&self.events, Action::ChangeSetApplied.as_str()))
            }
        }
    }
}

/// Records the last events that each webhook lost, up to the bound of a transaction.
async fn record_dropped(
    conn: &mut PgConnection,
    org_id: OrgId,
    dropped: &[Queued<'_>],
    now: OffsetDateTime,
) -> db::Result<()> {
    let recorded = last_of_each(dropped);
    if recorded.is_empty() {
        return Ok(());
    }
    deliveries::insert_dropped(conn, org_id, &recorded, now).await
}

/// The last event that each webhook lost, then the last but one of each, and so on, up to the bound.
fn last_of_each<'a>(dropped: &[Queued<'a>]) -> Vec<Queued<'a>> {
    let mut lost = HashMap::<WebhookId, i64>::new();
    let mut ranked: Vec<_> = dropped
        .iter()
        .rev()
        .map(|one| {
            let rank = lost.entry(one.webhook_id).or_default();
            *rank += 1;
            (*rank, *one)
        })
        .filter(|(rank, _)| *rank <= deliveries::KEPT)
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.truncate(DROPS);
    ranked.into_iter().map(|(_, one)| one).collect()
}

fn report_dropped(org_id: OrgId, dropped: &[Queued<'_>]) {
    if dropped.is_empty() {
        return;
    }
    let events = dropped.len();
    metrics::counter!("halyard_webhook_events_dropped_total").increment(events as u64);
    let mut webhooks: Vec<_> = dropped.iter().map(|one| one.webhook_id).collect();
    webhooks.dedup();
    let webhooks = webhooks.len();
    tracing::warn!(org.id = %org_id, webhooks, events, "queues of webhooks are full; events were dropped");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(position: i64, event_type: &str) -> OutboxEvent {
        OutboxEvent {
            position,
            webhook_id: None,
            redelivery_of: None,
            event_type: event_type.to_owned(),
            flag_id: None,
            env_id: None,
            happened_at: OffsetDateTime::UNIX_EPOCH,
            is_part: false,
        }
    }

    fn listener(events: &[&str]) -> Listener {
        Listener {
            id: WebhookId::new(OffsetDateTime::UNIX_EPOCH),
            events: events.iter().map(|&name| name.to_owned()).collect(),
            enabled: true,
            listens_after: 0,
            pending: 0,
        }
    }

    fn positions(queued: &[Queued<'_>], listener: &Listener) -> Vec<i64> {
        let of_listener = queued.iter().filter(|one| one.webhook_id == listener.id);
        of_listener.map(|one| one.event.position).collect()
    }

    #[test]
    fn each_hears_what_it_listens_to_in_order() {
        let events = [
            event(1, "flag.created"),
            event(2, "flag.killed"),
            event(3, "flag.created"),
        ];
        let (all, some) = (listener(&[]), listener(&["flag.created"]));
        let late = Listener {
            listens_after: 2,
            ..listener(&[])
        };
        let off = Listener {
            enabled: false,
            ..listener(&[])
        };
        let listeners = vec![all.clone(), some.clone(), late.clone(), off.clone()];
        let assigned = assign(&events, listeners, 256, OffsetDateTime::UNIX_EPOCH);
        assert_eq!(positions(&assigned.queued, &all), [1, 2, 3]);
        assert_eq!(positions(&assigned.queued, &some), [1, 3]);
        assert_eq!(positions(&assigned.queued, &late), [3]);
        assert_eq!(positions(&assigned.queued, &off), [0; 0]);
        assert!(assigned.dropped.is_empty());
    }

    #[test]
    fn a_full_queue_drops_what_is_new_and_no_other_webhook_notices() {
        let events: Vec<_> = (1..=5)
            .map(|position| event(position, "flag.created"))
            .collect();
        let full = Listener {
            pending: 254,
            ..listener(&[])
        };
        let empty = listener(&[]);
        let listeners = vec![full.clone(), empty.clone()];
        let assigned = assign(&events, listeners, 256, OffsetDateTime::UNIX_EPOCH);
        assert_eq!(positions(&assigned.queued, &full), [1, 2]);
        assert_eq!(positions(&assigned.dropped, &full), [3, 4, 5]);
        assert_eq!(positions(&assigned.queued, &empty), [1, 2, 3, 4, 5]);
    }

    #[test]
    fn of_a_flood_the_last_events_of_each_webhook_are_recorded() {
        let events: Vec<_> = (1..=200)
            .map(|position| event(position, "flag.created"))
            .collect();
        let full = |number| -> Vec<Listener> {
            let full = || Listener {
                pending: 256,
                ..listener(&[])
            };
            (0..number).map(|_| full()).collect()
        };
        let recorded = |listeners: &[Listener]| {
            let assigned = assign(&events, listeners.to_vec(), 256, OffsetDateTime::UNIX_EPOCH);
            assert_eq!(assigned.dropped.len(), 200 * listeners.len());
            let recorded = last_of_each(&assigned.dropped);
            let of_each = listeners.iter().map(|one| positions(&recorded, one));
            of_each.collect::<Vec<_>>()
        };
        let newest: Vec<i64> = (151..=200).rev().collect();
        assert_eq!(recorded(&full(1)), [newest]);
        assert_eq!(recorded(&full(100)), vec![vec![200]; 100]);
        assert_eq!(recorded(&full(50)), vec![vec![200, 199]; 50]);
    }

    #[test]
    fn who_receives_a_change_set_gets_none_of_its_parts() {
        let part = OutboxEvent {
            is_part: true,
            ..event(1, "flag.updated")
        };
        let events = [part, event(2, "change_set.applied")];
        let (all, parts) = (listener(&[]), listener(&["flag.updated"]));
        let listeners = vec![all.clone(), parts.clone()];
        let assigned = assign(&events, listeners, 256, OffsetDateTime::UNIX_EPOCH);
        assert_eq!(positions(&assigned.queued, &all), [2]);
        assert_eq!(positions(&assigned.queued, &parts), [1]);
    }

    #[test]
    fn a_test_is_for_one_webhook_whatever_it_listens_to() {
        let asked = Listener {
            enabled: false,
            ..listener(&["flag.killed"])
        };
        let test = OutboxEvent {
            webhook_id: Some(asked.id),
            ..event(1, "webhook.test")
        };
        let events = [test];
        let listeners = vec![asked.clone(), listener(&[])];
        let assigned = assign(&events, listeners, 256, OffsetDateTime::UNIX_EPOCH);
        assert_eq!(positions(&assigned.queued, &asked), [1]);
        assert_eq!(assigned.queued.len(), 1);
    }
}
