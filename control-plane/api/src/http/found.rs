//! Looks up the things that a path names, or answers 404: before the body is read, and before any lock is taken.

use super::access::Access;
use base::{
    ids::{
        ApiKeyId, ApprovalId, ChangeSetId, CustomRoleId, EnvId, FlagId, MemberId, ProjectId,
        SegmentId, SignInDomainId, SignInProviderId, WebhookId,
    },
    input::Key,
    named::{EnvRef, Named, ProjectRef},
    refusal::{Missing, Refusal},
};
use domain::{
    api_keys::{self, store::Found},
    approvals::{self, model::Approval},
    change_sets::{self, model::ChangeSet},
    environments::{self, model::Environment},
    flags::{
        self,
        change::Place,
        history::{self, look::Kept},
        model::Flag,
        states::store::{self as states, Located},
    },
    members::{self, model::Member},
    projects::{self, model::Project},
    roles::{self, model::CustomRole},
    segments::{self, model::Segment},
    sign_in::{
        self,
        model::{Domain, Provider},
    },
    webhooks::{self, model::Webhook},
};

/// Rows of name, arguments, result, look-up function, and the refusal if missing.
macro_rules! look_ups {
    ($($(#[$doc:meta])* $name:ident($($given:ident: $type:ty),+) -> $found:ty: $look_up:path, $missing:ident $(, within $place:expr)?;)+) => {
        impl Access {$(
            $(#[$doc])*
            pub async fn $name(&self, $($given: $type),+) -> Result<$found, Refusal> {
                let mut conn = self.db.acquire().await?;
                let found = $look_up(&mut conn, self.org_id, $($given),+).await?;
                let found = found.ok_or(Missing::$missing)?;
                $(self.check_place($place(&found))?;)?
                Ok(found)
            }
        )+}
    };
}

look_ups! {
    /// A project of the caller's organization.
    project(id: ProjectId) -> Project: projects::store::find, Project, within |found: &Project| (found.id, None);
    /// An environment of a project.
    environment(project_id: ProjectId, id: EnvId) -> Environment: environments::store::find, Environment,
        within |found: &Environment| (project_id, Some(found.id));
    /// The project of an environment named without it.
    project_of_env(id: EnvId) -> ProjectId: environments::store::find_project, Environment,
        within |found: &ProjectId| (*found, Some(id));
    /// An API key that is not revoked, and its place.
    api_key(id: ApiKeyId) -> Found: api_keys::store::find_unrevoked, ApiKey,
        within |found: &Found| (found.project_id, Some(found.env_id));
    /// A member of the caller's organization.
    member(id: MemberId) -> Member: members::store::find, Member;
    /// A custom role of the caller's organization, or a built-in one.
    custom_role(id: CustomRoleId) -> CustomRole: roles::store::find, Role;
    /// A change set of a project.
    change_set(project_id: ProjectId, id: ChangeSetId) -> ChangeSet: change_sets::store::find, ChangeSet,
        within |found: &ChangeSet| (found.project_id, None);
    /// A request for approval.
    approval(id: ApprovalId) -> Approval: approvals::store::find, Approval,
        within |found: &Approval| (found.project_id, Some(found.env_id));
    /// A webhook of the caller's organization.
    webhook(id: WebhookId) -> Webhook: webhooks::store::find, Webhook;
    /// A provider by which members of the caller's organization sign in.
    sign_in_provider(id: SignInProviderId) -> Provider: sign_in::store::providers::find, SignInProvider;
    /// A domain of the caller's organization.
    sign_in_domain(id: SignInDomainId) -> Domain: sign_in::store::domains::find, SignInDomain;
}

impl Access {
    /// Refuses what is not within the limits of an access token.
    pub(crate) fn check_place(
        &self,
        (project_id, env_id): (ProjectId, Option<EnvId>),
    ) -> Result<(), Refusal> {
        self.check_project(project_id)?;
        env_id.map_or(Ok(()), |id| self.check_env(id))
    }

    /// The id of a project named by id or slug. An id is not looked up: the next look-up does that.
    pub(crate) async fn project_id(&self, named: &ProjectRef) -> Result<ProjectId, Refusal> {
        let id = match named {
            Named::Id(id) => *id,
            Named::Slug(slug) => {
                let mut conn = self.db.acquire().await?;
                let found = projects::store::find_id(&mut conn, self.org_id, slug).await?;
                found.ok_or(Missing::Project)?
            }
            Named::Nothing => return Err(Missing::Project.into()),
        };
        self.check_project(id)?;
        Ok(id)
    }

    /// The id of an environment of a project, named by id or slug. An id is not looked up.
    pub(crate) async fn env_id(
        &self,
        project_id: ProjectId,
        named: &EnvRef,
    ) -> Result<EnvId, Refusal> {
        let id = match named {
            Named::Id(id) => *id,
            Named::Slug(slug) => {
                let mut conn = self.db.acquire().await?;
                let org_id = self.org_id;
                let found =
                    environments::store::find_id(&mut conn, org_id, project_id, slug).await?;
                found.ok_or(Missing::Environment)?
            }
            Named::Nothing => return Err(Missing::Environment.into()),
        };
        self.check_env(id)?;
        Ok(id)
    }

    /// The environment of a project that a filter names, if it names one.
    pub(crate) async fn filtered_env(
        &self,
        project_id: ProjectId,
        named: Option<EnvRef>,
    ) -> Result<Option<EnvId>, Refusal> {
        let Some(named) = named else {
            return Ok(None);
        };
        let id = self.env_id(project_id, &named).await?;
        Ok(Some(self.environment(project_id, id).await?.id))
    }

    /// The ids of a project and of one of its environments.
    pub(crate) async fn ids(
        &self,
        project: &ProjectRef,
        env: &EnvRef,
    ) -> Result<(ProjectId, EnvId), Refusal> {
        let project_id = self.project_id(project).await?;
        Ok((project_id, self.env_id(project_id, env).await?))
    }

    /// A flag of a project by its key, or by its id if no flag has such a key.
    pub(crate) async fn flag(&self, project_id: ProjectId, key: &Key) -> Result<Flag, Refusal> {
        let (mut conn, org_id) = (self.db.acquire().await?, self.org_id);
        let mut found = flags::store::find(&mut conn, org_id, project_id, key).await?;
        if let (None, Some(id)) = (&found, FlagId::parse(key.as_str())) {
            found = flags::store::find_by_id(&mut conn, org_id, project_id, id).await?;
        }
        found.ok_or(Missing::Flag.into())
    }

    /// A segment of a project by its key, or by its id if no segment has such a key.
    pub(crate) async fn segment(
        &self,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<Segment, Refusal> {
        let (mut conn, org_id) = (self.db.acquire().await?, self.org_id);
        let mut found = segments::store::find(&mut conn, org_id, project_id, key).await?;
        if let (None, Some(id)) = (&found, SegmentId::parse(key.as_str())) {
            found = segments::store::find_by_id(&mut conn, org_id, project_id, id).await?;
        }
        found.ok_or(Missing::Segment.into())
    }

    /// The id of a flag, or of the last deleted one with the key: history outlives it. An id names a flag too.
    pub(crate) async fn flag_of_history(
        &self,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<FlagId, Refusal> {
        let (mut conn, org_id) = (self.db.acquire().await?, self.org_id);
        let found = history::store::find_flag(&mut conn, org_id, project_id, key).await?;
        if let (None, Some(id)) = (found, FlagId::parse(key.as_str()))
            && history::store::has_flag(&mut conn, org_id, project_id, id).await?
        {
            return Ok(id);
        }
        found.ok_or(Missing::Flag.into())
    }

    /// A flag at a version of its history, with its state in an environment.
    pub(crate) async fn kept(
        &self,
        project_id: ProjectId,
        place: Place,
        version: i64,
    ) -> Result<Kept, Refusal> {
        let mut reading = self.db.begin_reading().await?;
        history::look::at(&mut reading, self.org_id, project_id, place, version).await
    }

    /// A flag of a project by its key or id, and its state in one of the project's environments.
    pub(crate) async fn located(
        &self,
        project_id: ProjectId,
        key: &Key,
        env_id: EnvId,
    ) -> Result<Located, Refusal> {
        let (mut conn, org_id) = (self.db.acquire().await?, self.org_id);
        let located = states::locate(&mut conn, org_id, project_id, key, env_id).await;
        match (located, FlagId::parse(key.as_str())) {
            (Err(Refusal::Gone(Missing::Flag)), Some(id)) => {
                states::locate_by_id(&mut conn, org_id, project_id, id, env_id).await
            }
            (located, _) => located,
        }
    }
}
