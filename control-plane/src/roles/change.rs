//! Creating, replacing and deleting custom roles.

use super::{
    input::RoleWish,
    model::{BuiltIn, CustomRole, MAX_ROLES},
    store,
};
use crate::{
    db::{self, WriteError},
    events::{Action, Event, Subject},
    ids::CustomRoleId,
    unit::{OrgChange, Recorded},
};

/// Why custom roles stay as they are.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The organization has no such role, or no longer.
    #[error("role not found")]
    Gone,
    /// There can be no more of them.
    #[error("an organization has at most {MAX_ROLES} custom roles")]
    TooMany,
    /// The name is taken, or members have the role.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Creates a role.
pub async fn create(
    change: &mut OrgChange<'_>,
    role: CustomRole,
) -> Result<Recorded<CustomRole>, ChangeError> {
    refuse_built_in_name(&role.name)?;
    let org_id = change.org_id();
    if store::count(change, org_id).await? >= MAX_ROLES {
        return Err(ChangeError::TooMany);
    }
    store::insert(change, org_id, &role).await?;
    let event = Event::created(Action::RoleCreated, Subject::Role(role.id), &role);
    Ok(change.record(event, role).await?)
}

/// Replaces name and permissions. They count from the next request of each of its members on.
pub async fn update(
    change: &mut OrgChange<'_>,
    id: CustomRoleId,
    wish: RoleWish,
) -> Result<Recorded<CustomRole>, ChangeError> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = store::find_stored(change, org_id, id).await?;
    let before = before.ok_or(ChangeError::Gone)?;
    refuse_built_in_name(&wish.name)?;
    let role = wish.replace(&before);
    store::update(change, org_id, &role, now).await?;
    let event = Event::updated(Action::RoleUpdated, Subject::Role(id), &before, &role);
    Ok(change.record(event, role).await?)
}

/// Deletes a role that no member has.
pub async fn delete(
    change: &mut OrgChange<'_>,
    id: CustomRoleId,
) -> Result<Recorded<()>, ChangeError> {
    let org_id = change.org_id();
    let role = store::find_stored(change, org_id, id).await?;
    let role = role.ok_or(ChangeError::Gone)?;
    store::delete(change, org_id, id).await?;
    let event = Event::deleted(Action::RoleDeleted, Subject::Role(id), &role);
    Ok(change.record(event, ()).await?)
}

fn refuse_built_in_name(name: &str) -> Result<(), WriteError> {
    if BuiltIn::is_named(name) {
        Err(WriteError::Conflict(store::NAME_TAKEN))
    } else {
        Ok(())
    }
}
