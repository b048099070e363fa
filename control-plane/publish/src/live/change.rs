//! What a `change` event says: names, and never values.

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use base::ids::ProjectId;

/// Something that was changed, as the trail tells it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Change {
    /// What happened, such as `flag.state_updated`.
    pub(super) action: String,
    /// The word before the dot.
    pub(super) resource_type: String,
    pub(super) resource_id: Option<String>,
    pub(super) project_id: Option<ProjectId>,
    pub(super) env_id: Option<String>,
    pub(super) actor_id: Option<Uuid>,
    /// Of a flag, the newest version of its history: of its state in the environment, where that is told; `null` for everything
    /// else.
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
