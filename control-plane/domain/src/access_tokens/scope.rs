//! What an access token is limited to, besides its role: it takes rights away, and never gives any.

use std::sync::Arc;

use base::{
    ids::{AccessTokenId, EnvId, ProjectId},
    refusal::Refusal,
};

const OTHER_PROJECTS: Refusal = Refusal::Forbidden("the access token is limited to other projects");
const OTHER_ENVIRONMENTS: Refusal =
    Refusal::Forbidden("the access token is limited to other environments");

/// The token of a request.
#[derive(Clone, Debug)]
pub struct Scope {
    pub token_id: AccessTokenId,
    pub read_only: bool,
    /// `None` for all projects.
    pub project_ids: Option<Arc<[ProjectId]>>,
    /// `None` for all environments of the projects.
    pub env_ids: Option<Arc<[EnvId]>>,
}

impl Scope {
    /// Whether it has less than the organization.
    pub const fn is_limited(&self) -> bool {
        self.project_ids.is_some()
    }

    pub fn check_project(&self, id: ProjectId) -> Result<(), Refusal> {
        let is_within = |ids: &Arc<[ProjectId]>| ids.contains(&id);
        if self.project_ids.as_ref().is_none_or(is_within) {
            Ok(())
        } else {
            Err(OTHER_PROJECTS)
        }
    }

    pub fn check_env(&self, id: EnvId) -> Result<(), Refusal> {
        if self.has_env(id) {
            Ok(())
        } else {
            Err(OTHER_ENVIRONMENTS)
        }
    }

    pub fn has_env(&self, id: EnvId) -> bool {
        self.env_ids.as_ref().is_none_or(|ids| ids.contains(&id))
    }
}
