//! Changing and removing members, and the common rules.

use super::{
    caller::Caller,
    input::MemberChange,
    model::{Member, Membership, Ownership, Role},
    store,
};
use crate::{
    accounts::store::{families, one_time_tokens, users},
    events::{Action, Event, Subject},
    orgs::{self, Counted},
    roles,
    sign_in::store::removals,
    unit::{OrgChange, Recorded},
};
use base::{
    db,
    ids::{CustomRoleId, MemberId, UserId},
    input::Patch,
    refusal::{Missing, Refusal},
};

/// The author of a change of members, which limits the roles that may be given and taken.
#[derive(Clone, Copy, Debug)]
pub enum Acting<'a> {
    /// A member, whose role is read again under the organization's lock.
    Member(&'a Caller),
    /// An operator of the installation, who may do everything.
    Operator,
    /// An identity provider, with the role of the token's creator, if they may still manage members.
    Provider(Option<Role>),
}

const BEYOND_TOKEN: Refusal = Refusal::Forbidden(
    "the SCIM token may not handle members with this role: it may do what whoever made it may do now, so have an owner make another",
);

impl Acting<'_> {
    /// Refuses roles reserved to owners, by the caller's role at the start of the request.
    pub fn may_handle(self, roles: &[Role]) -> Result<(), Refusal> {
        match self {
            Self::Member(caller) if !caller.role.may_handle(roles) => Err(Refusal::INSUFFICIENT),
            Self::Provider(Some(maker)) if !maker.may_handle(roles) => Err(BEYOND_TOKEN),
            // Provisioning of unprivileged members continues after its creator leaves.
            Self::Provider(None) if roles.iter().any(|role| role.is_manager()) => Err(BEYOND_TOKEN),
            Self::Member(_) | Self::Operator | Self::Provider(_) => Ok(()),
        }
    }

    /// Refuses a caller who was demoted or removed while waiting for the organization's lock: of two owners who remove each
    /// other at once, one succeeds.
    pub(crate) async fn confirm(
        self,
        change: &mut OrgChange<'_>,
        roles: &[Role],
    ) -> Result<(), Refusal> {
        let Self::Member(caller) = self else {
            return Ok(());
        };
        let now = store::find(change, caller.org_id, caller.member_id).await?;
        let now = now.ok_or(Refusal::INVALID_TOKEN)?;
        if now.role.may_handle(roles) {
            Ok(())
        } else {
            Err(Refusal::INSUFFICIENT)
        }
    }

    pub(super) async fn is_verified(self, change: &mut OrgChange<'_>) -> db::Result<bool> {
        match self {
            Self::Member(caller) => users::is_verified(change, caller.user_id).await,
            Self::Operator | Self::Provider(_) => Ok(true),
        }
    }

    /// The name that mail shows.
    pub(super) async fn name(self, change: &mut OrgChange<'_>) -> db::Result<String> {
        match self {
            Self::Member(caller) => Ok(users::get(change, caller.user_id).await?.name),
            Self::Operator => Ok("The operator".to_owned()),
            Self::Provider(_) => Ok("Your identity provider".to_owned()),
        }
    }

    pub(super) fn is(self, member_id: MemberId) -> bool {
        matches!(self, Self::Member(caller) if caller.member_id == member_id)
    }
}

/// Changes the role of a member, and the custom role that narrows it, at once: tokens that were issued before count for the
/// new ones. Records nothing if both stay the same.
pub async fn update(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
    wanted: MemberChange,
) -> Result<Recorded<()>, Refusal> {
    let before = find(change, id).await?;
    let custom_role_id = match wanted.custom_role_id {
        Patch::Keep => before.custom_role_id,
        Patch::Clear => None,
        Patch::Set(role_id) => Some(assignable(change, role_id).await?),
    };
    let member = Member {
        role: wanted.role.unwrap_or(before.role),
        custom_role_id,
        ..before.clone()
    };
    let touched = [before.role, member.role];
    // First, so that no admin learns from the other refusal how many owners there are.
    acting.may_handle(&touched)?;
    keep_an_owner(change, &before, member.ownership()).await?;
    acting.confirm(change, &touched).await?;
    if member == before {
        return Ok(change.unchanged(()));
    }

    let (org_id, custom_role_id) = (member.org_id, member.custom_role_id);
    store::update_roles(change, org_id, id, member.role, custom_role_id).await?;
    let event = Event::updated(
        Action::MemberRoleChanged,
        Subject::Member(id),
        &before,
        &member,
    );
    Ok(change.record(event, ()).await?)
}

/// Checks the bound on members and the seats of the plan for one more.
pub(crate) async fn allow_another(change: &mut OrgChange<'_>) -> Result<(), Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let seats_used = store::count(change, org_id).await?;
    change.org().allow_another(Counted::Seats, seats_used, now)
}

/// Adds a membership, and deletes the user's former one. `known_as` is the organization's name for a user whose account is not
/// its own.
pub(crate) async fn admit(
    change: &mut OrgChange<'_>,
    user_id: UserId,
    role: Role,
    known_as: Option<&str>,
) -> db::Result<Membership> {
    let (org_id, now) = (change.org_id(), change.now());
    store::former::delete(change, org_id, user_id).await?;
    let membership = Membership::new(org_id, user_id, role, now);
    store::insert_given(change, &membership, known_as, now).await?;
    Ok(membership)
}

/// Removes a member, and ends their sessions in the organization. The account stays, with its other memberships.
pub async fn remove(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
) -> Result<Recorded<()>, Refusal> {
    let member = end(change, acting, id).await?;
    let event = Event::deleted(Action::MemberRemoved, Subject::Member(id), &member);
    Ok(change.record(event, ()).await?)
}

/// Ends a membership with its sessions, without recording it; returns the former member.
pub async fn end(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
) -> Result<Member, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let member = find(change, id).await?;
    if acting.is(id) {
        return Err(Refusal::invalid("members cannot remove themselves"));
    }
    acting.may_handle(&[member.role])?;
    keep_an_owner(change, &member, Ownership::None).await?;
    acting.confirm(change, &[member.role]).await?;

    removals::insert(change, org_id, member.user_id, now).await?;
    store::delete(change, org_id, id).await?;
    // Otherwise they would be valid after another invitation. Tokens first: a concurrent exchange opens a session.
    one_time_tokens::delete_of_member(change, org_id, member.user_id).await?;
    families::revoke_in(change, org_id, member.user_id, now).await?;
    Ok(member)
}

pub(super) async fn find(change: &mut OrgChange<'_>, id: MemberId) -> Result<Member, Refusal> {
    let org_id = change.org_id();
    let found = store::find(change, org_id, id).await?;
    found.ok_or(Missing::Member.into())
}

/// The custom role, if it may be given. The organization's lock protects it from deletion.
pub(crate) async fn assignable(
    change: &mut OrgChange<'_>,
    id: Option<CustomRoleId>,
) -> Result<CustomRoleId, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let id = id.ok_or(Missing::Role)?;
    let role = roles::store::find(change, org_id, id).await?;
    let role = role.ok_or(Missing::Role)?;
    // Every plan may remove a role; giving one, even a built-in one, requires this feature.
    orgs::require(change, org_id, now, &orgs::CUSTOM_ROLES).await?;
    Ok(role.id)
}

/// Keeps at least one owner without a custom role, who can undo any change.
async fn keep_an_owner(
    change: &mut OrgChange<'_>,
    before: &Member,
    after: Ownership,
) -> Result<(), Refusal> {
    if after >= before.ownership() {
        return Ok(());
    }
    let others = store::ownership_of_others(change, before.org_id, before.id).await?;
    if others.max(after) < others.max(before.ownership()) {
        return Err(Refusal::conflict("an organization needs an owner"));
    }
    Ok(())
}
