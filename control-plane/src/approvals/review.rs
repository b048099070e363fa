//! Deciding about a request: the decision, the change of the flag state and the audit entry are one transaction.
//!
//! Why one review wins. Whoever reviews takes the lock of the request's row first, and only then looks whether it is pending;
//! the lock is held until commit, so a second reviewer, on whatever replica, sees what the first decided. Locks are taken in
//! one order: the request, then the flag's project. Nobody who holds a project's lock asks for that of a request, so no two
//! wait for each other.

use serving::clock::Clock;
use time::OffsetDateTime;

use super::{
    model::{Approval, Status, Verdict},
    store,
};
use crate::{
    blocking::blocking,
    db::{self, Db},
    environments,
    events::{Action, Event, Subject},
    flags::{
        self,
        change::{self, Authority, Place, StateError},
        states::{self, input::StateWish},
    },
    ids::{ApprovalId, OrgId, UserId},
    input::Invalid,
    publish::version::DrawError,
    unit::{Draft, Recorded, Unit},
};

/// Why a review changed nothing. The unit of work must be given up.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The request is gone, with its organization.
    #[error("approval request not found")]
    Gone,
    /// Somebody decided before.
    #[error("approval request is not pending")]
    NotPending,
    /// The reviewer is who asked.
    #[error("your own approval request must be reviewed by somebody else")]
    OwnRequest,
    /// The flag was deleted meanwhile.
    #[error("the flag of the approval request is gone")]
    FlagGone,
    /// The environment was deleted meanwhile.
    #[error("the environment of the approval request is gone")]
    EnvironmentGone,
    /// What is asked for breaks a rule by now.
    #[error("the approval request can no longer be applied: {0}")]
    NotApplicable(String),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<Invalid> for ReviewError {
    fn from(invalid: Invalid) -> Self {
        Self::NotApplicable(invalid.to_string())
    }
}

impl From<StateError> for ReviewError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::FlagGone => Self::FlagGone,
            StateError::EnvironmentGone => Self::EnvironmentGone,
            StateError::Database(source) | StateError::Draw(DrawError::Database(source)) => {
                source.into()
            }
            StateError::Draw(_)
            | StateError::NothingToPromote
            | StateError::KeyMissing
            | StateError::Denied => Self::NotApplicable(error.to_string()),
        }
    }
}

/// What a reviewer decides.
pub enum Decision {
    /// It shall be applied. Refusals wait until the request is known to be pending.
    Approve(Result<Box<Draft<StateWish>>, ReviewError>),
    /// It asks for nothing, and shall be closed.
    ApproveNothing,
    /// It shall not be applied.
    Reject,
}

impl Decision {
    /// Works out what a verdict comes to, before any lock is taken.
    pub async fn prepare(
        verdict: Verdict,
        db: &Db,
        org_id: OrgId,
        approval: &Approval,
        now: OffsetDateTime,
    ) -> db::Result<Self> {
        if verdict == Verdict::Reject {
            return Ok(Self::Reject);
        }
        match draft(db, org_id, approval, now).await {
            Ok(None) => Ok(Self::ApproveNothing),
            Ok(Some(draft)) => Ok(Self::Approve(Ok(Box::new(draft)))),
            Err(ReviewError::Database(source)) => Err(source),
            Err(refusal) => Ok(Self::Approve(Err(refusal))),
        }
    }

    const fn verdict(&self) -> Verdict {
        match self {
            Self::Approve(_) | Self::ApproveNothing => Verdict::Approve,
            Self::Reject => Verdict::Reject,
        }
    }
}

async fn draft(
    db: &Db,
    org_id: OrgId,
    asked: &Approval,
    now: OffsetDateTime,
) -> Result<Option<Draft<StateWish>>, ReviewError> {
    let mut conn = db.acquire().await?;
    let flag = flags::store::find_by_id(&mut conn, org_id, asked.project_id, asked.flag_id)
        .await?
        .ok_or(ReviewError::FlagGone)?;
    environments::store::find(&mut conn, org_id, asked.project_id, asked.env_id)
        .await?
        .ok_or(ReviewError::EnvironmentGone)?;
    let Some(patch) = asked.payload.wish(&asked.change_type)? else {
        return Ok(None);
    };
    let stored = states::store::find(&mut conn, org_id, asked.flag_id, asked.env_id).await?;
    drop(conn);
    // Regular expressions are compiled to check them.
    let draft = blocking(move || {
        let wish = patch.check(flag.flag_type, now)?;
        Ok::<_, Invalid>(Draft::new(wish, stored))
    });
    Ok(Some(draft.await?))
}

/// Decides about a request, which stays pending when this fails.
pub async fn review(
    unit: &mut Unit,
    clock: &Clock,
    id: ApprovalId,
    decision: Decision,
    note: Option<String>,
    reviewer: UserId,
) -> Result<Recorded<Approval>, ReviewError> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let asked = store::find_for_update(unit, org_id, id)
        .await?
        .ok_or(ReviewError::Gone)?;
    if asked.status != Status::Pending {
        return Err(ReviewError::NotPending);
    }
    if asked.requestor_id == reviewer {
        return Err(ReviewError::OwnRequest);
    }
    let reviewed = asked.reviewed(decision.verdict(), note, reviewer, now);
    store::update(unit, org_id, &reviewed).await?;

    let place = Place {
        flag_id: asked.flag_id,
        env_id: asked.env_id,
    };
    let draft = match decision {
        Decision::Reject => {
            let subject = Subject::Approval(id);
            let event = Event::updated(Action::ApprovalRejected, subject, &asked, &reviewed);
            return Ok(unit
                .record(event.in_project(asked.project_id), reviewed)
                .await?);
        }
        Decision::ApproveNothing => None,
        Decision::Approve(draft) => Some(draft?),
    };
    let mut project = unit
        .lock_project(clock, asked.project_id)
        .await?
        .ok_or(ReviewError::FlagGone)?;
    let recorded = match draft {
        None => change::note_approved(&mut project, place, id).await?,
        Some(draft) => change::update(&mut project, place, *draft, Authority::Approved(id))
            .await?
            .map(drop),
    };
    Ok(recorded.map(|()| reviewed))
}
