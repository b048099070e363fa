//! Audit entries: those to be written, and those read.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use super::details::Details;
use crate::ids::{AuditEntryId, ProjectId, UserId};

#[derive(Debug)]
pub struct NewEntry {
    /// `user`, `system`, `scim` or `api_key`.
    pub actor_type: &'static str,
    /// The actor's id, if it has one.
    pub actor_id: Option<Uuid>,
    pub ip: Option<IpAddr>,
    /// What happened.
    pub action: &'static str,
    /// The part of the action before the dot.
    pub resource_type: &'static str,
    pub resource_id: String,
    pub project_id: Option<ProjectId>,
    pub details: Details,
}

impl NewEntry {
    /// What it takes of the budget.
    pub fn bytes(&self) -> i64 {
        i64::try_from(self.details.bytes).unwrap_or(i64::MAX)
    }
}

/// An entry as the API shows it. What does not apply is `null`.
#[derive(Debug, Serialize, ToSchema)]
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
    /// The state before; none for a creation. A part that is too long is `{"omitted": {"bytes", "sha256"}}`, and
    /// `metadata.omitted_bytes` then says so.
    #[schema(value_type = Option<Object>)]
    pub before_state: Option<Value>,
    /// The state after; none for a deletion. Parts that are too long are left out in the same way.
    #[schema(value_type = Option<Object>)]
    pub after_state: Option<Value>,
    /// Anything else worth knowing.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Value>,
    /// Address of the client.
    pub ip_address: Option<String>,
}

/// Which entries are listed: those that match every filter given.
#[derive(Debug, Default)]
pub struct Filter {
    pub project_id: Option<ProjectId>,
    pub action: Option<String>,
    /// The part of the action before the dot.
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    /// The user who did it.
    pub actor_id: Option<UserId>,
    /// The entry that the page begins after, towards older ones. The total counts newer ones nevertheless.
    pub before: Option<AuditEntryId>,
}

impl Filter {
    /// Whether entries have to fit more than one filter. Each has an index, but not two of them.
    pub fn has_several(&self) -> bool {
        let Self {
            project_id,
            action,
            resource_type,
            resource_id,
            actor_id,
            // A place in the order that every index has.
            before: _,
        } = self;
        let given = [
            project_id.is_some(),
            action.is_some(),
            resource_type.is_some(),
            resource_id.is_some(),
            actor_id.is_some(),
        ];
        given.into_iter().filter(|given| *given).count() > 1
    }
}
