//! The member behind a request, independent of HTTP.

use std::{net::IpAddr, sync::Arc};

use time::OffsetDateTime;

use super::model::Role;
use crate::{access_tokens::scope::Scope, events::Actor, roles::keys::Needs};
use base::{
    ids::{EnvId, FamilyId, MemberId, OrgId, ProjectId, UserId},
    refusal::Refusal,
};

/// What a request was authenticated by.
#[derive(Clone, Debug)]
pub enum Credential {
    Session(FamilyId),
    AccessToken(Scope),
}

/// The member behind a request. Role and keys are read from the database at the start of the request.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user_id: UserId,
    /// The tenant of every query.
    pub org_id: OrgId,
    pub member_id: MemberId,
    /// The lower one of the member's and of the access token's.
    pub role: Role,
    /// The permission keys of the custom role; `None` without one.
    pub permissions: Option<Arc<[String]>>,
    pub credential: Credential,
    /// When the credential ends.
    pub token_ends_at: OffsetDateTime,
    /// The client's address, for the audit log.
    pub ip: IpAddr,
}

impl Caller {
    pub const fn actor(&self) -> Actor {
        Actor::User {
            id: self.user_id,
            ip: self.ip,
            token: match &self.credential {
                Credential::Session(_) => None,
                Credential::AccessToken(scope) => Some(scope.token_id),
            },
        }
    }

    /// The access token's scope; `None` for a session, which has none.
    pub const fn scope(&self) -> Option<&Scope> {
        match &self.credential {
            Credential::Session(_) => None,
            Credential::AccessToken(scope) => Some(scope),
        }
    }

    /// Refuses a project that is not the access token's.
    pub fn check_project(&self, id: ProjectId) -> Result<(), Refusal> {
        self.scope().map_or(Ok(()), |scope| scope.check_project(id))
    }

    /// Refuses an environment that is not the access token's.
    pub fn check_env(&self, id: EnvId) -> Result<(), Refusal> {
        self.scope().map_or(Ok(()), |scope| scope.check_env(id))
    }

    /// Whether the access token, if it is one, has the environment.
    pub fn has_env(&self, id: EnvId) -> bool {
        self.scope().is_none_or(|scope| scope.has_env(id))
    }

    /// Whether the access token is limited to environments.
    pub fn is_limited_to_envs(&self) -> bool {
        self.scope().is_some_and(|scope| scope.env_ids.is_some())
    }

    /// Refuses a custom role without the required keys. Members without a custom role pass.
    pub fn require(&self, needs: Needs) -> Result<(), Refusal> {
        match &self.permissions {
            Some(held) if !needs.is_met_by(held) => Err(Refusal::INSUFFICIENT),
            _ => Ok(()),
        }
    }
}
