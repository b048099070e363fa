//! Asking for a change.

use super::{model::Approval, store};
use crate::{
    db,
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};

/// Stores a request. What it would change was checked before, and is again when it is approved.
pub async fn create(unit: &mut Unit, approval: Approval) -> db::Result<Recorded<Approval>> {
    let org_id = unit.org_id();
    store::insert(unit, org_id, &approval).await?;
    let subject = Subject::Approval(approval.id);
    let event = Event::created(Action::ApprovalCreated, subject, &approval);
    let event = event.in_project(approval.project_id);
    unit.record(event, approval).await
}
