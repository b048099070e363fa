//! Audit entries, written and read.

use std::net::IpAddr;

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{details::Details, store::search::Meant};
use crate::events::Action;
use base::ids::{AuditEntryId, EnvId, ProjectId, UserId};

#[derive(Debug)]
pub struct NewEntry {
    /// `user`, `system`, `scim` or `api_key`.
    pub actor_type: &'static str,
    pub actor_id: Option<Uuid>,
    pub ip: Option<IpAddr>,
    pub action: &'static str,
    /// The part of the action before the dot.
    pub resource_type: &'static str,
    pub resource_id: String,
    pub project_id: Option<ProjectId>,
    pub details: Details,
}

impl NewEntry {
    /// Bytes charged to the budget.
    pub fn bytes(&self) -> i64 {
        i64::try_from(self.details.bytes).unwrap_or(i64::MAX)
    }

    pub fn omitted_bytes(&self) -> i64 {
        i64::try_from(self.details.brief.omitted).unwrap_or(i64::MAX)
    }
}

/// An entry as the API shows it. What does not apply is `null`.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Its id.
    pub id: AuditEntryId,
    /// Who did it: a user, a SCIM token or an API key, as `actor_type` says.
    #[schema(required)]
    pub actor_id: Option<UserId>,
    /// `user`, `system`, `scim` or `api_key`.
    pub actor_type: String,
    /// What the user, the token or the key is called now. `null` for the system, and for what is gone.
    #[schema(required)]
    pub actor_name: Option<String>,
    /// The address of a user who is a member.
    #[schema(required)]
    pub actor_email: Option<String>,
    /// What happened, such as `flag.killed`.
    pub action: String,
    /// The word before the dot.
    pub resource_type: String,
    /// What it happened to.
    #[schema(required)]
    pub resource_id: Option<String>,
    /// What that is called now, by its key where it has one: a request for approval by its flag's. Of what is gone, what it was
    /// called, as far as that is kept.
    #[schema(required)]
    pub resource_name: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// The project it happened in. It may be deleted by now.
    #[schema(required)]
    pub project_id: Option<ProjectId>,
    /// The state before: an object, for `member.permissions_updated` a list of rows; none for a creation. A part that is too long is
    /// `{"omitted": {"bytes", "sha256"}}`, and `metadata.omitted_bytes` then says so.
    #[schema(value_type = Value, required)]
    pub before_state: Option<Value>,
    /// The state after; none for a deletion. Parts that are too long are left out in the same way.
    #[schema(value_type = Value, required)]
    pub after_state: Option<Value>,
    /// Anything else worth knowing.
    #[schema(value_type = Option<Object>, required)]
    pub metadata: Option<Value>,
    /// Address of the client.
    #[schema(required)]
    pub ip_address: Option<String>,
}

/// Lists entries that match every filter given.
#[derive(Debug, Default)]
pub struct Filter {
    pub project_id: Option<ProjectId>,
    pub action: Option<String>,
    /// The part of the action before the dot.
    pub resource_type: Option<String>,
    pub resource_id: Option<String>,
    pub actor_id: Option<UserId>,
    pub env_id: Option<EnvId>,
    /// Inclusive.
    pub from: Option<OffsetDateTime>,
    /// Exclusive.
    pub to: Option<OffsetDateTime>,
    /// What each word of a search stands for; every word must fit.
    pub meant: Vec<Meant>,
    /// The page begins after this entry, towards older ones. The total includes newer ones.
    pub before: Option<AuditEntryId>,
}

impl Filter {
    /// Whether several filters are given. Each has an index, but no two share one.
    pub fn has_several(&self) -> bool {
        let Self {
            project_id,
            action,
            resource_type,
            resource_id,
            actor_id,
            env_id,
            meant,
            // Positions in the order that every index has.
            from: _,
            to: _,
            before: _,
        } = self;
        let given = [
            project_id.is_some(),
            action.is_some(),
            resource_type.is_some(),
            resource_id.is_some(),
            actor_id.is_some(),
            env_id.is_some(),
            // A word alone is several already: it may be of an actor, an action or a thing.
            !meant.is_empty(),
            !meant.is_empty(),
        ];
        given.into_iter().filter(|given| *given).count() > 1
    }

    /// The same period without other filters: the entries to scan for several filters.
    pub fn period(&self) -> Self {
        Self {
            from: self.from,
            to: self.to,
            ..Self::default()
        }
    }
}

/// The actions that entries may have.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditActions {
    /// All there are.
    pub data: Vec<AuditAction>,
    /// How many.
    pub total: usize,
}

/// An action that entries may have.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditAction {
    /// Its name, such as `flag.killed`.
    pub action: &'static str,
    /// The word before the dot.
    pub resource_type: &'static str,
    /// What it means.
    pub description: &'static str,
}

impl AuditActions {
    /// Every action, grouped by domain.
    pub fn all() -> Self {
        let described = |action: &Action| AuditAction {
            action: action.as_str(),
            resource_type: action.resource_type(),
            description: action.meaning(),
        };
        let data: Vec<_> = Action::ALL.iter().map(described).collect();
        Self {
            total: data.len(),
            data,
        }
    }
}
