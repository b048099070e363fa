//! Resetting counted usage.

use serde_json::json;

use super::{
    BATCH,
    store::{counters, windows},
};
use crate::{
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};
use base::db;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    Done,
    GoesOn,
}

/// Deletes a batch of the organization's counters, and starts a new window if these were the last. It blocks the collection of
/// usage, of all organizations, so each batch is a unit of its own; each is recorded in the audit log.
pub async fn reset(unit: &mut Unit) -> db::Result<Recorded<Reset>> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let mut windows = windows::lock(unit, &[org_id]).await?;
    let deleted = counters::delete(unit, org_id, BATCH).await?;
    let reset = if deleted.counters < BATCH {
        windows::restart(unit, org_id, now).await?;
        Reset::Done
    } else {
        for window in windows.values_mut() {
            window.unknown_keys = (window.unknown_keys - deleted.unknown_keys).max(0);
        }
        windows::update(unit, &windows).await?;
        Reset::GoesOn
    };
    let event = Event::new(Action::MetricsCountersReset, Subject::Org(org_id));
    let event = event.with(json!({"total_evaluations": deleted.evaluations}));
    unit.record(event, reset).await
}
