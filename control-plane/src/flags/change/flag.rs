//! Locking a flag's project, and reading the flag under the lock.

use super::LockedState;
use crate::{
    db::{self, Tx},
    environments,
    flags::{model::Flag, states::store as states, store},
    ids::{EnvId, FlagId, OrgId, ProjectId},
    input::Key,
    projects,
};

/// A flag whose project is locked: it stays as it is until the transaction ends, unless its holder changes it.
#[derive(Debug)]
pub struct LockedFlag {
    pub(super) org_id: OrgId,
    pub(super) project_id: ProjectId,
    /// The flag.
    pub flag: Flag,
}

impl LockedFlag {
    /// Takes the project's lock, then reads the flag. `None` when the organization has no such project, or the project no
    /// such flag.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(
        tx: &mut Tx,
        org_id: OrgId,
        project_id: ProjectId,
        key: &Key,
    ) -> db::Result<Option<Self>> {
        if projects::store::lock(tx, org_id, project_id)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let flag = store::find(tx, org_id, project_id, key).await?;
        Ok(flag.map(|flag| Self {
            org_id,
            project_id,
            flag,
        }))
    }

    /// The same for a flag that is known by its id: takes the lock of its project, then reads the flag. `None` when the
    /// organization has no such flag.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find_by_id(tx: &mut Tx, org_id: OrgId, id: FlagId) -> db::Result<Option<Self>> {
        let Some(project_id) = store::find_project(tx, org_id, id).await? else {
            return Ok(None);
        };
        if projects::store::lock(tx, org_id, project_id)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let flag = store::find_by_id(tx, org_id, id).await?;
        Ok(flag.map(|flag| Self {
            org_id,
            project_id,
            flag,
        }))
    }

    /// The flag's state in an environment. `None` when the project has no such environment.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn state(&self, tx: &mut Tx, env_id: EnvId) -> db::Result<Option<LockedState<'_>>> {
        if environments::store::find(tx, self.org_id, self.project_id, env_id)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        let stored = states::find(tx, self.org_id, self.flag.id, env_id).await?;
        Ok(Some(LockedState {
            locked: self,
            env_id,
            stored,
        }))
    }
}
