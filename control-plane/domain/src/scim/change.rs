//! Changes of users by identity providers, under the organization's lock. Each change is one event, which covers the
//! membership: `scim.user_provisioned` for a new user or membership, `scim.user_deactivated` when it ends, `scim.user_removed`
//! after a DELETE, else `scim.user_updated`.

use time::OffsetDateTime;

use super::{
    account::{self, find_or_make},
    fields::not_an_address,
    filter::Filter,
    input::{NewUser, Wanted},
    model::{Attributes, PersonName, ScimUser, folded},
    patch::Edits,
    refused::{Refused, taken},
    resource::UserState,
    store::{self, Record},
};
use crate::{
    accounts::store::stubs::Made,
    events::{Action, Event, Subject},
    members::{
        self,
        change::Acting,
        model::Role,
        suspend::{reinstate, suspend},
    },
    unit::{OrgChange, Recorded},
};
use base::{
    ids::UserId,
    refusal::{Missing, Refusal},
};

#[derive(Debug)]
pub struct Provisioned {
    pub user: ScimUser,
    /// Whether they were not yet a user of the organization.
    pub is_new: bool,
}

/// Creates, reactivates or updates a user: a new one, an existing one, a removed one, or the holder of an account. Known
/// attributes stay where the new ones are missing.
pub async fn provision(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    new: NewUser,
    default_role: Role,
) -> Result<Recorded<Provisioned>, Refused> {
    let NewUser { attributes, active } = new;
    let org_id = change.org_id();
    let by_name = Filter::of_user_name(&attributes.user_name);
    let found = store::find_first(change, org_id, &by_name).await?;
    let (user_id, made) = match (&found, removed(change, &attributes).await?) {
        (Some(user), _) => (user.id, Made::Before),
        (None, Some(user_id)) => (user_id, Made::Before),
        (None, None) => find_or_make(change, &attributes).await?,
    };
    let record = store::find_record(change, org_id, user_id).await?;
    let before = match found {
        Some(user) => Some(user),
        None => store::find(change, org_id, user_id).await?,
    };
    let is_another = before
        .as_ref()
        .is_some_and(|user| !is_called(user, &attributes));
    if is_another
        && record
            .as_ref()
            .is_some_and(|record| record.removed_at.is_none())
    {
        return Err(taken("emails has the address of another user"));
    }
    let known = match (&before, &record) {
        (Some(user), _) => Some(user.attributes.clone()),
        (None, Some(record)) => Some(record.attributes.clone()),
        (None, None) => None,
    };
    let attributes = match known {
        Some(known) => completed(attributes, known),
        None => attributes,
    };
    let made_here = made == Made::Now || record.as_ref().is_some_and(|record| record.made_here);
    let is_new = before.is_none() && record.is_none();
    let target = Target {
        user_id,
        before,
        record,
        made_here,
    };
    let written = write(change, acting, target, attributes, active, default_role).await?;
    Ok(written.map(|user| Provisioned { user, is_new }))
}

pub async fn replace(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: UserId,
    wanted: Wanted,
    default_role: Role,
) -> Result<Recorded<ScimUser>, Refused> {
    let (before, target) = find(change, id).await?;
    let active = wanted.active.unwrap_or(before.is_member);
    let attributes = wanted.apply(&before.attributes);
    write(change, acting, target, attributes, active, default_role).await
}

/// Applies all edits to a user, or none.
pub async fn edit(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: UserId,
    edits: Edits,
    default_role: Role,
) -> Result<Recorded<ScimUser>, Refused> {
    let (before, target) = find(change, id).await?;
    let (attributes, active) = edits.apply(&before.attributes, before.is_member)?;
    write(change, acting, target, attributes, active, default_role).await
}

/// Removes a user with their membership. The account stays, and so does a record, which maps the name to the account.
pub async fn remove(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: UserId,
) -> Result<Recorded<()>, Refused> {
    let (org_id, now) = (change.org_id(), change.now());
    let (user, target) = find(change, id).await?;
    may_write(change, acting, id, None).await?;
    // A member without a record is found by their address.
    if target.record.is_some() {
        let record = target.record_of(user.attributes.clone(), Some(now), now);
        store::upsert(change, org_id, &record).await?;
    }
    if let Some(held) = members::store::find_of_user(change, org_id, id).await? {
        members::change::end(change, acting, held.id).await?;
    }
    members::store::former::delete(change, org_id, id).await?;
    let before = UserState::from(&user);
    let event = Event::deleted(Action::ScimUserRemoved, Subject::User(id), &before);
    Ok(change.record(event, ()).await?)
}

struct Target {
    user_id: UserId,
    /// `None` if they are not, or no longer, a user.
    before: Option<ScimUser>,
    /// The record, possibly of a removed user.
    record: Option<Record>,
    made_here: bool,
}

impl Target {
    /// The user, if they have these attributes already, and are a member or not as wanted.
    fn unchanged(&self, attributes: &Attributes, active: bool) -> Option<ScimUser> {
        let record = self.record.as_ref()?;
        let is_stored = record.removed_at.is_none() && record.attributes == *attributes;
        let user = self.before.as_ref()?;
        (is_stored && user.attributes == *attributes && user.is_member == active)
            .then(|| user.clone())
    }

    /// The new record. A member's first record keeps their position in lists.
    fn record_of(
        &self,
        attributes: Attributes,
        removed_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Record {
        Record {
            user_id: self.user_id,
            attributes,
            made_here: self.made_here,
            removed_at,
            created_at: self.before.as_ref().map_or(now, |user| user.created_at),
            updated_at: now,
        }
    }
}

async fn find(change: &mut OrgChange<'_>, id: UserId) -> Result<(ScimUser, Target), Refused> {
    let org_id = change.org_id();
    let before = store::find(change, org_id, id).await?;
    let before = before.ok_or(Missing::ScimUser)?;
    let record = store::find_record(change, org_id, id).await?;
    let target = Target {
        user_id: id,
        before: Some(before.clone()),
        made_here: record.as_ref().is_some_and(|record| record.made_here),
        record,
    };
    Ok((before, target))
}

/// Writes a user's attributes, updates the account, and begins or ends the membership. Records nothing if all stay the same:
/// providers repeat themselves.
async fn write(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    target: Target,
    attributes: Attributes,
    active: bool,
    default_role: Role,
) -> Result<Recorded<ScimUser>, Refused> {
    let (org_id, now, user_id) = (change.org_id(), change.now(), target.user_id);
    let keeps_name = |user: &ScimUser| is_called(user, &attributes);
    if !target.before.as_ref().is_some_and(keeps_name) {
        let by_name = Filter::of_user_name(&attributes.user_name);
        let namesake = store::find_first(change, org_id, &by_name).await?;
        if namesake.is_some_and(|user| user.id != user_id) {
            return Err(taken("userName is taken by another user"));
        }
    }
    may_write(change, acting, user_id, active.then_some(default_role)).await?;
    admit_record(change, &target).await?;
    if !attributes.emails.are_reachable() {
        return Err(not_an_address());
    }
    if let Some(user) = target.unchanged(&attributes, active) {
        return Ok(change.unchanged(user));
    }
    let record = target.record_of(attributes, None, now);
    store::upsert(change, org_id, &record).await?;
    account::follow(change, &record).await?;

    let name = record.attributes.account_name();
    let known_as = (!record.made_here).then_some(name.as_str());
    let held = members::store::find_of_user(change, org_id, user_id).await?;
    match (held, active) {
        (None, true) => reinstate(change, user_id, default_role, known_as).await?,
        (Some(held), false) => suspend(change, acting, held.id, user_id).await?,
        (Some(_), true) => {
            members::store::update_known_as(change, org_id, user_id, &name).await?;
        }
        (None, false) => {}
    }
    let action = match (&target.before, held.is_some(), active) {
        (None, _, _) | (_, false, true) => Action::ScimUserProvisioned,
        (_, true, false) => Action::ScimUserDeactivated,
        (Some(_), true, true) | (Some(_), false, false) => Action::ScimUserUpdated,
    };
    let held = members::store::find_of_user(change, org_id, user_id).await?;
    let user = ScimUser {
        id: user_id,
        attributes: record.attributes,
        is_member: active,
        active: held.is_some_and(|held| !held.awaits_proof),
        created_at: record.created_at,
        updated_at: record.updated_at,
    };
    let event = Event::created(action, Subject::User(user_id), &UserState::from(&user));
    let event = match &target.before {
        Some(before) => event.before(&UserState::from(before)),
        None => event,
    };
    Ok(change.record(event, user).await?)
}

/// Refuses changes that the token's creator may not make: of current and former members by their role, of others by the role
/// that they get. Attributes count too: an unclaimed account follows them.
async fn may_write(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    user_id: UserId,
    given: Option<Role>,
) -> Result<(), Refused> {
    let org_id = change.org_id();
    let held = members::store::find_of_user(change, org_id, user_id).await?;
    let former = members::store::former::find(change, org_id, user_id).await?;
    let role = held.map(|held| held.role).or(former.map(|kept| kept.role));
    if let Some(role) = role.or(given) {
        acting.may_handle(&[role])?;
    }
    Ok(())
}

/// Checks the bound on records if a new one is needed.
async fn admit_record(change: &mut OrgChange<'_>, target: &Target) -> Result<(), Refused> {
    let org_id = change.org_id();
    if target.record.is_none() && store::count_records(change, org_id).await? >= 20_000 {
        let words =
            "an organization has at most 20000 SCIM users, those that were removed included";
        return Err(Refusal::invalid(words).into());
    }
    Ok(())
}

/// The removed user of this name, unless an address indicates a different person.
async fn removed(
    change: &mut OrgChange<'_>,
    attributes: &Attributes,
) -> Result<Option<UserId>, Refused> {
    let org_id = change.org_id();
    let record = store::find_removed(change, org_id, &attributes.user_name).await?;
    let is_the_same = |record: &Record| {
        attributes.emails.0.is_empty()
            || attributes.account_email() == record.attributes.account_email()
    };
    Ok(record.filter(is_the_same).map(|record| record.user_id))
}

fn is_called(user: &ScimUser, attributes: &Attributes) -> bool {
    folded(&user.attributes.user_name) == folded(&attributes.user_name)
}

/// Fills in missing attributes with known ones.
fn completed(attributes: Attributes, known: Attributes) -> Attributes {
    let has_name = attributes.name != PersonName::default();
    let has_emails = !attributes.emails.0.is_empty();
    Attributes {
        external_id: attributes.external_id.or(known.external_id),
        name: if has_name {
            attributes.name
        } else {
            known.name
        },
        emails: if has_emails {
            attributes.emails
        } else {
            known.emails
        },
        user_name: attributes.user_name,
    }
}
