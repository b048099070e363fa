//! Creating, renaming and deleting service accounts, under the organization's lock, which protects the bound on them.

use super::{input::Wanted, model::ServiceAccount, store};
use crate::{
    accounts::store::{stubs, users},
    events::{Action, Event, Subject},
    members::{
        self,
        change::{Acting, assignable},
    },
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{MemberId, UserId},
    input::Name,
    refusal::{Missing, Refusal},
};

/// The most service accounts of an organization.
const MAX_ACCOUNTS: i64 = 100;

pub async fn create(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    wanted: Wanted,
) -> Result<Recorded<ServiceAccount>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    acting.may_handle(&[wanted.role])?;
    let custom_role_id = match wanted.custom_role_id {
        None => None,
        Some(id) => Some(assignable(change, id).await?),
    };
    if store::count(change, org_id).await? >= MAX_ACCOUNTS {
        return Err(Refusal::invalid(
            "an organization has at most 100 service accounts",
        ));
    }
    acting.confirm(change, &[wanted.role]).await?;
    let account = ServiceAccount {
        id: MemberId::new(now),
        name: wanted.name.into(),
        role: wanted.role,
        custom_role_id,
        created_at: now,
        user_id: UserId::new(now),
    };
    stubs::insert_without_address(change, account.user_id, &account.name, now).await?;
    store::insert(change, org_id, &account).await?;
    let event = Event::created(
        Action::ServiceAccountCreated,
        Subject::Member(account.id),
        &account,
    );
    Ok(change.record(event, account).await?)
}

/// Renames a service account. Records nothing if it has the name already.
pub async fn rename(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
    name: Name,
) -> Result<Recorded<ServiceAccount>, Refusal> {
    let now = change.now();
    let before = find(change, id).await?;
    acting.may_handle(&[before.role])?;
    acting.confirm(change, &[before.role]).await?;
    let account = ServiceAccount {
        name: name.into(),
        ..before.clone()
    };
    if account == before {
        return Ok(change.unchanged(account));
    }
    users::update_name(change, account.user_id, &account.name, now).await?;
    let subject = Subject::Member(id);
    let event = Event::updated(Action::ServiceAccountUpdated, subject, &before, &account);
    Ok(change.record(event, account).await?)
}

/// Deletes a service account; its tokens end at once.
pub async fn delete(
    change: &mut OrgChange<'_>,
    acting: Acting<'_>,
    id: MemberId,
) -> Result<Recorded<()>, Refusal> {
    let account = find(change, id).await?;
    members::change::end(change, acting, id).await?;
    let subject = Subject::Member(id);
    let event = Event::deleted(Action::ServiceAccountDeleted, subject, &account);
    Ok(change.record(event, ()).await?)
}

async fn find(change: &mut OrgChange<'_>, id: MemberId) -> Result<ServiceAccount, Refusal> {
    let org_id = change.org_id();
    let found = store::find(change, org_id, id).await?;
    found.ok_or(Missing::ServiceAccount.into())
}
