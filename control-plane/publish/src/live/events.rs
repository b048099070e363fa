//! Events of streams. Those about changes have names and never values; those about the present have no position and are not
//! replayed.

use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use super::audience::Topic;
use base::ids::{EnvId, ProjectId};
use protocol::snapshot::Version;

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
pub(super) struct ChangeEvent {
    pub(super) transaction: u64,
    pub(super) resource_type: Box<str>,
    /// The change as JSON.
    pub(super) json: Box<str>,
}

impl ChangeEvent {
    pub(super) fn new(transaction: u64, change: &Change) -> Self {
        let json = serde_json::to_string(change).expect("a change has text keys and serializes");
        Self {
            transaction,
            resource_type: change.resource_type.as_str().into(),
            json: json.into(),
        }
    }
}

#[derive(Debug)]
pub(super) struct News {
    pub(super) topic: Topic,
    /// The version whose propagation it reports.
    wave: Option<(EnvId, Version)>,
    pub(super) json: Box<str>,
}

impl News {
    pub(super) fn new(topic: Topic, wave: Option<(EnvId, Version)>, says: &impl Serialize) -> Self {
        let json = serde_json::to_string(says).expect("news have text keys and serialize");
        Self {
            topic,
            wave,
            json: json.into(),
        }
    }

    pub(super) const fn name(&self) -> &'static str {
        match self.topic {
            Topic::Edges => "edges",
            Topic::Waves => "wave",
            Topic::Usage => "usage",
        }
    }

    /// Whether it reports the same propagation, and so supersedes the older one.
    pub(super) fn replaces(&self, older: &Self) -> bool {
        self.wave.is_some() && self.wave == older.wave
    }
}
