//! What becomes of pushes and greetings, as whoever feeds an edge hears it.

use protocol::{ids::EnvId, snapshot::Version};

/// What became of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The edge serves this version now. Acknowledge it.
    Applied {
        /// Which environment.
        env_id: EnvId,
        /// Which version.
        version: Version,
    },
    /// The edge no longer serves this environment. Acknowledge it with version 0.
    Removed {
        /// Which environment.
        env_id: EnvId,
    },
    /// What came cannot be used; what is held stays. Ask for the whole environment.
    Resync {
        /// Which environment.
        env_id: EnvId,
    },
    /// Not newer than what is served. Acknowledge that.
    Ignored,
}

impl Outcome {
    /// Its name in the metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Applied { .. } => "applied",
            Self::Removed { .. } => "removed",
            Self::Resync { .. } => "resync",
            Self::Ignored => "ignored",
        }
    }
}

/// What a greeting changed besides what is still to come.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// Environments that do not belong to the edge any more, and are no longer served.
    pub dropped: Vec<EnvId>,
    /// Environments that were held as they are under another epoch.
    pub adopted: Vec<EnvId>,
}
