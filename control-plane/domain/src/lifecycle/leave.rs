//! Deletion by an owner: the permanent deletion begins at once, and nothing restores the organization.

use super::{Lifecycle, store};
use crate::{
    accounts::store::users,
    billing,
    events::{Action, Actor, Event, Subject},
    members::{self, caller::Caller, model::Role},
    orgs::{self, activity, model::Organization},
    unit::{Committed, OrgChange, Recorded, Unit},
    webhooks,
};
use base::{ids::FamilyId, mail::Template, refusal::Refusal};

impl Lifecycle {
    /// Refuses callers who may not delete their organization, and a name that is not its own. To be called before the password is
    /// compared, which is slow.
    pub async fn check_deletion(&self, caller: &Caller, typed: &str) -> Result<(), Refusal> {
        allow(caller.role, caller.permissions.is_some())?;
        let org = orgs::store::get(&mut *self.db.acquire().await?, caller.org_id).await?;
        confirm_name(typed, &org.name)
    }

    /// Begins the permanent deletion for an owner who has proved their password. `typed` must be the organization's name. Mails
    /// owners and admins.
    pub async fn delete_for(
        &self,
        caller: &Caller,
        family_id: FamilyId,
        typed: &str,
    ) -> Result<(), Refusal> {
        let (org_id, user_id) = (caller.org_id, caller.user_id);
        let now = self.clock.now();
        let mut unit = Unit::begin(&self.db, org_id, caller.actor(), now).await?;
        // Before the organization, as logins do.
        if !activity::lock(&mut unit, org_id).await? {
            return Err(Refusal::INVALID_TOKEN);
        }
        let mut change = unit.lock_org(&self.clock).await?;
        // Again under the lock: another owner may have deleted it, or removed or demoted the caller.
        let member = members::store::find_live(&mut change, org_id, user_id, family_id).await?;
        let member = member.ok_or(Refusal::INVALID_TOKEN)?;
        allow(member.role, member.permissions.is_some())?;
        let owner = users::get(&mut change, user_id).await?;
        let deleted = self.begin_deletion(&mut change, typed, &owner.name, &owner.email);
        let deleted = deleted.await?;
        let Committed { .. } = unit.commit(deleted).await?;
        self.deletions.wake();
        metrics::counter!("halyard_organizations_deleted_total", "how" => "by_owner").increment(1);
        tracing::info!(org.id = %org_id, user.id = %user_id, "an owner deleted an organization");
        Ok(())
    }

    /// The same by an operator, for the organization with this id or slug. Its mail names them as `by`, with an address that can be
    /// answered. `None` if there is no such organization.
    pub async fn delete_as_operator(
        &self,
        id_or_slug: &str,
        typed: &str,
        (by, address): (&str, &str),
    ) -> Result<Option<Organization>, Refusal> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let Some(org) = orgs::store::find_by_name(&mut tx, id_or_slug).await? else {
            return Ok(None);
        };
        if !activity::lock(&mut tx, org.id).await? {
            return Ok(None);
        }
        let mut unit = Unit::within(tx, org.id, Actor::Operator, now);
        let mut change = unit.lock_org(&self.clock).await?;
        let deleted = self.begin_deletion(&mut change, typed, by, address).await?;
        let Committed { .. } = unit.commit(deleted).await?;
        Ok(Some(org))
    }

    async fn begin_deletion(
        &self,
        change: &mut OrgChange<'_>,
        typed: &str,
        by: &str,
        address: &str,
    ) -> Result<Recorded<()>, Refusal> {
        let (org, now) = (change.org().clone(), change.now());
        confirm_name(typed, &org.name)?;
        billing::allow_deletion(change, org.id, now).await?;

        webhooks::store::disable_all(change, org.id).await?;
        store::purge::begin(change, org.id, now).await?;
        let mail = Template::OrganizationDeleted {
            organization: &org.name,
            owner: by,
            email: address,
        };
        self.enqueue(change, org.id, &mail).await?;
        let event = Event::deleted(Action::OrganizationDeleted, Subject::Org(org.id), &org);
        Ok(change.record(event, ()).await?)
    }
}

/// Refuses a name that is not the organization's.
fn confirm_name(typed: &str, name: &str) -> Result<(), Refusal> {
    if typed.trim() == name.trim() {
        Ok(())
    } else {
        Err(Refusal::invalid(
            "name must be the name of the organization",
        ))
    }
}

/// Refuses all but owners whom no custom role limits.
fn allow(role: Role, is_limited: bool) -> Result<(), Refusal> {
    if role == Role::Owner && !is_limited {
        Ok(())
    } else {
        Err(Refusal::INSUFFICIENT)
    }
}
