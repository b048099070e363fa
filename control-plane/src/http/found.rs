//! What a path names, or 404: the look-up before the body is read, and before any lock is taken.

use serving::error::ApiError;

use super::refusals::{
    api_key_not_found, approval_not_found, env_not_found, flag_not_found, member_not_found,
    project_not_found, role_not_found, segment_not_found,
};
use crate::{
    api_keys,
    approvals::{self, model::Approval},
    environments::{self, model::Environment},
    flags::{self, model::Flag},
    ids::{ApiKeyId, ApprovalId, CustomRoleId, EnvId, MemberId, ProjectId},
    input::Key,
    members::{self, caller::Caller, model::Member},
    projects::{self, model::Project},
    roles::{self, model::CustomRole},
    segments::{self, model::Segment},
    state::AppState,
};

impl AppState {
    /// A project of the caller's organization.
    pub async fn project(&self, caller: &Caller, id: ProjectId) -> Result<Project, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = projects::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or_else(project_not_found)
    }

    /// An environment of a project.
    pub async fn environment(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        id: EnvId,
    ) -> Result<Environment, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = environments::store::find(&mut conn, caller.org_id, project_id, id).await?;
        found.ok_or_else(env_not_found)
    }

    /// The project of an environment that is named alone.
    pub async fn project_of_env(&self, caller: &Caller, id: EnvId) -> Result<ProjectId, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = environments::store::find_project(&mut conn, caller.org_id, id).await?;
        found.ok_or_else(env_not_found)
    }

    /// A flag of a project.
    pub async fn flag(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<Flag, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = flags::store::find(&mut conn, caller.org_id, project_id, key).await?;
        found.ok_or_else(flag_not_found)
    }

    /// A segment of a project.
    pub async fn segment(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<Segment, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = segments::store::find(&mut conn, caller.org_id, project_id, key).await?;
        found.ok_or_else(segment_not_found)
    }

    /// A member of the caller's organization.
    pub async fn member(&self, caller: &Caller, id: MemberId) -> Result<Member, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = members::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or_else(member_not_found)
    }

    /// A custom role of the caller's organization, or a built-in one.
    pub async fn custom_role(
        &self,
        caller: &Caller,
        id: CustomRoleId,
    ) -> Result<CustomRole, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = roles::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or_else(role_not_found)
    }

    /// The project of an API key that is not revoked.
    pub async fn project_of_key(
        &self,
        caller: &Caller,
        id: ApiKeyId,
    ) -> Result<ProjectId, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = api_keys::store::find_unrevoked(&mut conn, caller.org_id, id).await?;
        Ok(found.ok_or_else(api_key_not_found)?.project_id)
    }

    /// A request for approval.
    pub async fn approval(&self, caller: &Caller, id: ApprovalId) -> Result<Approval, ApiError> {
        let mut conn = self.db.acquire().await?;
        let found = approvals::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or_else(approval_not_found)
    }
}
