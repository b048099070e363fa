//! Issuing, rotating and revoking keys. Each locks the key's project first, so that a key is rotated once and the bound on
//! keys holds, and draws a version, so that edges learn of it.

use serde_json::json;
use time::{Duration, OffsetDateTime};

use super::{
    model::{ApiKey, KeyText, MAX_KEYS},
    store::{self, Found},
};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Tx},
    environments,
    ids::{ApiKeyId, EnvId, OrgId, ProjectId},
    projects,
    publish::version::{self, Change, DrawError, Growth, Scope},
};

/// Why a key was not issued. The transaction must be given up.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// The environment has [`MAX_KEYS`] usable keys.
    #[error("an environment has at most {MAX_KEYS} usable api keys")]
    TooMany,
    /// No version could be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
}

impl From<db::Error> for IssueError {
    fn from(error: db::Error) -> Self {
        Self::Draw(error.into())
    }
}

/// An environment whose project is locked.
#[derive(Clone, Copy, Debug)]
pub struct LockedEnv {
    org_id: OrgId,
    project_id: ProjectId,
    env_id: EnvId,
}

impl LockedEnv {
    /// Takes the lock of the environment's project. `None` when the organization has no such environment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(tx: &mut Tx, org_id: OrgId, env_id: EnvId) -> db::Result<Option<Self>> {
        let Some(project_id) = environments::store::find_project(tx, org_id, env_id).await? else {
            return Ok(None);
        };
        Self::find_in(tx, org_id, project_id, env_id).await
    }

    /// Takes the lock of the project. `None` when the organization has no such project, or the project no such environment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_in(
        tx: &mut Tx,
        org_id: OrgId,
        project_id: ProjectId,
        env_id: EnvId,
    ) -> db::Result<Option<Self>> {
        if projects::store::lock(tx, org_id, project_id)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let env = environments::store::find(tx, org_id, project_id, env_id).await?;
        Ok(env.map(|_| Self {
            org_id,
            project_id,
            env_id,
        }))
    }

    /// Issues a key of this text, which the caller shows once.
    ///
    /// # Errors
    /// When the environment has too many keys.
    pub async fn issue(
        self,
        tx: &mut Tx,
        key: &ApiKey,
        text: &KeyText,
        actor: Actor,
    ) -> Result<Change, IssueError> {
        let change = self.draw(tx).await?;
        store::insert(tx, self.org_id, self.env_id, key, text.hash(), &change).await?;
        self.check_bound(tx, key.created_at).await?;
        let entry = self.entry(actor, "api_key.created", key.id).after(key);
        audit::store::record(tx, entry, key.created_at).await?;
        Ok(change)
    }

    async fn check_bound(self, tx: &mut Tx, now: OffsetDateTime) -> Result<(), IssueError> {
        match store::count_usable(tx, self.org_id, self.env_id, now).await? {
            usable if usable > MAX_KEYS => Err(IssueError::TooMany),
            _ => Ok(()),
        }
    }

    async fn draw(self, tx: &mut Tx) -> Result<Change, DrawError> {
        // Keys have a bound of their own, too small to matter among compiled bytes.
        version::draw(
            tx,
            self.org_id,
            self.project_id,
            Scope::Environment(self.env_id),
            Growth::default(),
        )
        .await
    }

    fn entry(self, actor: Actor, action: &'static str, key_id: ApiKeyId) -> Entry {
        Entry::new(self.org_id, actor, action)
            .on(key_id)
            .in_project(self.project_id)
            .with(json!({"env_id": self.env_id}))
    }
}

/// An unrevoked key whose project is locked.
#[derive(Debug)]
pub struct LockedKey {
    env: LockedEnv,
    found: Found,
}

impl LockedKey {
    /// Takes the lock of the key's project, then reads the key. `None` when the organization has no such key, or it is revoked.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(tx: &mut Tx, org_id: OrgId, id: ApiKeyId) -> db::Result<Option<Self>> {
        let Some(unlocked) = store::find_unrevoked(tx, org_id, id).await? else {
            return Ok(None);
        };
        let Some(env) =
            LockedEnv::find_in(tx, org_id, unlocked.project_id, unlocked.env_id).await?
        else {
            return Ok(None);
        };
        // Somebody may have been faster while this waited for the lock.
        let found = store::find_unrevoked(tx, org_id, id).await?;
        Ok(found.map(|found| Self { env, found }))
    }

    /// Whether another key replaced it already.
    #[must_use]
    pub const fn is_rotated(&self) -> bool {
        self.found.rotated_to.is_some()
    }

    /// Ends the key now.
    ///
    /// # Errors
    /// When no version can be drawn.
    pub async fn revoke(
        self,
        tx: &mut Tx,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<Change, DrawError> {
        let change = self.env.draw(tx).await?;
        let revoked = ApiKey {
            revoked_at: Some(now),
            ..self.found.key.clone()
        };
        store::update_end(
            tx,
            self.env.org_id,
            &revoked,
            self.found.rotated_to,
            &change,
        )
        .await?;
        let entry = self
            .env
            .entry(actor, "api_key.revoked", revoked.id)
            .before(&self.found.key)
            .after(&revoked);
        audit::store::record(tx, entry, now).await?;
        Ok(change)
    }

    /// Issues a key like this one, and lets this one end after the grace period at the latest. The new key lives as long from now
    /// as this one from its creation. Without grace this one is revoked: a time of expiry is only as exact as an edge's clock.
    ///
    /// # Errors
    /// When the environment has too many keys.
    pub async fn rotate(
        self,
        tx: &mut Tx,
        grace: Duration,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<Rotation, IssueError> {
        let Self { env, found } = self;
        let old = found.key;
        let text = KeyText::random(old.key_type);
        let expires_at = old.expires_at.map(|end| now + (end - old.created_at));
        let new = ApiKey::new(&text, old.name.clone(), old.key_type, expires_at, now);

        let grace_end = now + grace;
        let grace_expires_at = old.expires_at.map_or(grace_end, |end| end.min(grace_end));
        let revoked_at = grace.is_zero().then_some(now);
        let ended = ApiKey {
            expires_at: Some(grace_expires_at),
            revoked_at,
            ..old.clone()
        };

        let change = env.draw(tx).await?;
        store::insert(tx, env.org_id, env.env_id, &new, text.hash(), &change).await?;
        store::update_end(tx, env.org_id, &ended, Some(new.id), &change).await?;
        env.check_bound(tx, now).await?;
        let created = env.entry(actor, "api_key.created", new.id).after(&new);
        audit::store::record(tx, created, now).await?;
        let rotated = env
            .entry(actor, "api_key.rotated", old.id)
            .before(&old)
            .after(&ended)
            .with(json!({"env_id": env.env_id, "new_key_id": new.id}));
        audit::store::record(tx, rotated, now).await?;
        Ok(Rotation {
            text,
            new_id: new.id,
            grace_expires_at,
            change,
        })
    }
}

/// A key was replaced.
pub struct Rotation {
    /// The text of the new key, to be shown once.
    pub text: KeyText,
    /// The new key.
    pub new_id: ApiKeyId,
    /// When the old key ends.
    pub grace_expires_at: OffsetDateTime,
    /// The change to wait for.
    pub change: Change,
}
