//! Creating and revoking access tokens, under the organization's lock: it protects the bound on them, and a member who is being
//! removed or demoted meanwhile gets none.

use std::collections::BTreeSet;

use time::Duration;

use super::{
    input::NewToken,
    model::{AccessToken, TokenText},
    store,
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    members, projects,
    unit::{OrgChange, Recorded},
};
use base::{
    ids::{AccessTokenId, EnvId, MemberId, ProjectId, UserId},
    input::Name,
    refusal::{Missing, Refusal},
};

/// The most tokens of a member that have not ended.
const MAX_TOKENS: i64 = 50;

/// Creates a token of a member; the caller shows its text once.
pub async fn create(
    change: &mut OrgChange<'_>,
    member_id: MemberId,
    new: NewToken,
    text: &TokenText,
) -> Result<Recorded<AccessToken>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let member = members::store::find(change, org_id, member_id).await?;
    let member = member.ok_or(Refusal::INVALID_TOKEN)?;
    if new.role.is_some_and(|role| role.is_above(member.role)) {
        return Err(Refusal::Forbidden(
            "an access token has at most the role of its member",
        ));
    }
    let project_ids = find_projects(change, new.project_ids, new.env_ids.as_deref()).await?;
    if store::count(change, org_id, member.user_id, now).await? >= MAX_TOKENS {
        return Err(Refusal::invalid("a member has at most 50 access tokens"));
    }
    let token = AccessToken {
        id: AccessTokenId::new(now),
        name: new.name.into(),
        role: new.role,
        project_ids,
        env_ids: new.env_ids,
        read_only: new.read_only,
        created_at: now,
        expires_at: new.expires_at,
        last_used_at: None,
        last_used_ip: None,
    };
    store::delete_ended(change, org_id, member.user_id, now).await?;
    store::insert(change, org_id, &member, &token, text.hash()).await?;
    let subject = Subject::AccessToken(token.id);
    let event = Event::created(Action::AccessTokenCreated, subject, &token);
    Ok(change.record(event, token).await?)
}

/// The projects that a token is limited to: those that were named, else those of the named environments.
async fn find_projects(
    change: &mut OrgChange<'_>,
    project_ids: Option<Vec<ProjectId>>,
    env_ids: Option<&[EnvId]>,
) -> Result<Option<Vec<ProjectId>>, Refusal> {
    let org_id = change.org_id();
    if let Some(ids) = &project_ids
        && projects::store::count_among(change, org_id, ids).await? != ids.len()
    {
        return Err(Missing::Project.into());
    }
    let Some(env_ids) = env_ids else {
        return Ok(project_ids);
    };
    let of_envs = environments::store::list_projects(change, org_id, env_ids).await?;
    if of_envs.len() != env_ids.len() {
        return Err(Missing::Environment.into());
    }
    let of_envs: BTreeSet<ProjectId> = of_envs.into_iter().collect();
    match project_ids {
        None => Ok(Some(of_envs.into_iter().collect())),
        Some(ids) if of_envs.iter().all(|id| ids.contains(id)) => Ok(Some(ids)),
        Some(_) => Err(Refusal::invalid(
            "env_ids must be of the projects in project_ids",
        )),
    }
}

/// Creates a token like this one, with the same lifetime; the old one ends after the overlap at the latest.
pub async fn rotate(
    change: &mut OrgChange<'_>,
    (member_id, user_id): (MemberId, UserId),
    id: AccessTokenId,
    overlap: Duration,
    text: &TokenText,
) -> Result<Recorded<AccessToken>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let old = store::find(change, org_id, user_id, id).await?;
    let old = old
        .filter(|old| old.expires_at > now)
        .ok_or(Missing::AccessToken)?;
    let new = NewToken {
        name: Name::parse(Some(old.name.clone()))?,
        expires_at: now + (old.expires_at - old.created_at),
        role: old.role,
        project_ids: old.project_ids.clone(),
        env_ids: old.env_ids.clone(),
        read_only: old.read_only,
    };
    let ended = AccessToken {
        expires_at: old.expires_at.min(now + overlap),
        ..old.clone()
    };
    store::update_end(change, org_id, id, ended.expires_at).await?;
    let subject = Subject::AccessToken(id);
    let event = Event::updated(Action::AccessTokenRotated, subject, &old, &ended);
    let rotated = change.record(event, ()).await?;
    let created = create(change, member_id, new, text).await?;
    Ok(rotated.and(created).map(|((), token)| token))
}

/// Revokes a token of a user, effective at once: it is looked up on each request.
pub async fn revoke(
    change: &mut OrgChange<'_>,
    user_id: UserId,
    id: AccessTokenId,
) -> Result<Recorded<()>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let token = store::revoke(change, org_id, user_id, id, now).await?;
    let token = token.ok_or(Missing::AccessToken)?;
    let subject = Subject::AccessToken(id);
    let event = Event::deleted(Action::AccessTokenRevoked, subject, &token);
    Ok(change.record(event, ()).await?)
}
