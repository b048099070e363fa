//! Asking for approval, and giving it.

use super::{
    apply::{event, lock, with_contents_of},
    model::{ChangeSet, GivenReview, Status},
    preview::{Planned, required},
    store,
};
use crate::{
    approvals::{mail::Announcements, model::Verdict},
    environments::model::Environment,
    events::Action,
    members,
    unit::{Expected, Recorded, Unit},
};
use base::{ids::UserId, refusal::Refusal};

/// Asks for the approvals that these environments want; of one person where none of them is protected.
pub async fn request(
    unit: &mut Unit,
    read: &ChangeSet,
    requestor: UserId,
    protected: &[Environment],
    expected: &Expected,
    announcements: Announcements<'_>,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let before = lock(unit, read, expected).await?;
    if before.status != Status::Draft {
        return Err(Refusal::conflict(
            "approval is requested for a draft: reopen the change set first",
        ));
    }
    let mut after = before.clone();
    after.status = Status::Pending;
    after.required_approvals = required(protected).max(1);
    after.protected = protected.iter().map(|env| env.slug.clone()).collect();
    after.authored_by(requestor);
    after.touch(now);
    store::update(unit, org_id, &after).await?;
    announcements.set_requested(unit, &after, requestor).await?;
    let event = event(Action::ChangeSetRequested, &before, &after);
    Ok(unit.record(event, with_contents_of(after, read)).await?)
}

/// Notes what a reviewer says. An approval is of what the set does by the plan that is given with it, and the last one that it
/// wants makes it ready to be applied.
pub async fn review(
    unit: &mut Unit,
    read: &ChangeSet,
    reviewer: UserId,
    (verdict, note): (Verdict, Option<String>),
    planned: Option<Planned>,
    expected: &Expected,
    announcements: Announcements<'_>,
) -> Result<Recorded<ChangeSet>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let before = lock(unit, read, expected).await?;
    if before.status != Status::Pending {
        return Err(Refusal::conflict("the change set waits for no approval"));
    }
    if before.author_ids.contains(&reviewer) {
        return Err(Refusal::Forbidden(
            "a change set must be reviewed by somebody who has not drafted, edited or requested it",
        ));
    }
    let mut people = before.approvers();
    people.push(reviewer);
    let reviewers = members::store::hold_reviewers(unit, org_id, &people).await?;
    if !reviewers.contains(&reviewer) {
        return Err(Refusal::INSUFFICIENT);
    }
    if before.approvers().contains(&reviewer) && verdict == Verdict::Approve {
        return Err(Refusal::conflict(
            "you have approved this change set already",
        ));
    }
    let mut after = with_contents_of(before.clone(), read);
    if let Some(planned) = planned.filter(|planned| planned.version() != before.base_version) {
        planned.store(unit, &mut after).await?;
    }
    after.reviews.0.push(GivenReview {
        reviewer_id: reviewer,
        action: verdict,
        note,
        reviewed_at: now,
    });
    let wanted = usize::try_from(after.required_approvals).unwrap_or_default();
    let action = match verdict {
        Verdict::Reject => {
            after.status = Status::Rejected;
            Action::ChangeSetRejected
        }
        Verdict::Approve => {
            if reviewers.len() >= wanted {
                after.status = Status::Approved;
            }
            Action::ChangeSetApproved
        }
    };
    after.touch(now);
    store::update(unit, org_id, &after).await?;
    if after.status != Status::Pending {
        announcements.set_decided(unit, &after).await?;
    }
    let event = event(action, &before, &after);
    Ok(unit.record(event, after).await?)
}
