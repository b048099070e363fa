//! Audit entries: those to be written, and those that are read.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::ids::{AuditEntryId, OrgId, ProjectId, UserId};

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in member, from an address.
    User {
        /// The user.
        id: UserId,
        /// Address of the client.
        ip: Option<IpAddr>,
    },
    /// The service itself: schedules, expiry, operator commands.
    System,
}

/// An entry. The action's name is `<resource type>.<what happened>` (decisions 4.17 and 11.2).
#[derive(Debug)]
pub struct Entry {
    pub(super) org_id: OrgId,
    pub(super) actor: Actor,
    pub(super) action: &'static str,
    pub(super) resource_id: Option<String>,
    pub(super) project_id: Option<ProjectId>,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    pub(super) metadata: Option<Value>,
}

impl Entry {
    /// An entry about nothing in particular yet.
    #[must_use]
    pub const fn new(org_id: OrgId, actor: Actor, action: &'static str) -> Self {
        Self {
            org_id,
            actor,
            action,
            resource_id: None,
            project_id: None,
            before: None,
            after: None,
            metadata: None,
        }
    }

    /// What the action is about.
    #[must_use]
    pub fn on(mut self, resource_id: impl ToString) -> Self {
        self.resource_id = Some(resource_id.to_string());
        self
    }

    /// The project it happened in.
    #[must_use]
    pub const fn in_project(mut self, project_id: ProjectId) -> Self {
        self.project_id = Some(project_id);
        self
    }

    /// The state before, as the API shows it; none for a creation. Never a secret.
    #[must_use]
    pub fn before(mut self, state: &impl Serialize) -> Self {
        self.before = Some(shown(state));
        self
    }

    /// The state after, as the API shows it; none for a deletion. Never a secret.
    #[must_use]
    pub fn after(mut self, state: &impl Serialize) -> Self {
        self.after = Some(shown(state));
        self
    }

    /// Anything else worth knowing.
    #[must_use]
    pub fn with(mut self, metadata: Value) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The word before the dot.
    pub(super) fn resource_type(&self) -> &'static str {
        self.action
            .split_once('.')
            .map_or(self.action, |(resource, _)| resource)
    }
}

fn shown(state: &impl Serialize) -> Value {
    serde_json::to_value(state).expect("what the API shows has text keys and serializes")
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
