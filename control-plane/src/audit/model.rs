//! Audit entries to be written.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;

use crate::ids::{OrgId, ProjectId, UserId};

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

    /// The state before, as the API shows it. Never a secret.
    #[must_use]
    pub fn before(mut self, state: &impl Serialize) -> Self {
        self.before = Some(shown(state));
        self
    }

    /// The state after, as the API shows it. Never a secret.
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
