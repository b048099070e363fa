//! Using grants: looking for one that allows a change, and taking its share of the budget.

use serde::Serialize;

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
    ids::GrantId,
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

/// Takes the first grant of the caller that allows the change; else says why none of them does. Call it under the project's lock,
/// in the transaction of the change: the grants are locked until it ends, and so are those who gave them.
pub(crate) async fn spend(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    place: Place,
    (stored, state): (Option<&FlagState>, &FlagState),
) -> Result<Result<Spent, Vec<RefusedGrant>>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let Place { flag_id, env_id } = place;
    let givers = store::lock_of(change, caller, env_id).await?;
    if givers.is_empty() {
        return Ok(Err(Vec::new()));
    }
    members::store::hold_reviewers(change, org_id, &givers).await?;
    let sought = Sought {
        id: None,
        env_id: Some(env_id),
        of: Some(caller),
    };
    let grants = store::list(change, org_id, project_id, sought, now).await?;
    let flag = flags::store::find_by_id(change, org_id, project_id, flag_id).await?;
    let tags = flag.ok_or(Missing::Flag)?.tags;
    let moved = Moved::of(stored, state);
    let mut refused = Vec::new();
    for standing in grants {
        match standing.refuses(&moved, &tags, caller.user_id, now) {
            None => return Ok(Ok(take(change, standing, &moved).await?)),
            Some(closed) if refused.len() < TOLD => refused.push(RefusedGrant {
                id: standing.grant.id,
                name: standing.grant.name,
                clause: closed.clause,
                message: closed.message,
            }),
            Some(_) => {}
        }
    }
    Ok(Err(refused))
}

async fn take(
    change: &mut ProjectChange<'_>,
    standing: Standing,
    moved: &Moved,
) -> db::Result<Spent> {
    let (org_id, now) = (change.org_id(), change.now());
    let points = match moved {
        Moved::Percentages { raised, .. } => *raised,
        Moved::Off | Moved::Otherwise(_) => 0,
    };
    let grant = standing.grant;
    if points > 0 {
        store::insert_use(change, org_id, &grant, points, now).await?;
    }
    Ok(Spent {
        id: grant.id,
        name: grant.name,
        points,
    })
}
