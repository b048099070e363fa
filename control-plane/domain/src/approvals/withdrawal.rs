//! Withdrawing a request: the member who made it closes it, as a rejection by themselves.

use super::{
    model::{Approval, Status, Verdict},
    store,
};
use crate::{
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};
use base::{
    ids::{ApprovalId, UserId},
    refusal::{Missing, Refusal},
};

/// Closes a pending request of this member.
pub async fn withdraw(
    unit: &mut Unit,
    id: ApprovalId,
    requestor: UserId,
) -> Result<Recorded<Approval>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let asked = store::find_for_update(unit, org_id, id)
        .await?
        .ok_or(Missing::Approval)?;
    if asked.status != Status::Pending {
        return Err(Refusal::conflict("approval request is not pending"));
    }
    if asked.requestor_id != requestor {
        return Err(Refusal::Forbidden(
            "only the member who made an approval request can withdraw it: reject it instead",
        ));
    }
    let withdrawn = asked.reviewed(Verdict::Reject, None, requestor, now);
    store::update(unit, org_id, &withdrawn).await?;
    let withdrawn = store::get(unit, org_id, id).await?;
    let subject = Subject::Approval(id, asked.env_id);
    let event = Event::updated(Action::ApprovalWithdrawn, subject, &asked, &withdrawn);
    Ok(unit
        .record(event.in_project(asked.project_id), withdrawn)
        .await?)
}
