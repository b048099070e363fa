//! Looks up the things that a path names, or answers 404: before the body is read, and before any lock is taken.

use super::access::Access;
use base::{
    ids::{ApiKeyId, ApprovalId, CustomRoleId, EnvId, FlagId, MemberId, ProjectId, WebhookId},
    input::Key,
    refusal::{Missing, Refusal},
};
use domain::{
    api_keys::{self, store::Found},
    approvals::{self, model::Approval},
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
    webhooks::{self, model::Webhook},
};

/// Rows of name, arguments, result, look-up function, and the refusal if missing.
macro_rules! look_ups {
    ($($(#[$doc:meta])* $name:ident($($given:ident: $type:ty),+) -> $found:ty: $look_up:path, $missing:ident;)+) => {
        impl Access {$(
            $(#[$doc])*
            pub async fn $name(&self, $($given: $type),+) -> Result<$found, Refusal> {
                let mut conn = self.db.acquire().await?;
                let found = $look_up(&mut conn, self.org_id, $($given),+).await?;
                found.ok_or(Missing::$missing.into())
            }
        )+}
    };
}

look_ups! {
    /// A project of the caller's organization.
    project(id: ProjectId) -> Project: projects::store::find, Project;
    /// An environment of a project.
    environment(project_id: ProjectId, id: EnvId) -> Environment: environments::store::find, Environment;
    /// The project of an environment named without it.
    project_of_env(id: EnvId) -> ProjectId: environments::store::find_project, Environment;
    /// A flag of a project.
    flag(project_id: ProjectId, key: &Key) -> Flag: flags::store::find, Flag;
    /// A segment of a project.
    segment(project_id: ProjectId, key: &Key) -> Segment: segments::store::find, Segment;
    /// An API key that is not revoked, and its place.
    api_key(id: ApiKeyId) -> Found: api_keys::store::find_unrevoked, ApiKey;
    /// A member of the caller's organization.
    member(id: MemberId) -> Member: members::store::find, Member;
    /// A custom role of the caller's organization, or a built-in one.
    custom_role(id: CustomRoleId) -> CustomRole: roles::store::find, Role;
    /// A request for approval.
    approval(id: ApprovalId) -> Approval: approvals::store::find, Approval;
    /// A webhook of the caller's organization.
    webhook(id: WebhookId) -> Webhook: webhooks::store::find, Webhook;
}

impl Access {
    /// The id of a flag, or of the last deleted one with the key: history outlives it.
    pub(crate) async fn flag_of_history(
        &self,
        project_id: ProjectId,
        key: &Key,
    ) -> Result<FlagId, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = history::store::find_flag(&mut conn, self.org_id, project_id, key).await?;
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

    /// A flag of a project, and its state in one of the project's environments.
    pub(crate) async fn located(
        &self,
        project_id: ProjectId,
        key: &Key,
        env_id: EnvId,
    ) -> Result<Located, Refusal> {
        let mut conn = self.db.acquire().await?;
        states::locate(&mut conn, self.org_id, project_id, key, env_id).await
    }
}
