//! What members do with counted usage.

use serde_json::json;

use super::store::{counters, windows};
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
