//! Events about the present, other than changes. They have no position and are not replayed.

use serde::Serialize;

use protocol::snapshot::Version;

use super::audience::Topic;
use base::ids::EnvId;

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
