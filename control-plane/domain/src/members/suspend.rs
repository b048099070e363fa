//! Ending a membership that may come back: roles and environment permissions are kept until then. Both only ever narrow what a
//! member may do, so forgetting them would give somebody who comes back more than they had.
//!
//! What is kept belongs to the last suspension alone. Whoever is invited after it begins anew.

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

/// Ends a membership with its sessions, and keeps what the member was.
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

/// Makes a user a member: as they were when they were suspended, else with the role `otherwise`. Somebody who was held to a
/// custom role that has been deleted since comes back as a viewer: their role alone would allow them more than they had.
/// `known_as` is what the organization calls somebody whose account is not its own.
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
