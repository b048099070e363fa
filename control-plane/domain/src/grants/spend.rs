//! Using grants: looking for one that allows a change, and taking its share of the budget.

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    model::Standing,
    moved::Moved,
    store::{self, Sought},
};
use crate::{
    flags::{self, change::Place, states::model::FlagState},
    members::{self, caller::Caller},
    unit::ProjectChange,
};
use base::{
    db,
    ids::{EnvId, GrantId, UserId},
    refusal::{Missing, Refusal, RefusedGrant},
};

/// Grants whose refusals are told.
const TOLD: usize = 20;

/// The grant that allowed a change, for the audit log.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Spent {
    id: GrantId,
    name: String,
    /// The basis points that it took.
    points: i32,
}

/// The grants of a caller in an environment, and what is taken from them.
pub(crate) struct Purse {
    user_id: UserId,
    now: OffsetDateTime,
    /// Each with the basis points that are taken.
    grants: Vec<(Standing, i32)>,
}

impl Purse {
    /// Call it under the project's lock, in the transaction of the changes: the grants are locked until it ends, and so are those
    /// who gave them.
    pub(crate) async fn open(
        change: &mut ProjectChange<'_>,
        caller: &Caller,
        env_id: EnvId,
    ) -> Result<Self, Refusal> {
        let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
        let givers = store::lock_of(change, caller, env_id).await?;
        let mut grants = Vec::new();
        if !givers.is_empty() {
            members::store::hold_reviewers(change, org_id, &givers).await?;
            let sought = Sought {
                id: None,
                env_id: Some(env_id),
                of: Some(caller),
            };
            grants = store::list(change, org_id, project_id, sought, now).await?;
        }
        Ok(Self {
            user_id: caller.user_id,
            now,
            grants: grants.into_iter().map(|standing| (standing, 0)).collect(),
        })
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.grants.is_empty()
    }

    /// Takes from the first grant that allows the change of a flag with these tags; else says why none of them does.
    pub(crate) fn spend(
        &mut self,
        (stored, state): (Option<&FlagState>, &FlagState),
        tags: &[String],
    ) -> Result<Spent, Vec<RefusedGrant>> {
        let moved = Moved::of(stored, state);
        let mut refused = Vec::new();
        for (standing, taken) in &mut self.grants {
            let Some(closed) = standing.refuses(&moved, tags, self.user_id, self.now) else {
                let points = match moved {
                    Moved::Percentages { raised, .. } => raised,
                    Moved::Off | Moved::Otherwise(_) => 0,
                };
                standing.left -= points;
                *taken += points;
                return Ok(Spent {
                    id: standing.grant.id,
                    name: standing.grant.name.clone(),
                    points,
                });
            };
            if refused.len() < TOLD {
                refused.push(RefusedGrant {
                    id: standing.grant.id,
                    name: standing.grant.name.clone(),
                    clause: closed.clause,
                    message: closed.message,
                });
            }
        }
        Err(refused)
    }

    /// Stores what was taken.
    pub(crate) async fn close(self, change: &mut ProjectChange<'_>) -> db::Result<()> {
        let (org_id, now) = (change.org_id(), self.now);
        for (standing, taken) in self.grants {
            if taken > 0 {
                store::insert_use(change, org_id, &standing.grant, taken, now).await?;
            }
        }
        Ok(())
    }
}

/// Takes the first grant of the caller that allows one change, as [`Purse`] does.
pub(crate) async fn spend(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    place: Place,
    states: (Option<&FlagState>, &FlagState),
) -> Result<Result<Spent, Vec<RefusedGrant>>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let mut purse = Purse::open(change, caller, place.env_id).await?;
    if purse.is_empty() {
        return Ok(Err(Vec::new()));
    }
    let flag = flags::store::find_by_id(change, org_id, project_id, place.flag_id).await?;
    let spent = purse.spend(states, &flag.ok_or(Missing::Flag)?.tags);
    purse.close(change).await?;
    Ok(spent)
}
