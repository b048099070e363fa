//! What is told besides changes: what goes on now. Nobody comes back to it, so it has no position.

use serde::Serialize;

use protocol::snapshot::Version;

use super::audience::Topic;
use base::ids::EnvId;

/// Something that goes on.
#[derive(Debug)]
pub(super) struct News {
    pub(super) topic: Topic,
    /// Of a wave, what it is of.
    wave: Option<(EnvId, Version)>,
    /// What is said, as JSON.
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

    /// The name of the event.
    pub(super) const fn name(&self) -> &'static str {
        match self.topic {
            Topic::Edges => "edges",
            Topic::Waves => "wave",
            Topic::Usage => "usage",
        }
    }

    /// Whether it is of the same wave, and so says all that the older one said.
    pub(super) fn replaces(&self, older: &Self) -> bool {
        self.wave.is_some() && self.wave == older.wave
    }
}
