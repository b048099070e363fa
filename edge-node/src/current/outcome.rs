//! The outcome of pushes and greetings, as returned to the edge's upstream.

use protocol::{ids::EnvId, snapshot::Version, wire::message::Listed};

/// The outcome of a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The edge now serves this version. Acknowledge it.
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
    /// The push cannot be used; what was held is kept. Request the whole environment.
    Resync {
        /// Which environment.
        env_id: EnvId,
    },
    /// Not newer than what is served. Acknowledge the served version.
    Ignored,
}

impl Outcome {
    /// The name used in metrics.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Applied { .. } => "applied",
            Self::Removed { .. } => "removed",
            Self::Resync { .. } => "resync",
            Self::Ignored => "ignored",
        }
    }
}

/// What belongs to the edge, as a greeting says.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// One by one.
    pub environments: Vec<Listed>,
    /// What is held exactly as it should be, and therefore not listed.
    pub confirmed: Vec<EnvId>,
}

/// What a greeting changed at once, apart from what is still to be received.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Greeting {
    /// Environments that no longer belong to the edge and are no longer served.
    pub dropped: Vec<EnvId>,
    /// Environments held under another epoch with exactly the listed contents.
    pub adopted: Vec<EnvId>,
}

/// A whole environment that cannot be used. The control plane backs off between its attempts.
pub(super) fn refused(env_id: EnvId, reason: &str) -> Outcome {
    tracing::error!(env.id = %env_id, reason, "an environment cannot be used; the previous one is kept");
    metrics::counter!("halyard_edge_refused_environments_total").increment(1);
    Outcome::Resync { env_id }
}
