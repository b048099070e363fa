//! Issuing, rotating and revoking keys. The project's lock keeps a key from being rotated twice and holds the bound on keys;
//! each operation draws a version, so that edges receive it.

use serde_json::json;
use time::{Duration, OffsetDateTime};

use super::{
    input::NewKey,
    model::{ApiKey, COMPILED_BYTES, KeyText},
    store::{self, Found},
};
use crate::{
    environments,
    events::{Action, Event, Subject},
    unit::{ProjectChange, Recorded},
    version::{Drawn, Growth, Scope},
};
use base::{
    ids::{ApiKeyId, EnvId},
    refusal::{Missing, Refusal},
};

pub struct Rotation {
    pub new: ApiKey,
    /// The text of the new key, to be shown once.
    pub text: KeyText,
    pub grace_expires_at: OffsetDateTime,
}

/// Issues a key of an environment; the caller shows its text once.
pub async fn issue(
    change: &mut ProjectChange<'_>,
    env_id: EnvId,
    new: NewKey,
    text: &KeyText,
) -> Result<Recorded<ApiKey>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    environments::store::find(change, org_id, project_id, env_id)
        .await?
        .ok_or(Missing::Environment)?;
    let expires_at = new.lifetime.map(|lifetime| now + lifetime);
    let key = ApiKey::new(text, new.name.into(), new.key_type, expires_at, now);

    let drawn = draw(change, env_id, 1).await?;
    store::insert(change, org_id, env_id, &key, text.hash(), drawn).await?;
    make_room(change, env_id).await?;
    let event = Event::created(Action::ApiKeyCreated, Subject::ApiKey(key.id, env_id), &key);
    let event = event.in_project(project_id);
    Ok(change.record(event, key).await?)
}

/// Issues a key with the same properties; the old one ends after the grace period at the latest. The new key gets the same
/// lifetime. Without grace the old one is revoked: expiry is only as exact as an edge's clock.
pub async fn rotate(
    change: &mut ProjectChange<'_>,
    id: ApiKeyId,
    grace: Duration,
) -> Result<Recorded<Rotation>, Refusal> {
    let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
    let found = find(change, id).await?;
    if found.rotated_to.is_some() {
        return Err(Refusal::conflict("api key was already rotated"));
    }
    let (env_id, old, was_served) = (found.env_id, found.key, found.is_served);
    let lifetime = old.expires_at.map(|end| end - old.created_at);
    let text = KeyText::random(old.key_type);
    let new = ApiKey::new(
        &text,
        old.name.clone(),
        old.key_type,
        lifetime.map(|lifetime| now + lifetime),
        now,
    );
    let grace_end = now + grace;
    let grace_expires_at = old.expires_at.map_or(grace_end, |end| end.min(grace_end));
    let ended = ApiKey {
        expires_at: Some(grace_expires_at),
        revoked_at: grace.is_zero().then_some(now),
        ..old.clone()
    };

    let leaves = was_served && ended.revoked_at.is_some();
    let drawn = draw(change, env_id, if leaves { 0 } else { 1 }).await?;
    store::insert(change, org_id, env_id, &new, text.hash(), drawn).await?;
    store::update_end(change, org_id, &ended, Some(new.id), drawn).await?;
    make_room(change, env_id).await?;
    let subject = Subject::ApiKey(new.id, env_id);
    let created = Event::created(Action::ApiKeyCreated, subject, &new).in_project(project_id);
    let subject = Subject::ApiKey(id, env_id);
    let rotated = Event::updated(Action::ApiKeyRotated, subject, &old, &ended)
        .in_project(project_id)
        .with(json!({"env_id": env_id, "new_key_id": new.id}));
    let rotation = Rotation {
        new,
        text,
        grace_expires_at,
    };
    let created = change.record(created, ()).await?;
    let rotated = change.record(rotated, rotation).await?;
    Ok(created.and(rotated).map(|((), rotation)| rotation))
}

pub async fn revoke(change: &mut ProjectChange<'_>, id: ApiKeyId) -> Result<Recorded<()>, Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = find(change, id).await?;
    let revoked = ApiKey {
        revoked_at: Some(change.now()),
        ..found.key.clone()
    };
    let drawn = draw(change, found.env_id, if found.is_served { -1 } else { 0 }).await?;
    store::update_end(change, org_id, &revoked, found.rotated_to, drawn).await?;
    let subject = Subject::ApiKey(id, found.env_id);
    let event = Event::updated(Action::ApiKeyRevoked, subject, &found.key, &revoked);
    Ok(change.record(event.in_project(project_id), ()).await?)
}

/// The key under the lock: a concurrent request may have changed it.
async fn find(change: &mut ProjectChange<'_>, id: ApiKeyId) -> Result<Found, Refusal> {
    let org_id = change.org_id();
    let found = store::find_unrevoked(change, org_id, id).await?;
    found.ok_or(Missing::ApiKey.into())
}

/// Draws a version for `keys` more keys held by edges.
async fn draw(change: &mut ProjectChange<'_>, env_id: EnvId, keys: i64) -> Result<Drawn, Refusal> {
    let growth = Growth {
        state_bytes: keys * COMPILED_BYTES,
        ..Growth::default()
    };
    change.draw(Scope::Environment(env_id), growth).await
}

/// Checks the bound on usable keys, and deletes the oldest ended ones.
async fn make_room(change: &mut ProjectChange<'_>, env_id: EnvId) -> Result<(), Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    store::forget_ended(change, org_id, env_id).await?;
    match store::count_usable(change, org_id, env_id, now).await? {
        usable if usable > 200 => Err(Refusal::invalid(
            "an environment has at most 200 usable api keys",
        )),
        _ => Ok(()),
    }
}
