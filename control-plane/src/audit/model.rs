//! Audit entries: those to be written, and those that are read.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ids::{AuditEntryId, ProjectId, UserId};

/// An entry to be written.
#[derive(Debug)]
pub struct NewEntry {
    /// `user`, `system`, `scim` or `api_key`.
    pub actor_type: &'static str,
    /// Its id, where it has one.
    pub actor_id: Option<Uuid>,
    /// Address of the client.
    pub ip: Option<IpAddr>,
    /// What happened.
    pub action: &'static str,
    /// The word before the dot.
    pub resource_type: &'static str,
    /// What it happened to.
    pub resource_id: String,
    /// The project it happened in.
    pub project_id: Option<ProjectId>,
    /// The state before.
    pub before: Option<Value>,
    /// The state after.
    pub after: Option<Value>,
    /// Anything else worth knowing.
    pub metadata: Option<Value>,
}

/// An entry as the API shows it. What does not apply is `null`.
#[derive(Debug, Serialize, sqlx::FromRow, ToSchema)]
pub struct AuditEntry {
    /// Its id.
    pub id: AuditEntryId,
    /// The user who did it.
    pub actor_id: Option<UserId>,
    /// `user`, `system`, `scim` or `api_key`.
    pub actor_type: String,
    /// What happened, such as `flag.killed`.
    pub action: String,
    /// The word before the dot.
    pub resource_type: String,
    /// What it happened to.
    pub resource_id: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// The project it happened in. It may be deleted by now.
    pub project_id: Option<ProjectId>,
    /// The state before; none for a creation.
    #[schema(value_type = Option<Object>)]
    pub before_state: Option<Value>,
    /// The state after; none for a deletion.
    #[schema(value_type = Option<Object>)]
    pub after_state: Option<Value>,
    /// Anything else worth knowing.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Address of the client.
    pub ip_address: Option<String>,
}

/// Which entries are asked for: those that fit everything given.
#[derive(Debug, Default)]
pub struct Filter {
    /// Of this project.
    pub project_id: Option<ProjectId>,
    /// With this action.
    pub action: Option<String>,
    /// With this word before the action's dot.
    pub resource_type: Option<String>,
    /// About this.
    pub resource_id: Option<String>,
    /// By this user.
    pub actor_id: Option<UserId>,
}
