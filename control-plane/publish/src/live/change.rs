//! The contents of a `change` event: names, never values.

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use base::ids::ProjectId;

/// An entry of the audit log.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Change {
    /// The action, such as `flag.state_updated`.
    pub(super) action: String,
    /// The part before the dot.
    pub(super) resource_type: String,
    pub(super) resource_id: Option<String>,
    pub(super) project_id: Option<ProjectId>,
    pub(super) env_id: Option<String>,
    pub(super) actor_id: Option<Uuid>,
    /// For flags, the newest version of the history, or of the state in the environment for a change of that; `null` otherwise.
    pub(super) version: Option<i64>,
    #[serde(with = "time::serde::rfc3339")]
    pub(super) at: OffsetDateTime,
}

/// A change and the transaction that made it.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) transaction: u64,
    pub(super) resource_type: Box<str>,
    /// The change as JSON.
    pub(super) json: Box<str>,
}

impl Told {
    pub(super) fn new(transaction: u64, change: &Change) -> Self {
        let json = serde_json::to_string(change).expect("a change has text keys and serializes");
        Self {
            transaction,
            resource_type: change.resource_type.as_str().into(),
            json: json.into(),
        }
    }
}
