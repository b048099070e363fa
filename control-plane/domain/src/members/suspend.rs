//! Suspending a membership: roles and environment permissions are stored until it is reinstated. Both only narrow a member's
//! permissions, so losing them would widen those of a reinstated member.
//!
//! The stored roles belong to the last suspension alone; a later invitation starts afresh.

use super::{
    change::{self, Acting, admit, allow_another},
    model::{Membership, Role},
    store::{self, former},
};
use crate::{roles, unit::OrgChange};
use base::{
    ids::{MemberId, UserId},
    refusal::Refusal,
};

/// Ends a membership with its sessions, and stores its roles.
pub async fn suspend(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
    user_id: UserId,
) -> Result<(), Refusal> {
    let org_id = change.org_id();
    former::insert(change, org_id, user_id, id).await?;
    change::end(change, acting, id).await?;
    Ok(())
}

/// Makes a user a member: with the roles of their suspended membership, else with the role `otherwise`. If their custom role
/// was deleted since, they become a viewer: their role alone would widen their permissions. `known_as` is the organization's
/// name for a user whose account is not its own.
pub async fn reinstate(
    change: &mut OrgChange<'_>,
    user_id: UserId,
    otherwise: Role,
    known_as: Option<&str>,
) -> Result<(), Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    allow_another(change).await?;
    let Some(kept) = former::find(change, org_id, user_id).await? else {
        admit(change, user_id, otherwise, known_as).await?;
        return Ok(());
    };
    let custom_role = match kept.custom_role_id {
        None => None,
        Some(id) => Some(roles::store::find(change, org_id, id).await?),
    };
    let (role, custom_role_id) = match custom_role {
        None => (kept.role, None),
        Some(Some(found)) => (kept.role, Some(found.id)),
        Some(None) => (Role::Viewer, None),
    };
    let membership = Membership::new(org_id, user_id, role, now);
    store::insert_given(change, &membership, known_as, now).await?;
    store::update_roles(change, org_id, membership.id, role, custom_role_id).await?;
    former::restore_permissions(change, org_id, user_id, membership.id, now).await?;
    Ok(former::delete(change, org_id, user_id).await?)
}
