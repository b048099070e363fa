//! Deletion by an owner: the permanent deletion begins at once, and nothing restores the organization.

use super::{Lifecycle, store};
use crate::{
    accounts::store::users,
    billing,
    events::{Action, Event, Subject},
    members::{self, caller::Caller, model::Role},
    orgs::{self, activity},
    unit::{Committed, Unit},
    webhooks,
};
use base::{mail::Template, refusal::Refusal};

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
    pub async fn delete_for(&self, caller: &Caller, typed: &str) -> Result<(), Refusal> {
        let (org_id, user_id) = (caller.org_id, caller.user_id);
        let now = self.clock.now();
        let mut unit = Unit::begin(&self.db, org_id, caller.actor(), now).await?;
        // Before the organization, as logins do.
        if !activity::lock(&mut unit, org_id).await? {
            return Err(Refusal::INVALID_TOKEN);
        }
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        // Again under the lock: another owner may have deleted it, or removed or demoted the caller.
        let family_id = caller.family_id;
        let member = members::store::find_live(&mut change, org_id, user_id, family_id).await?;
        let member = member.ok_or(Refusal::INVALID_TOKEN)?;
        allow(member.role, member.permissions.is_some())?;
        let name = change.org().name.clone();
        confirm_name(typed, &name)?;
        billing::allow_deletion(&mut change, org_id, now).await?;

        webhooks::store::disable_all(&mut change, org_id).await?;
        store::purge::begin(&mut change, org_id, now).await?;
        let owner = users::get(&mut change, user_id).await?;
        let mail = Template::OrganizationDeleted {
            organization: &name,
            owner: &owner.name,
            email: &owner.email,
        };
        self.enqueue(&mut change, org_id, &mail).await?;
        let org = change.org().clone();
        let event = Event::deleted(Action::OrganizationDeleted, Subject::Org(org_id), &org);
        let deleted = change.record(event, ()).await?;
        let Committed { .. } = unit.commit(deleted).await?;
        self.deletions.wake();
        metrics::counter!("halyard_organizations_deleted_total", "how" => "by_owner").increment(1);
        tracing::info!(org.id = %org_id, user.id = %user_id, "an owner deleted an organization");
        Ok(())
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
