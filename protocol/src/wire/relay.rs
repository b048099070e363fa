//! What a relay and whoever feeds it tell each other about the edges below the relay.
//!
//! A relay is an edge that serves the link to other edges. For whoever feeds it, it speaks for them all: its
//! acknowledgements are those of every edge below it that keeps up. These messages are only for relays; an edge whose
//! certificate is not that of a relay violates the protocol with them.

use super::{
    codec::{Decode, Encode},
    message::{Epoch, Held, Looked},
};
use crate::{ids::EnvId, snapshot::Version};

/// SHA-256 of an edge's certificate.
pub type Fingerprint = [u8; 32];

/// The name of relays in TLS: every relay's certificate has it beside the relay's own, so that an edge needs to know no
/// relay by name.
pub const SERVER_NAME: &str = "halyard-relay";

/// The most edges below one relay, over all levels.
pub const MAX_BELOW: usize = 4_096;
/// The most bytes of a name, a region or a build.
pub const MAX_NAME: usize = 255;
/// So many edges fit into one message.
pub const EDGES_OF_A_PART: usize = 50;
/// So many names fit into one message.
pub const NAMES_OF_A_PART: usize = 100;

/// From a relay, on its control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum RelayMessage {
    /// May the edge with this certificate connect? Answered by `Admitted` or `NotAdmitted`.
    Admit {
        /// Chosen by the relay, repeated in the answer.
        request: u64,
        /// The edge's certificate.
        certificate: Fingerprint,
    },
    /// The edges below the relay, in place of those it told before.
    Below {
        /// A part of them.
        edges: Vec<EdgeBelow>,
        /// Whether this was the last part.
        is_last: bool,
    },
    /// Tell me when I serve everything that was committed before now. Answered by `CaughtUp`.
    CatchUp {
        /// Chosen by the relay, repeated in the answer.
        request: u64,
    },
    /// Answer to `AskReached`.
    Reached {
        /// Number of the request.
        request: u64,
        /// The names of edges below that serve the change: a part of them.
        acknowledged: Vec<String>,
        /// The names of edges below that should serve it but do not yet: a part of them.
        lagging: Vec<String>,
        /// Whether this was the last part.
        is_last: bool,
    },
    /// An edge that greeted the relay proves that the database was rewound.
    Rewound {
        /// The history that the edge holds.
        epoch: Epoch,
        /// How far it was told that the log of that history was written.
        position: u64,
        /// What it holds that is newer than what there is, if that is the proof.
        held: Option<Held>,
    },
    /// Please issue a new certificate for an edge below; answered by `Renewed` or `NotRenewed`.
    Renew {
        /// Chosen by the relay, repeated in the answer.
        request: u64,
        /// The edge's certificate.
        certificate: Fingerprint,
        /// The edge's request (PKCS #10, DER).
        certificate_request: Vec<u8>,
    },
}

/// To a relay, on its control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum ToRelay {
    /// First message after a greeting: the certificate is that of a relay.
    Serves {
        /// The data region whose organizations the relay holds; absent for all.
        region: Option<String>,
        /// Milliseconds that an acknowledgement may wait for the edges below the relay.
        patience_ms: u32,
    },
    /// Answer to `Admit`: the edge may connect.
    Admitted {
        /// Number of the request.
        request: u64,
        /// The name in its certificate.
        name: String,
        /// The data region whose organizations it may hold; absent for all.
        region: Option<String>,
        /// Whether it may be a relay itself.
        is_relay: bool,
    },
    /// Answer to `Admit`: the edge may not connect.
    NotAdmitted {
        /// Number of the request.
        request: u64,
        /// Why; absent if it cannot be said now.
        refusal: Option<Refusal>,
    },
    /// The certificate of an edge below is no longer accepted: disconnect it.
    Dismiss {
        /// The edge's certificate.
        certificate: Fingerprint,
        /// Why.
        refusal: Refusal,
    },
    /// Answer to `CatchUp`: the relay has acknowledged everything that the last look found.
    CaughtUp {
        /// Number of the request.
        request: u64,
        /// The last look, which began after the request.
        looked: Looked,
    },
    /// Which edges below you serve this change? Answered by `Reached`.
    AskReached {
        /// Repeated in the answer.
        request: u64,
        /// The version of the change.
        version: Version,
        /// The environments that carry it.
        environments: Vec<EnvId>,
        /// Milliseconds to wait for those that do not.
        patience_ms: u32,
    },
    /// To a relay of all regions: where these environments belong. What has no region yet is not passed on.
    Region {
        /// The data region.
        region: String,
        /// Environments of it.
        environments: Vec<EnvId>,
    },
    /// Answer to `Renew`.
    Renewed {
        /// Number of the request.
        request: u64,
        /// The new certificate (DER).
        certificate: Vec<u8>,
    },
    /// Answer to `Renew`: there is no new certificate.
    NotRenewed {
        /// Number of the request.
        request: u64,
        /// For people.
        reason: String,
    },
}

/// An edge below a relay.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct EdgeBelow {
    /// Its certificate.
    pub certificate: Fingerprint,
    /// The name in its certificate.
    pub name: String,
    /// The data region that it is restricted to; absent for all.
    pub region: Option<String>,
    /// Its build.
    pub build: String,
    /// When it connected, Unix milliseconds.
    pub since_ms: i64,
    /// Its round-trip time in microseconds; 0 if it is not known.
    pub rtt_us: u64,
    /// Open event streams.
    pub streams: u32,
    /// How many environments it holds.
    pub held: u32,
    /// How many of these have a newer version than it serves.
    pub behind: u32,
    /// The relay that it is connected to, unless that is the one which tells of it.
    pub via: Option<String>,
}

/// Why a certificate is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode, thiserror::Error)]
pub enum Refusal {
    /// Nobody knows it.
    #[error("the certificate is unknown")]
    Unknown,
    /// It was revoked.
    #[error("the certificate was revoked")]
    Revoked,
    /// It has expired.
    #[error("the certificate expired")]
    Expired,
}

impl EdgeBelow {
    /// Whether it is named as edges are, and its other texts are of a length that a region and a build can have.
    #[must_use]
    pub fn is_within_bounds(&self) -> bool {
        let mut names = [Some(&self.name), self.via.as_ref()].into_iter().flatten();
        let mut texts = [self.region.as_ref(), Some(&self.build)]
            .into_iter()
            .flatten();
        names.all(|name| is_edge_name(name)) && texts.all(|text| text.len() <= MAX_NAME)
    }
}

/// Whether an edge may have this name: those of the DNS, which certificates and headers take as they are.
#[must_use]
pub fn is_edge_name(name: &str) -> bool {
    let ends_well = |end: Option<char>| end.is_some_and(|end| end.is_ascii_alphanumeric());
    name.len() <= 63
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'))
        && !name.contains("..")
        && ends_well(name.chars().next())
        && ends_well(name.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_dns() {
        for name in ["edge", "edge-1", "fra.edge-1", "9", &"a".repeat(63)] {
            assert!(is_edge_name(name), "{name}");
        }
        for name in [
            "",
            "-edge",
            "edge-",
            ".",
            "a..b",
            "a b",
            "a\nb",
            "a,b",
            "a/b",
            "é",
            &"a".repeat(64),
        ] {
            assert!(!is_edge_name(name), "{name}");
        }
    }
}
