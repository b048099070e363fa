//! The refusal of a change that is based on an older version of a project: what has changed since.

use serde::Serialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use utoipa::ToSchema;

/// The body of a refusal by `If-Match`. Refusals for other reasons have `error` alone.
#[derive(Clone, Debug, Serialize, thiserror::Error, ToSchema)]
#[schema(as = OutdatedErrorBody)]
#[error("changed meanwhile")]
pub struct Outdated {
    /// `changed meanwhile`.
    pub error: &'static str,
    /// The project's version now.
    #[schema(required = false)]
    pub version: i64,
    /// Flags, states and segments that changed since the version that the client has, the last one first; at most 20. Other
    /// things, such as API keys, have versions of the project too.
    #[schema(required = false)]
    pub changes: Vec<LaterChange>,
}

/// What somebody else changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LaterChange {
    /// `flag`, `state` or `segment`.
    pub kind: &'static str,
    /// The key of the flag or the segment.
    pub key: String,
    /// The environment of a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub env_slug: Option<String>,
    /// What happened last, as the audit log names it; `null` if that is no longer kept.
    #[schema(required)]
    pub action: Option<String>,
    /// Who did it, by name; `null` for the system, and if that is no longer kept.
    #[schema(required)]
    pub actor_name: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

impl Outdated {
    /// The refusal at this version, after these changes.
    #[must_use]
    pub const fn new(version: i64, changes: Vec<LaterChange>) -> Self {
        Self {
            error: "changed meanwhile",
            version,
            changes,
        }
    }

    /// The members of the body beside `error`.
    pub(super) fn details(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut members)) => {
                members.remove("error");
                members
            }
            _ => Map::new(),
        }
    }
}
