//! Giving, changing and withdrawing grants, under the project's lock: none is being used meanwhile.

use time::OffsetDateTime;

use super::{
    input::GrantWish,
    model::{Grant, Holder, HolderKind, ShownGrant},
    store,
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    members::{self, caller::Caller},
    orgs,
    unit::{Expected, ProjectChange, Recorded},
};
use base::{
    ids::GrantId,
    refusal::{Missing, Refusal},
};

/// The most grants of an organization.
const MAX_GRANTS: i64 = 200;

/// Gives a grant.
pub async fn create(
    change: &mut ProjectChange<'_>,
    wish: GrantWish,
    caller: &Caller,
) -> Result<Recorded<ShownGrant>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    check(change, &wish, caller).await?;
    orgs::store::lock(change, org_id).await?;
    if store::count(change, org_id).await? >= MAX_GRANTS {
        return Err(Refusal::invalid("an organization has at most 200 grants"));
    }
    let grant = wish.create(caller.user_id, now);
    store::insert(change, org_id, project_id, &grant).await?;
    let subject = Subject::Grant(grant.id, grant.env_id);
    let event = Event::created(Action::GrantCreated, subject, &grant).in_project(project_id);
    let shown = shown(change, grant.id).await?;
    Ok(change.record(event, shown).await?)
}

/// Replaces a grant. What was used of it stays used, and whoever replaces it answers for it.
pub async fn update(
    change: &mut ProjectChange<'_>,
    id: GrantId,
    wish: GrantWish,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<ShownGrant>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let before = find(change, caller, id).await?;
    check(change, &wish, caller).await?;
    expected.check(before.version)?;
    let grant = wish.replace(&before, caller.user_id);
    if grant == before {
        let shown = shown(change, id).await?;
        return Ok(change.unchanged(shown));
    }
    let grant = Grant {
        version: before.version + 1,
        ..grant
    };
    store::update(change, org_id, &grant, now).await?;
    let subject = Subject::Grant(id, grant.env_id);
    let event = Event::updated(Action::GrantUpdated, subject, &before, &grant);
    let shown = shown(change, id).await?;
    Ok(change.record(event.in_project(project_id), shown).await?)
}

/// Withdraws a grant.
pub async fn delete(
    change: &mut ProjectChange<'_>,
    id: GrantId,
    caller: &Caller,
    expected: &Expected,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let grant = find(change, caller, id).await?;
    expected.check(grant.version)?;
    store::delete(change, org_id, id).await?;
    let subject = Subject::Grant(id, grant.env_id);
    let event = Event::deleted(Action::GrantDeleted, subject, &grant);
    Ok(change.record(event.in_project(project_id), ()).await?)
}

async fn shown(change: &mut ProjectChange<'_>, id: GrantId) -> Result<ShownGrant, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let stored = store::find(change, org_id, project_id, id, now).await?;
    Ok(stored.ok_or(Missing::Grant)?.shown(now))
}

async fn find(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    id: GrantId,
) -> Result<Grant, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let found = store::find(change, org_id, project_id, id, now).await?;
    let grant = found.ok_or(Missing::Grant)?.grant;
    caller.check_env(grant.env_id)?;
    Ok(grant)
}

/// Refuses callers who may not approve changes by themselves, and what is not there to hold a grant, or not to them.
async fn check(
    change: &mut ProjectChange<'_>,
    wish: &GrantWish,
    caller: &Caller,
) -> Result<(), Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let user_id = caller.user_id;
    let reviewers = members::store::hold_reviewers(change, org_id, &[user_id]).await?;
    if reviewers.is_empty() {
        return Err(Refusal::INSUFFICIENT);
    }
    caller.check_env(wish.env_id)?;
    let env = environments::store::find(change, org_id, project_id, wish.env_id).await?;
    env.ok_or(Missing::Environment)?;
    is_ahead(wish.ends_at, now)?;
    let holder = store::is_holder(change, org_id, wish.holder, now).await?;
    match holder {
        None => Err(missing(wish.holder)),
        Some(Some(holder)) if holder == user_id => {
            Err(Refusal::invalid("nobody gives a grant to themselves"))
        }
        Some(_) => Ok(()),
    }
}

fn is_ahead(ends_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Result<(), Refusal> {
    match ends_at {
        Some(end) if end <= now => Err(Refusal::invalid("ends_at must be in the future")),
        _ => Ok(()),
    }
}

fn missing(holder: Holder) -> Refusal {
    let missing = match holder.kind {
        HolderKind::Member => Missing::Member,
        HolderKind::Role => Missing::Role,
        HolderKind::AccessToken => Missing::AccessToken,
    };
    missing.into()
}
