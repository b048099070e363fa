//! Reports about connected edges.

use protocol::snapshot::Version;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::EnvId;

/// A connected edge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConnectedEdge {
    /// Its name; the built-in edge of a replica is `built-in`, with the beginning of the replica's id.
    pub name: String,
    /// The data region whose organizations it may hold; `None` for all.
    pub region: Option<String>,
    /// Its build.
    pub build: String,
    /// When it connected.
    #[serde(with = "time::serde::rfc3339")]
    pub connected_since: OffsetDateTime,
    /// Round-trip time in milliseconds; `None` for a built-in edge.
    pub rtt_ms: Option<f64>,
    /// Open event streams, as it last reported.
    pub streams: u32,
    /// Its contents, limited to the requested environments.
    pub environments: Vec<HeldEnvironment>,
    /// The number of environments it holds.
    pub held: usize,
    /// The number of these with a newer version than it serves.
    pub behind: usize,
    /// The relay that it is connected to; `None` if that is the replica.
    pub via: Option<String>,
}

/// An environment at an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HeldEnvironment {
    /// Which.
    #[schema(value_type = String, format = Uuid)]
    pub env_id: EnvId,
    /// The version that the edge serves.
    #[schema(value_type = u64)]
    pub version: Version,
    /// The version that there is.
    #[schema(value_type = u64)]
    pub(crate) current_version: Version,
    /// Milliseconds since the replica of the edge learned of this version, or was greeted with it.
    pub(crate) age_ms: u64,
}

impl From<fanout::ConnectedEdge> for ConnectedEdge {
    fn from(edge: fanout::ConnectedEdge) -> Self {
        let fanout::ConnectedEdge {
            name,
            region,
            build,
            since,
            rtt_ms,
            streams,
            environments,
            held,
            behind,
            via,
        } = edge;
        Self {
            name,
            region,
            build,
            connected_since: since,
            rtt_ms,
            streams,
            environments: environments
                .into_iter()
                .map(HeldEnvironment::from)
                .collect(),
            held,
            behind,
            via,
        }
    }
}

impl From<fanout::HeldEnvironment> for HeldEnvironment {
    fn from(held: fanout::HeldEnvironment) -> Self {
        Self {
            env_id: held.env_id.into(),
            version: held.version,
            current_version: held.current_version,
            age_ms: held.age_ms,
        }
    }
}
