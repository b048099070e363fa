//! Deciding about a request: the decision, the change of the flag state and the audit entry are one transaction.
//!
//! Why one review wins. Whoever reviews takes the lock of the request's row first, and only then looks whether it is pending;
//! the lock is held until commit, so a second reviewer, on whatever replica, sees what the first decided. Locks are taken in
//! one order: the request, then the flag's project ([`LockedFlag::find_by_id`]). Nobody who holds a project's lock asks for
//! that of a request, so no two wait for each other.

use time::OffsetDateTime;

use super::{
    model::{Approval, Status, Verdict},
    store,
};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Tx},
    flags::change::{LockedFlag, UpdateError},
    ids::{ApprovalId, OrgId, UserId},
    input::Invalid,
    publish::version::{Change, DrawError},
};

/// Why a review changed nothing. The transaction must be given up.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
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

impl From<UpdateError> for ReviewError {
    fn from(error: UpdateError) -> Self {
        match error {
            UpdateError::Invalid(invalid) => invalid.into(),
            UpdateError::Draw(DrawError::Database(source)) => source.into(),
            UpdateError::Draw(bound) => Self::NotApplicable(bound.to_string()),
        }
    }
}

/// Who decides, and when.
#[derive(Clone, Copy, Debug)]
pub struct Reviewer {
    /// The user.
    pub id: UserId,
    /// The same as the trail names them.
    pub actor: Actor,
    /// Now.
    pub now: OffsetDateTime,
}

/// A request whose row is locked: nobody else decides about it before the transaction ends.
#[derive(Debug)]
pub struct LockedApproval {
    org_id: OrgId,
    approval: Approval,
}

impl LockedApproval {
    /// Takes the lock of the request. `None` when the organization has no such request.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(tx: &mut Tx, org_id: OrgId, id: ApprovalId) -> db::Result<Option<Self>> {
        let approval = store::find_for_update(tx, org_id, id).await?;
        Ok(approval.map(|approval| Self { org_id, approval }))
    }

    /// Decides. The change is there when a flag state changed: after an approval, unless nothing was asked for.
    ///
    /// # Errors
    /// [`ReviewError`]; the request stays pending then.
    pub async fn review(
        self,
        tx: &mut Tx,
        verdict: Verdict,
        note: Option<String>,
        reviewer: Reviewer,
    ) -> Result<(Approval, Option<Change>), ReviewError> {
        if self.approval.status != Status::Pending {
            return Err(ReviewError::NotPending);
        }
        if self.approval.requestor_id == reviewer.id {
            return Err(ReviewError::OwnRequest);
        }
        let reviewed = self
            .approval
            .reviewed(verdict, note, reviewer.id, reviewer.now);
        store::update(tx, self.org_id, &reviewed).await?;
        let change = match verdict {
            Verdict::Approve => self.apply(tx, reviewer).await?,
            Verdict::Reject => {
                self.record_rejection(tx, &reviewed, reviewer).await?;
                None
            }
        };
        Ok((reviewed, change))
    }

    async fn apply(&self, tx: &mut Tx, reviewer: Reviewer) -> Result<Option<Change>, ReviewError> {
        let asked = &self.approval;
        let flag = LockedFlag::find_by_id(tx, self.org_id, asked.flag_id)
            .await?
            .ok_or(ReviewError::FlagGone)?;
        let place = flag
            .state(tx, asked.env_id)
            .await?
            .ok_or(ReviewError::EnvironmentGone)?;
        let patch = asked.payload.wish(&asked.change_type)?;
        let change = place
            .apply_approved(tx, asked.id, patch, reviewer.actor, reviewer.now)
            .await?;
        Ok(change)
    }

    async fn record_rejection(
        &self,
        tx: &mut Tx,
        rejected: &Approval,
        reviewer: Reviewer,
    ) -> db::Result<()> {
        let entry = Entry::new(self.org_id, reviewer.actor, "approval.rejected")
            .on(rejected.id)
            .in_project(rejected.project_id)
            .before(&self.approval)
            .after(rejected);
        audit::store::record(tx, entry, reviewer.now).await
    }
}
