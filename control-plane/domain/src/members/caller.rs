//! The member behind a request, independent of HTTP.

use std::{net::IpAddr, sync::Arc};

use time::OffsetDateTime;

use super::model::Role;
use crate::{events::Actor, roles::keys::Needs};
use base::{
    ids::{FamilyId, MemberId, OrgId, UserId},
    refusal::Refusal,
};

/// A signed-in member. Role and keys are read from the database at the start of the request.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user_id: UserId,
    /// The tenant of every query.
    pub org_id: OrgId,
    pub member_id: MemberId,
    pub role: Role,
    /// The permission keys of the custom role; `None` without one.
    pub permissions: Option<Arc<[String]>>,
    pub family_id: FamilyId,
    pub token_ends_at: OffsetDateTime,
    /// The client's address, for the audit log.
    pub ip: IpAddr,
}

impl Caller {
    pub const fn actor(&self) -> Actor {
        Actor::user(self.user_id, self.ip)
    }

    /// Refuses a custom role without the required keys. Members without a custom role pass.
    pub fn require(&self, needs: Needs) -> Result<(), Refusal> {
        match &self.permissions {
            Some(held) if !needs.is_met_by(held) => Err(Refusal::INSUFFICIENT),
            _ => Ok(()),
        }
    }
}
