//! Member roles.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
