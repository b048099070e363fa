//! Beginning and stopping a rehearsal. The organization's lock, and an index behind it, keep two from going on at a time.

use super::{input::NewRehearsal, model::Rehearsal, store};
use crate::{
    api_keys,
    events::{Action, Event, Subject},
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{EnvId, ProjectId, RehearsalId, UserId},
    refusal::{Missing, Refusal},
};

/// Begins a rehearsal with a usable key of an environment.
pub async fn begin(
    change: &mut OrgChange<'_>,
    (project_id, env_id): (ProjectId, EnvId),
    new: NewRehearsal,
    began_by: UserId,
) -> Result<Recorded<Rehearsal>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let id = new.api_key_id.ok_or(Missing::ApiKey)?;
    let found = api_keys::store::find_unrevoked(change, org_id, id).await?;
    let is_usable = |found: &api_keys::store::Found| {
        found.env_id == env_id && found.key.expires_at.is_none_or(|end| end > now)
    };
    let found = found.filter(is_usable).ok_or(Missing::ApiKey)?;
    if let Some(open) = store::find_open(change, org_id).await? {
        if open.goes_on(now) {
            return Err(Refusal::conflict(
                "an outage is being rehearsed in the organization",
            ));
        }
        store::close(change, org_id).await?;
    }
    let rehearsal = Rehearsal {
        id: RehearsalId::new(now),
        env_id,
        api_key_id: found.key.id,
        failure: new.failure,
        began_at: now,
        ends_at: now + new.lasts,
        began_by,
        stopped_at: None,
    };
    store::insert(change, org_id, &rehearsal).await?;
    let subject = Subject::ApiKey(rehearsal.api_key_id, env_id);
    let event = Event::created(Action::ApiKeyRehearsalStarted, subject, &rehearsal);
    Ok(change
        .record(event.in_project(project_id), rehearsal)
        .await?)
}

/// Stops what goes on in an environment.
pub async fn stop(
    change: &mut OrgChange<'_>,
    (project_id, env_id): (ProjectId, EnvId),
) -> Result<Recorded<Rehearsal>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let open = store::find_open(change, org_id).await?;
    let before = open.filter(|open| open.env_id == env_id && open.goes_on(now));
    let before = before.ok_or(Missing::Rehearsal)?;
    store::stop(change, org_id, before.id, now).await?;
    let stopped = Rehearsal {
        stopped_at: Some(now),
        ..before.clone()
    };
    let subject = Subject::ApiKey(before.api_key_id, env_id);
    let event = Event::updated(Action::ApiKeyRehearsalStopped, subject, &before, &stopped);
    Ok(change.record(event.in_project(project_id), stopped).await?)
}
