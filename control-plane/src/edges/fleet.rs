//! Edges as enrolled and as connected, joined by name.

use std::collections::BTreeMap;

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::EdgeCertificate;
use crate::publish::fleet::{ConnectedEdge, HeldEnvironment};

/// An edge that may join, or is built into a replica.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FleetEdge {
    /// Its name; `built-in-` and the beginning of a replica's id for built-in ones.
    pub name: String,
    /// The data region whose organizations it may hold; `null` for all.
    pub region: Option<String>,
    /// Whether it is connected now.
    pub connected: bool,
    /// Since when.
    #[serde(with = "time::serde::rfc3339::option")]
    pub connected_since: Option<OffsetDateTime>,
    /// When it was last connected: now, or to a minute.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_seen_at: Option<OffsetDateTime>,
    /// Its build; `null` while it is not connected.
    pub build: Option<String>,
    /// Round-trip time, milliseconds; `null` for built-in edges.
    pub rtt_ms: Option<f64>,
    /// Open event streams; the operator's business.
    #[serde(skip)]
    pub streams: u32,
    /// What it holds.
    pub environments: Vec<HeldEnvironment>,
}

impl FleetEdge {
    /// The number of its environments that have a newer version than it serves.
    pub fn behind(&self) -> usize {
        self.environments
            .iter()
            .filter(|held| held.is_behind())
            .count()
    }
}

/// All edges that may join or are connected, by name. An edge that has just changed replicas may briefly be connected
/// to both: the later connection counts.
pub fn join(
    certificates: &[EdgeCertificate],
    connected: Vec<ConnectedEdge>,
    now: OffsetDateTime,
) -> Vec<FleetEdge> {
    let mut edges: BTreeMap<String, FleetEdge> = certificates
        .iter()
        .filter(|certificate| certificate.check(now).is_ok())
        .map(|certificate| (certificate.name.clone(), away(certificate)))
        .collect();
    for link in connected {
        let known = edges.get(&link.name).and_then(|edge| edge.connected_since);
        if known.is_none_or(|known| known < link.connected_since) {
            edges.insert(link.name.clone(), present(link, now));
        }
    }
    edges.into_values().collect()
}

fn away(certificate: &EdgeCertificate) -> FleetEdge {
    FleetEdge {
        name: certificate.name.clone(),
        region: certificate.region.clone(),
        connected: false,
        connected_since: None,
        last_seen_at: certificate.last_seen_at,
        build: None,
        rtt_ms: None,
        streams: 0,
        environments: Vec::new(),
    }
}

fn present(link: ConnectedEdge, now: OffsetDateTime) -> FleetEdge {
    FleetEdge {
        name: link.name,
        region: link.region,
        connected: true,
        connected_since: Some(link.connected_since),
        last_seen_at: Some(now),
        build: Some(link.build),
        rtt_ms: link.rtt_ms,
        streams: link.streams,
        environments: link.environments,
    }
}
