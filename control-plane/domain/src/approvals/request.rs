//! Creating approval requests.

use std::time::Duration;

use super::{model::Approval, store};
use crate::{
    events::{Action, Event, Subject},
    flags::warnings::Warning,
    unit::{Recorded, Unit},
};
use base::{ids::OrgId, refusal::Refusal};

/// Pending requests of an organization. Concurrent requests may exceed it by a few.
const MAX_PENDING: i64 = 1_000;

/// Bytes of requests that an organization creates within [`A_DAY`]: decided or not, they are kept for ever.
const BYTES_A_DAY: i64 = 64 * 1024 * 1024;
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Size of a request without its payload.
const BYTES_EACH: i64 = 512;
const RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

/// Stores a request. Its change has been checked, and is checked again on approval.
pub async fn create(
    unit: &mut Unit,
    approval: Approval,
    warnings: &[Warning],
) -> Result<Recorded<Approval>, Refusal> {
    let org_id = unit.org_id();
    check_room(unit, org_id).await?;
    store::insert(unit, org_id, &approval).await?;
    let subject = Subject::Approval(approval.id, approval.env_id);
    let event = Event::created(Action::ApprovalCreated, subject, &approval);
    let mut event = event.in_project(approval.project_id);
    if !warnings.is_empty() {
        event = event.note("warnings", &warnings);
    }
    Ok(unit.record(event, approval).await?)
}

async fn check_room(unit: &mut Unit, org_id: OrgId) -> Result<(), Refusal> {
    let since = unit.now() - A_DAY;
    let standing = store::standing(unit, org_id, MAX_PENDING, since, BYTES_EACH).await?;
    if standing.pending >= MAX_PENDING {
        return Err(Refusal::invalid(
            "the organization has 1000 pending approval requests, which is the most it can have; review some of them first",
        ));
    }
    if standing.bytes >= BYTES_A_DAY {
        return Err(Refusal::TooMany {
            words: "the approval requests of the last 24 hours have 64 MiB, which is the most that an organization can store in \
                    a day",
            retry_after: RETRY_AFTER,
        });
    }
    Ok(())
}
