//! Member roles.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::{MemberId, OrgId, UserId};

/// A member's role (contract chapter "Authentication", item 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Role {
    /// Full access, billing and organization settings.
    Owner,
    /// Members, API keys, webhooks, approvals.
    Admin,
    /// Creates and modifies flags and segments.
    Developer,
    /// Reads.
    Viewer,
}

/// A user's place in an organization.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// The membership.
    pub id: MemberId,
    /// The organization.
    pub org_id: OrgId,
    /// The user.
    pub user_id: UserId,
    /// What they may do there.
    pub role: Role,
}
