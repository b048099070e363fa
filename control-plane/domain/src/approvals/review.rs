//! Deciding a request: the decision, the change of the flag state and the audit entry are one transaction.
//!
//! Only one review wins: a reviewer locks the request's row until commit before reading whether it is pending, so a second
//! reviewer, on any replica, sees the first decision. Locks are taken in one order, the request before the flag's project, so
//! no two wait for each other.

use serving::clock::Clock;
use time::OffsetDateTime;

use super::{
    basis::Sides,
    mail::Announcements,
    model::{Approval, GivenApproval, Status, Verdict},
    standing::{self, Standing},
    store,
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    flags::{
        self,
        change::{self, Authority, Place},
        states::{self, input::StateWish},
    },
    unit::{Draft, Expected, ProjectChange, Recorded, Unit},
};
use base::{
    db::Db,
    ids::{ApprovalId, OrgId, UserId},
    input::Invalid,
    limits::Limiter,
    refusal::{Missing, Refusal},
    warning::Warning,
};

pub enum Decision {
    /// Apply it. Refusals wait until the request is known to be pending.
    Approve(Result<Box<Draft<StateWish>>, Refusal>),
    /// Close it; there is nothing to apply.
    ApproveNothing,
    Reject,
}

impl Decision {
    /// Prepares a decision before any lock is taken.
    pub async fn prepare(
        verdict: Verdict,
        db: &Db,
        checks: &Limiter,
        org_id: OrgId,
        approval: &Approval,
        now: OffsetDateTime,
    ) -> Result<Self, Refusal> {
        if verdict == Verdict::Reject {
            return Ok(Self::Reject);
        }
        match draft(db, checks, org_id, approval, now).await {
            Ok(None) => Ok(Self::ApproveNothing),
            Ok(Some(draft)) => Ok(Self::Approve(Ok(Box::new(draft)))),
            Err(
                refusal @ (Refusal::Database(_)
                | Refusal::TooMany { .. }
                | Refusal::Unavailable { .. }),
            ) => Err(refusal),
            Err(refusal) => Ok(Self::Approve(Err(refusal))),
        }
    }
}

async fn draft(
    db: &Db,
    checks: &Limiter,
    org_id: OrgId,
    asked: &Approval,
    now: OffsetDateTime,
) -> Result<Option<Draft<StateWish>>, Refusal> {
    let mut conn = db.acquire().await?;
    let flag = flags::store::find_by_id(&mut conn, org_id, asked.project_id, asked.flag_id)
        .await?
        .ok_or(Missing::Flag)?;
    environments::store::find(&mut conn, org_id, asked.project_id, asked.env_id)
        .await?
        .ok_or(Missing::Environment)?;
    let Some(patch) = asked.payload.wish(&asked.change_type)? else {
        return Ok(None);
    };
    let stored = states::store::find(&mut conn, org_id, asked.flag_id, asked.env_id).await?;
    let basis = store::find_basis(&mut conn, org_id, asked.id).await?;
    drop(conn);
    let check = move || {
        let mut wish = patch.check(flag.flag_type, now)?;
        if let Some(basis) = basis {
            wish.name_rules_as(&basis.proposed_rules());
        }
        Ok::<_, Invalid>(Draft::new(wish, stored))
    };
    Ok(Some(checks.run(org_id, check).await??))
}

/// What a reviewer says.
#[derive(Debug)]
pub struct Word {
    pub note: Option<String>,
    /// The version of the flag's state that they have seen, if they name it.
    pub seen: Option<i64>,
}

/// Decides a request, which stays pending on failure, and while more people have to approve it. Mails the decision to the
/// requestor. Returns warnings about the applied state.
pub async fn review(
    unit: &mut Unit,
    clock: &Clock,
    announcements: Announcements<'_>,
    id: ApprovalId,
    decision: Decision,
    Word { note, seen }: Word,
    reviewer: UserId,
) -> Result<Recorded<(Approval, Vec<Warning>)>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let asked = store::find_for_update(unit, org_id, id)
        .await?
        .ok_or(Missing::Approval)?;
    if asked.status != Status::Pending {
        return Err(Refusal::conflict("approval request is not pending"));
    }
    if asked.requestor_id == reviewer {
        return Err(Refusal::Forbidden(
            "your own approval request must be reviewed by somebody else",
        ));
    }
    let draft = match decision {
        Decision::Reject => {
            let reviewed = asked.reviewed(Verdict::Reject, note, reviewer, now);
            store::update(unit, org_id, &reviewed).await?;
            let reviewed = store::get(unit, org_id, id).await?;
            announcements.decided(unit, &reviewed).await?;
            let subject = Subject::Approval(id, asked.env_id);
            let event = Event::updated(Action::ApprovalRejected, subject, &asked, &reviewed);
            return Ok(unit
                .record(event.in_project(asked.project_id), (reviewed, Vec::new()))
                .await?);
        }
        Decision::ApproveNothing => None,
        Decision::Approve(draft) => Some(draft.map_err(no_longer_applies)?),
    };
    let project = unit.lock_project(clock, asked.project_id).await?;
    let mut project = project.ok_or(Missing::Flag).map_err(no_longer_applies)?;
    let given = GivenApproval {
        reviewer_id: reviewer,
        note,
        reviewed_at: now,
    };
    let standing = standing::with(&mut project, &asked, given).await?;
    if draft.is_some() {
        let is_applied = matches!(standing, Standing::Enough(_));
        let sides = Sides::read(&mut project, org_id, &asked).await?;
        sides.diff(&asked).check(seen, is_applied)?;
    }
    let reviewed = match standing {
        Standing::Enough(reviewed) => reviewed,
        Standing::Waiting(noted) => return note_approval(&mut project, &asked, noted).await,
    };
    store::update(&mut project, org_id, &reviewed).await?;
    let reviewed = store::get(&mut project, org_id, id).await?;
    let place = Place {
        flag_id: asked.flag_id,
        env_id: asked.env_id,
    };
    let recorded = match draft {
        None => change::note_approved(&mut project, place, id)
            .await
            .map(|recorded| recorded.map(|()| Vec::new())),
        Some(draft) => change::update(
            &mut project,
            place,
            *draft,
            Authority::Approved(id),
            &Expected::Any,
        )
        .await
        .map(|recorded| recorded.map(|(_, warnings)| warnings)),
    };
    let recorded = recorded.map_err(no_longer_applies)?;
    announcements.decided(unit, &reviewed).await?;
    Ok(recorded.map(|warnings| (reviewed, warnings)))
}

/// Stores an approval that is not the last one: the request stays pending.
async fn note_approval(
    project: &mut ProjectChange<'_>,
    asked: &Approval,
    noted: Approval,
) -> Result<Recorded<(Approval, Vec<Warning>)>, Refusal> {
    let org_id = project.org_id();
    store::update(project, org_id, &noted).await?;
    let subject = Subject::Approval(asked.id, asked.env_id);
    let event = Event::updated(Action::ApprovalApproved, subject, asked, &noted);
    let event = event.in_project(asked.project_id);
    Ok(project.record(event, (noted, Vec::new())).await?)
}

/// A refusal of the change itself becomes a conflict: the request was valid once, and stays pending.
pub(super) fn no_longer_applies(refusal: impl Into<Refusal>) -> Refusal {
    match refusal.into() {
        Refusal::Gone(Missing::Flag) => {
            Refusal::conflict("the flag of the approval request is gone")
        }
        Refusal::Gone(Missing::Environment) => {
            Refusal::conflict("the environment of the approval request is gone")
        }
        fault @ (Refusal::Database(_) | Refusal::Fault(_)) => fault,
        refusal => Refusal::conflict(format!(
            "the approval request can no longer be applied: {refusal}"
        )),
    }
}
