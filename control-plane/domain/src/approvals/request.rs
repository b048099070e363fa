//! Creating approval requests.

use time::Duration;

use super::{basis::Basis, mail::Announcements, model::Approval, store};
use crate::{
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};
use base::{ids::OrgId, refusal::Refusal, warning::Warning};

/// Pending requests of an organization. Concurrent requests may exceed it by a few.
const MAX_PENDING: i64 = 1_000;

/// Stores a request, mails it to reviewers, and returns it with the keys and names of what it is about. Its change has been checked, and is checked
/// again on approval.
pub async fn create(
    unit: &mut Unit,
    announcements: Announcements<'_>,
    approval: Approval,
    basis: &Basis,
    warnings: &[Warning],
) -> Result<Recorded<Approval>, Refusal> {
    let org_id = unit.org_id();
    check_room(unit, org_id).await?;
    unit.warn(warnings);
    store::insert(unit, org_id, &approval, basis).await?;
    let approval = store::get(unit, org_id, approval.id).await?;
    announcements.requested(unit, &approval).await?;
    let subject = Subject::Approval(approval.id, approval.env_id);
    let event = Event::created(Action::ApprovalCreated, subject, &approval);
    let mut event = event.in_project(approval.project_id);
    if !warnings.is_empty() {
        event = event.note("warnings", &warnings);
    }
    Ok(unit.record(event, approval).await?)
}

async fn check_room(unit: &mut Unit, org_id: OrgId) -> Result<(), Refusal> {
    let since = unit.now() - Duration::DAY;
    // A request without its payload has about 512 bytes.
    let standing = store::standing(unit, org_id, MAX_PENDING, since, 512).await?;
    if standing.pending >= MAX_PENDING {
        return Err(Refusal::invalid(
            "the organization has 1000 pending approval requests, which is the most it can have; review some of them first",
        ));
    }
    // Decided or not, requests are kept for ever.
    if standing.bytes >= 64 * 1024 * 1024 {
        return Err(Refusal::TooMany {
            words: "the approval requests of the last 24 hours have 64 MiB, which is the most that an organization can store in \
                    a day",
            retry_after: Duration::HOUR.unsigned_abs(),
        });
    }
    Ok(())
}
