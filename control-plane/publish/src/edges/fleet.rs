//! Edges as enrolled and as connected, joined by name.

use std::collections::BTreeMap;

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::EdgeCertificate;
use crate::fleet::{Behind, ConnectedEdge, HeldEnvironment, Standing as Known};

/// What an edge is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = EdgeKind)]
pub enum Kind {
    /// A process of its own.
    Edge,
    /// An edge to which others may connect in place of a control plane.
    Relay,
    /// In the process of a control plane.
    BuiltIn,
}

/// An edge that may join, or is built into a replica.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FleetEdge {
    /// Its name; `built-in-` and the beginning of a replica's id for built-in ones.
    pub name: String,
    /// The data region whose organizations it may hold; `null` for all.
    #[schema(required)]
    pub region: Option<String>,
    /// Whether it is an edge, a relay, or built into a control plane.
    pub kind: Kind,
    /// Whether it is connected now.
    pub connected: bool,
    /// Since when.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub connected_since: Option<OffsetDateTime>,
    /// When it was last connected: now, or to a minute.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub last_seen_at: Option<OffsetDateTime>,
    /// Its build; `null` while it is not connected.
    #[schema(required)]
    pub build: Option<String>,
    /// Round-trip time, milliseconds; `null` for built-in edges.
    #[schema(required)]
    pub rtt_ms: Option<f64>,
    /// The relay that it is connected to; absent if it is connected to a control plane, or not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub via: Option<String>,
    /// When its newest certificate ends, which it renews before; `null` for built-in edges.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub certificate_expires_at: Option<OffsetDateTime>,
    /// Evaluations of the organization in the last minute, as the edge reported them; absent if it is not connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false)]
    pub evaluations_per_minute: Option<u64>,
    /// The environments in which it serves an older version than there is. One that is not connected serves what it was seen to
    /// hold last. Absent if that is not known: below a relay, or not seen since the control plane started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<Behind>, required = false)]
    pub lag: Option<Vec<Behind>>,
    /// Open event streams; for operators only.
    #[serde(skip)]
    pub streams: u32,
    /// Its newest certificate, `None` for built-in ones; for operators only.
    #[serde(skip)]
    pub certificate: Option<Standing>,
    /// What it holds. For an edge below a relay this is empty: what it holds of each environment is known to the relay.
    pub environments: Vec<HeldEnvironment>,
    /// The number of environments it holds, of all organizations; for operators only.
    #[serde(skip)]
    pub held: usize,
    /// The number of these with a newer version than it serves.
    #[serde(skip)]
    pub behind: usize,
    /// When the last of its certificates was revoked, if none is valid; for operators only.
    #[serde(skip)]
    pub revoked_at: Option<OffsetDateTime>,
}

impl FleetEdge {
    /// Whether it may serve the link to other edges.
    pub fn is_relay(&self) -> bool {
        self.certificate
            .is_some_and(|certificate| certificate.is_relay)
    }
}

/// How long an edge may connect, and as what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// When its newest certificate expires.
    pub expires_at: OffsetDateTime,
    /// When the edge renewed it; `None` if an operator enrolled it.
    pub renewed_at: Option<OffsetDateTime>,
    pub is_relay: bool,
}

impl Standing {
    const fn kind(self) -> Kind {
        if self.is_relay {
            Kind::Relay
        } else {
            Kind::Edge
        }
    }

    fn of(certificate: &EdgeCertificate) -> Self {
        Self {
            expires_at: certificate.expires_at,
            renewed_at: certificate.renews.as_ref().map(|_| certificate.issued_at),
            is_relay: certificate.is_relay,
        }
    }
}

/// All edges that may join or are connected, by name. `certificates` has an edge's newest first. An edge that has just changed
/// replicas may briefly be connected to both: the later connection counts.
pub fn join(
    certificates: &[EdgeCertificate],
    connected: Vec<ConnectedEdge>,
    now: OffsetDateTime,
) -> Vec<FleetEdge> {
    let mut edges: BTreeMap<String, FleetEdge> = BTreeMap::new();
    for certificate in certificates {
        if certificate.check(now).is_ok() {
            let edge = edges
                .entry(certificate.name.clone())
                .or_insert_with(|| away(certificate));
            edge.last_seen_at = edge.last_seen_at.max(certificate.last_seen_at);
        }
    }
    for link in connected {
        let known = edges.get(&link.name);
        let since = known.and_then(|edge| edge.connected_since);
        if since.is_none_or(|since| since < link.connected_since) {
            let certificate = known.and_then(|edge| edge.certificate);
            edges.insert(link.name.clone(), present(link, certificate, now));
        }
    }
    edges.into_values().collect()
}

/// Adds what replicas know as far as one organization goes.
pub fn with_known(edges: &mut [FleetEdge], known: &Known, now: OffsetDateTime) {
    let left = known.left();
    for edge in edges {
        let reported = known.evaluations(&edge.name);
        if edge.connected {
            edge.evaluations_per_minute = Some(reported.unwrap_or(0));
            if edge.via.is_none() {
                edge.lag = Some(known.behind(&edge.environments, now));
            }
        } else {
            edge.lag = left.get(&*edge.name).map(|behind| behind.to_vec());
        }
    }
}

/// Adds the edges that may no longer connect, because they were revoked or have expired, except for names that are enrolled
/// again.
pub fn with_former(edges: Vec<FleetEdge>, certificates: &[EdgeCertificate]) -> Vec<FleetEdge> {
    let mut all: BTreeMap<String, FleetEdge> = edges
        .into_iter()
        .map(|edge| (edge.name.clone(), edge))
        .collect();
    for certificate in certificates {
        let edge = all
            .entry(certificate.name.clone())
            .or_insert_with(|| FleetEdge {
                revoked_at: certificate.revoked_at,
                ..away(certificate)
            });
        edge.last_seen_at = edge.last_seen_at.max(certificate.last_seen_at);
    }
    all.into_values().collect()
}

fn away(certificate: &EdgeCertificate) -> FleetEdge {
    FleetEdge {
        name: certificate.name.clone(),
        region: certificate.region.clone(),
        kind: Standing::of(certificate).kind(),
        connected: false,
        connected_since: None,
        last_seen_at: certificate.last_seen_at,
        build: None,
        rtt_ms: None,
        via: None,
        certificate_expires_at: Some(certificate.expires_at),
        evaluations_per_minute: None,
        lag: None,
        streams: 0,
        certificate: Some(Standing::of(certificate)),
        environments: Vec::new(),
        held: 0,
        behind: 0,
        revoked_at: None,
    }
}

fn present(link: ConnectedEdge, certificate: Option<Standing>, now: OffsetDateTime) -> FleetEdge {
    FleetEdge {
        name: link.name,
        region: link.region,
        kind: certificate.map_or(Kind::BuiltIn, |certificate| certificate.kind()),
        connected: true,
        connected_since: Some(link.connected_since),
        last_seen_at: Some(now),
        build: Some(link.build),
        rtt_ms: link.rtt_ms,
        via: link.via,
        certificate_expires_at: certificate.map(|certificate| certificate.expires_at),
        evaluations_per_minute: None,
        lag: None,
        streams: link.streams,
        certificate,
        environments: link.environments,
        held: link.held,
        behind: link.behind,
        revoked_at: None,
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    fn certificate(renews: Option<u8>, age: Duration, seen: Option<Duration>) -> EdgeCertificate {
        EdgeCertificate {
            fingerprint: vec![renews.unwrap_or(0) + 1],
            name: "fra-1".to_owned(),
            region: None,
            issued_at: NOW - age,
            expires_at: NOW - age + Duration::days(90),
            last_seen_at: seen.map(|ago| NOW - ago),
            revoked_at: None,
            renews: renews.map(|fingerprint| vec![fingerprint]),
            is_relay: false,
        }
    }

    #[test]
    fn an_edge_with_two_certificates_is_one_edge_with_the_newer() {
        let certificates = [
            certificate(Some(1), Duration::DAY, None),
            certificate(None, 70 * Duration::DAY, Some(Duration::HOUR)),
        ];
        let edges = join(&certificates, Vec::new(), NOW);
        assert_eq!(edges.len(), 1);
        assert_eq!(edges[0].last_seen_at, Some(NOW - Duration::HOUR));
        let standing = edges[0].certificate.unwrap();
        assert_eq!(standing.expires_at, NOW + 89 * Duration::DAY);
        assert_eq!(standing.renewed_at, Some(NOW - Duration::DAY));
    }

    #[test]
    fn an_edge_that_may_no_longer_connect_is_told_apart_until_its_name_is_enrolled_anew() {
        let revoked = EdgeCertificate {
            revoked_at: Some(NOW - Duration::HOUR),
            ..certificate(None, 2 * Duration::DAY, Some(2 * Duration::HOUR))
        };
        let expired = EdgeCertificate {
            name: "fra-2".to_owned(),
            ..certificate(None, 91 * Duration::DAY, None)
        };
        let former = [revoked.clone(), expired];
        let joined = join(&former, Vec::new(), NOW);
        assert!(joined.is_empty());
        let all = with_former(joined, &former);
        let shown = |edge: &FleetEdge| (edge.name.clone(), edge.revoked_at, edge.last_seen_at);
        let expected = [
            (
                "fra-1".to_owned(),
                Some(NOW - Duration::HOUR),
                Some(NOW - 2 * Duration::HOUR),
            ),
            ("fra-2".to_owned(), None, None),
        ];
        assert!(all.iter().map(shown).eq(expected), "{all:?}");

        let anew = [certificate(None, Duration::MINUTE, None), revoked];
        let all = with_former(join(&anew, Vec::new(), NOW), &anew);
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].revoked_at, None);
    }
}
