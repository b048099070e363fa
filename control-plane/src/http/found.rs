//! What a path names, or 404: the look-up before the body is read, and before any lock is taken.

use crate::{
    api_keys,
    approvals::{self, model::Approval},
    environments::{self, model::Environment},
    flags::{self, model::Flag},
    ids::{ApiKeyId, ApprovalId, CustomRoleId, EnvId, MemberId, ProjectId},
    input::Key,
    members::{self, caller::Caller, model::Member},
    projects::{self, model::Project},
    refusal::{Missing, Refusal},
    roles::{self, model::CustomRole},
    segments::{self, model::Segment},
    state::AppState,
};

impl AppState {
    /// A project of the caller's organization.
    pub async fn project(&self, caller: &Caller, id: ProjectId) -> Result<Project, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = projects::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or(Missing::Project.into())
    }

    /// An environment of a project.
    pub async fn environment(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        id: EnvId,
    ) -> Result<Environment, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = environments::store::find(&mut conn, caller.org_id, project_id, id).await?;
        found.ok_or(Missing::Environment.into())
    }

    /// The project of an environment that is named alone.
    pub async fn project_of_env(&self, caller: &Caller, id: EnvId) -> Result<ProjectId, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = environments::store::find_project(&mut conn, caller.org_id, id).await?;
        found.ok_or(Missing::Environment.into())
    }

    /// A flag of a project.
    pub async fn flag(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<Flag, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = flags::store::find(&mut conn, caller.org_id, project_id, key).await?;
        found.ok_or(Missing::Flag.into())
    }

    /// A segment of a project.
    pub async fn segment(
        &self,
        caller: &Caller,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<Segment, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = segments::store::find(&mut conn, caller.org_id, project_id, key).await?;
        found.ok_or(Missing::Segment.into())
    }

    /// A member of the caller's organization.
    pub async fn member(&self, caller: &Caller, id: MemberId) -> Result<Member, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = members::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or(Missing::Member.into())
    }

    /// A custom role of the caller's organization, or a built-in one.
    pub async fn custom_role(
        &self,
        caller: &Caller,
        id: CustomRoleId,
    ) -> Result<CustomRole, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = roles::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or(Missing::Role.into())
    }

    /// The project of an API key that is not revoked.
    pub async fn project_of_key(
        &self,
        caller: &Caller,
        id: ApiKeyId,
    ) -> Result<ProjectId, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = api_keys::store::find_unrevoked(&mut conn, caller.org_id, id).await?;
        Ok(found.ok_or(Missing::ApiKey)?.project_id)
    }

    /// A request for approval.
    pub async fn approval(&self, caller: &Caller, id: ApprovalId) -> Result<Approval, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = approvals::store::find(&mut conn, caller.org_id, id).await?;
        found.ok_or(Missing::Approval.into())
    }
}
