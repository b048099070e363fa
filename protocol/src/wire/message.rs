//! The messages of the link between control plane and edge, version 2 (ALPN `halyard/2`). Older versions have modules
//! of their own.
//!
//! The edge opens one bidirectional *control stream* and sends [`EdgeMessage`]s, `Hello` first; the control plane
//! answers there with [`ControlMessage`]s, `Welcome` first. Everything large has a unidirectional stream of its own, so
//! that nothing delays anything else: a [`Push`] from the control plane, an [`Upload`](super::usage::Upload) from the
//! edge.

use std::fmt;

use super::codec::{Decode, Encode};
use crate::{
    ids::EnvId,
    snapshot::{Delta, Digest, KeyHash, Snapshot, Version},
};

/// The name of this version in the TLS handshake.
pub const ALPN: &[u8] = b"halyard/2";

/// From an edge, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum EdgeMessage {
    /// First message on a connection.
    Hello(Hello),
    /// The edge now serves this version of the environment (sent after the swap).
    Ack {
        /// Which environment.
        env_id: EnvId,
        /// Which version.
        version: Version,
    },
    /// Send the whole environment: a base did not match, or a digest differed.
    Resync {
        /// Which environment.
        env_id: EnvId,
    },
    /// Which environment does this API key belong to, if any?
    LookupKey {
        /// Chosen by the edge, repeated in the answer.
        request: u64,
        /// SHA-256 of the key's text.
        hash: KeyHash,
    },
    /// Sign of life; answered by [`ControlMessage::Heartbeat`] with the same number.
    Heartbeat {
        /// Increases by one every time.
        number: u64,
        /// The edge's status.
        status: EdgeStatus,
    },
    /// The edge dropped this environment, which it can look up again: stop pushing it. Sent after it stopped serving
    /// it.
    Forget {
        /// Which environment.
        env_id: EnvId,
    },
    /// Answer to `FlushUsage`: everything counted before the request was uploaded and stored.
    Flushed {
        /// Number of the request.
        request: u64,
    },
}

/// The status of an edge, for the operator. All zero from edges that do not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct EdgeStatus {
    /// Open event streams.
    pub streams: u32,
    /// Environments served.
    pub environments: u32,
    /// Estimated memory that they take.
    pub held_bytes: u64,
}

/// Who an edge is, and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Hello {
    /// Build of the edge, for the operator.
    pub build: String,
    /// The data region to restrict the certificate's regions to, if any.
    pub region: Option<String>,
    /// The epoch in which `holds` was received; absent if nothing is held.
    pub epoch: Option<Epoch>,
    /// What the edge holds.
    pub holds: Vec<Held>,
    /// Which environments it wants.
    pub subscribe: Subscribe,
}

/// One environment that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Held {
    /// Which environment.
    pub env_id: EnvId,
    /// Version held.
    pub version: Version,
    /// Digest of what is held.
    pub digest: Digest,
}

/// Which environments an edge wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Subscribe {
    /// Every environment of its regions.
    All,
    /// Those it holds, and those whose keys it looks up.
    OnDemand,
}

/// Identifies one history of the database. Versions are comparable only within one epoch: a restored backup starts
/// another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Epoch(pub [u8; 16]);

/// From the control plane, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum ControlMessage {
    /// Answer to `Hello`.
    Welcome(Welcome),
    /// Answer to `LookupKey`.
    KeyFound {
        /// Number of the request.
        request: u64,
        /// The key's environment; it is pushed if the edge does not hold this version yet.
        env_id: EnvId,
        /// The version that has the key.
        version: Version,
    },
    /// Answer to `LookupKey`: the key does not exist, is revoked or expired, or is outside the edge's regions.
    KeyUnknown {
        /// Number of the request.
        request: u64,
    },
    /// Answer to [`EdgeMessage::Heartbeat`].
    Heartbeat(u64),
    /// This replica is going away: connect to another one, or reconnect after the given time.
    Drain {
        /// Milliseconds to wait before connecting to the same address again.
        retry_after_ms: u32,
    },
    /// A negative answer about this key may no longer hold: the key was created.
    KeyCreated {
        /// SHA-256 of the key's text.
        hash: KeyHash,
    },
    /// A batch of usage is stored, just now or earlier: the edge may drop it.
    UsageStored {
        /// The batch's boot.
        boot: [u8; 16],
        /// The batch's number.
        sequence: u64,
    },
    /// Upload what was counted until now; answered by `Flushed`.
    FlushUsage {
        /// Chosen by the control plane, repeated in the answer.
        request: u64,
    },
}

/// What belongs to an edge at the time of its greeting.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Welcome {
    /// The name for which the edge's certificate was issued.
    pub name: String,
    /// If it differs from the edge's, the versions held are not comparable and lower ones are accepted.
    pub epoch: Epoch,
    /// The control plane's clock, Unix milliseconds: edges adjust theirs to it for key expiry.
    pub now_ms: i64,
    /// How often the edge sends a heartbeat, in milliseconds; silence of three intervals means that the link is dead.
    pub heartbeat_ms: u32,
    /// Everything that belongs to the edge. Anything else it holds is dropped; what differs is pushed.
    pub environments: Vec<Held>,
    /// Signs and verifies the short-lived credentials of event streams; the same on all replicas.
    pub stream_secret: StreamSecret,
}

/// The secret for the credentials of event streams.
#[derive(Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub struct StreamSecret(pub [u8; 32]);

impl fmt::Debug for StreamSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamSecret(..)")
    }
}

/// Contents, one message per unidirectional stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Push {
    /// A whole environment, and its digest.
    Snapshot(Snapshot, Digest),
    /// A change of an environment.
    Delta(Delta),
    /// An environment that no longer exists, or no longer belongs to the edge.
    Removed {
        /// Which environment.
        env_id: EnvId,
    },
}

impl Push {
    /// The environment that the push is for.
    #[must_use]
    pub const fn env_id(&self) -> EnvId {
        match self {
            Self::Snapshot(snapshot, _) => snapshot.head.env_id,
            Self::Delta(delta) => delta.head.env_id,
            Self::Removed { env_id } => *env_id,
        }
    }
}
