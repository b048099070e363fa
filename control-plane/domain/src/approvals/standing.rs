//! Whether enough people have approved a request. The environment's number is read at each approval, under the project's lock;
//! an approval counts as long as its giver may review.

use super::{
    model::{Approval, GivenApproval, Verdict},
    review::no_longer_applies,
};
use crate::{environments, members, unit::ProjectChange};
use base::refusal::{Missing, Refusal};

pub(super) enum Standing {
    /// The request, decided.
    Enough(Approval),
    /// The request, pending, with the approvals so far.
    Waiting(Approval),
}

/// The request with another approval. Locks those who approved until the end of the transaction.
pub(super) async fn with(
    change: &mut ProjectChange<'_>,
    asked: &Approval,
    given: GivenApproval,
) -> Result<Standing, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let env = environments::store::find(change, org_id, asked.project_id, asked.env_id).await?;
    let env = env.ok_or(Missing::Environment).map_err(no_longer_applies)?;
    let reviewer = given.reviewer_id;
    let so_far = &asked.approvals.0;
    let mut people: Vec<_> = so_far.iter().map(|one| one.reviewer_id).collect();
    people.push(reviewer);
    let reviewers = members::store::hold_reviewers(change, org_id, &people).await?;
    if !reviewers.contains(&reviewer) {
        return Err(Refusal::INSUFFICIENT);
    }
    let is_repeated = so_far.iter().any(|one| one.reviewer_id == reviewer);
    let counts =
        |one: &&GivenApproval| one.reviewer_id != reviewer && reviewers.contains(&one.reviewer_id);
    let mut approvals: Vec<_> = so_far.iter().filter(counts).cloned().collect();
    approvals.push(given.clone());
    let required = env.required_approvals;
    let is_enough = i32::try_from(approvals.len()).is_ok_and(|number| number >= required);
    if !is_enough && is_repeated {
        return Err(Refusal::conflict("you have approved this request already"));
    }
    let approved = Approval {
        required_approvals: required,
        ..asked.approved_by(approvals, now)
    };
    Ok(if is_enough {
        Standing::Enough(approved.reviewed(Verdict::Approve, given.note, reviewer, now))
    } else {
        Standing::Waiting(approved)
    })
}
