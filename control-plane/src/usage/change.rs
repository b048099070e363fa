//! What members do with counted usage.

use serde_json::json;

use super::{
    model::RawImpression,
    store::{counters, impressions, windows},
};
use crate::{
    db,
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};

/// Clears all counters of the organization and starts a new window.
pub async fn reset(unit: &mut Unit) -> db::Result<Recorded<()>> {
    let (org_id, now) = (unit.org_id(), unit.now());
    windows::lock(unit, &[org_id]).await?;
    let total = counters::delete_all(unit, org_id).await?;
    windows::restart(unit, org_id, now).await?;
    let event = Event::new(Action::MetricsCountersReset, Subject::Org(org_id));
    let event = event.with(json!({"total_evaluations": total}));
    unit.record(event, ()).await
}

/// Takes the impressions that are kept, in the order of receipt: each is handed out once.
pub async fn flush(unit: &mut Unit) -> db::Result<Recorded<Vec<RawImpression>>> {
    let org_id = unit.org_id();
    let mut locked = windows::lock(unit, &[org_id]).await?;
    let taken = impressions::take(unit, org_id).await?;
    for window in locked.values_mut() {
        window.impressions = 0;
    }
    windows::update(unit, &locked).await?;
    let event = Event::new(Action::MetricsImpressionsFlushed, Subject::Org(org_id));
    let event = event.with(json!({"impressions": taken.len()}));
    unit.record(event, taken).await
}
