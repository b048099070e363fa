//! A service account as the API shows it.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::members::model::Role;
use base::ids::{CustomRoleId, MemberId, UserId};

/// A service account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ServiceAccount {
    /// Its id as a member, also for `/v1/members/{memberID}/permissions`.
    pub id: MemberId,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What narrows the role, if anything does.
    #[schema(required)]
    pub custom_role_id: Option<CustomRoleId>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Its account, which the audit log names as the actor.
    pub user_id: UserId,
}
