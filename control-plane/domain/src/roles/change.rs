//! Creating, replacing and deleting custom roles.

use super::{
    input::RoleWish,
    model::{BuiltIn, CustomRole},
    store,
};
use crate::{
    events::{Action, Event, Subject},
    unit::{Expected, OrgChange, Recorded},
};
use base::{
    ids::CustomRoleId,
    refusal::{Missing, Refusal},
};

pub async fn create(
    change: &mut OrgChange<'_>,
    role: CustomRole,
) -> Result<Recorded<CustomRole>, Refusal> {
    refuse_built_in_name(&role.name)?;
    let org_id = change.org_id();
    if store::count(change, org_id).await? >= 200 {
        return Err(Refusal::invalid(
            "an organization has at most 200 custom roles",
        ));
    }
    store::insert(change, org_id, &role).await?;
    let event = Event::created(Action::RoleCreated, Subject::Role(role.id), &role);
    Ok(change.record(event, role).await?)
}

/// Replaces name and permissions, effective from each member's next request. Records nothing if both stay the same.
pub async fn update(
    change: &mut OrgChange<'_>,
    id: CustomRoleId,
    wish: RoleWish,
    expected: &Expected,
) -> Result<Recorded<CustomRole>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = store::find_stored(change, org_id, id).await?;
    let before = before.ok_or(Missing::Role)?;
    expected.check(before.version)?;
    refuse_built_in_name(&wish.name)?;
    let role = wish.replace(&before);
    if role == before {
        return Ok(change.unchanged(before));
    }
    let role = CustomRole {
        version: before.version + 1,
        ..role
    };
    store::update(change, org_id, &role, now).await?;
    let event = Event::updated(Action::RoleUpdated, Subject::Role(id), &before, &role);
    Ok(change.record(event, role).await?)
}

/// Deletes a role that no member has.
pub async fn delete(
    change: &mut OrgChange<'_>,
    id: CustomRoleId,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let org_id = change.org_id();
    let role = store::find_stored(change, org_id, id).await?;
    let role = role.ok_or(Missing::Role)?;
    expected.check(role.version)?;
    store::delete(change, org_id, id).await?;
    let event = Event::deleted(Action::RoleDeleted, Subject::Role(id), &role);
    Ok(change.record(event, ()).await?)
}

fn refuse_built_in_name(name: &str) -> Result<(), Refusal> {
    if BuiltIn::is_named(name) {
        Err(Refusal::conflict(store::NAME_TAKEN))
    } else {
        Ok(())
    }
}
