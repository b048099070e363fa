//! Setting a member's permissions in environments.

use super::{model::EnvironmentPermission, store};
use crate::{
    environments,
    events::{Action, Event, Subject},
    members, projects,
    unit::{Recorded, Unit},
};
use base::{
    ids::{EnvId, MemberId},
    refusal::{Missing, Refusal},
};

/// Stores rows of a member, all or none; returns all rows of the member. Records nothing if they are stored already.
pub async fn update(
    unit: &mut Unit,
    member_id: MemberId,
    rows: &[EnvironmentPermission],
) -> Result<Recorded<Vec<EnvironmentPermission>>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let env_ids: Vec<EnvId> = rows.iter().map(|row| row.env_id).collect();
    // Projects before the member, in the order of changes of flag states.
    projects::store::lock_of_environments(unit, org_id, &env_ids).await?;
    if !members::store::lock(unit, org_id, member_id).await? {
        return Err(Missing::Member.into());
    }
    let known = environments::store::count_among(unit, org_id, &env_ids).await?;
    if usize::try_from(known) != Ok(env_ids.len()) {
        return Err(Missing::Environment.into());
    }
    let before = store::list(unit, org_id, member_id).await?;
    let is_stored = |row: &EnvironmentPermission| before.iter().any(|stored| stored.allows_as(row));
    if rows.iter().all(is_stored) {
        return Ok(unit.unchanged(before));
    }
    store::upsert(unit, org_id, rows, now).await?;
    let after = store::list(unit, org_id, member_id).await?;
    let subject = Subject::Member(member_id);
    let event = Event::updated(Action::MemberPermissionsUpdated, subject, &before, &after);
    Ok(unit.record(event, after).await?)
}
