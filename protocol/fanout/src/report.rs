//! What is reported about connected edges.

use protocol::{ids::EnvId, snapshot::Version};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A connected edge.
#[derive(Clone, Debug)]
pub struct ConnectedEdge {
    /// Its name.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
    /// Its build.
    pub build: String,
    /// When it connected.
    pub since: OffsetDateTime,
    /// Round-trip time in milliseconds; `None` if it is not known, or there is no line.
    pub rtt_ms: Option<f64>,
    /// Open event streams, as it last reported.
    pub streams: u32,
    /// What it holds, of the environments that were asked for.
    pub environments: Vec<HeldEnvironment>,
    /// How many environments it holds.
    pub held: usize,
    /// How many of these have a newer version than it serves.
    pub behind: usize,
    /// The relay that it is connected to, if it is not connected here.
    pub via: Option<String>,
}

/// An environment at an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldEnvironment {
    /// Which.
    pub env_id: EnvId,
    /// The version that the edge serves.
    pub version: Version,
    /// The version that there is.
    pub current_version: Version,
    /// Milliseconds since this version was there to be sent, or the edge was greeted with it.
    pub age_ms: u64,
}

/// What is announced in advance about a connected edge.
#[derive(Debug, Serialize, Deserialize)]
pub struct PresentEdge {
    /// Its name.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
}

/// How far a change has propagated: sorted names of edges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Those that serve it.
    pub acknowledged: Vec<String>,
    /// The edges that should serve it but do not yet.
    pub lagging: Vec<String>,
}

impl Reached {
    /// Adds what another place says. An edge that moved meanwhile lags at the place that it left, so an acknowledgement
    /// elsewhere counts more.
    pub fn merge(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        self.lagging.extend(other.lagging);
        for names in [&mut self.acknowledged, &mut self.lagging] {
            names.sort_unstable();
            names.dedup();
        }
        self.lagging
            .retain(|name| self.acknowledged.binary_search(name).is_err());
    }
}
