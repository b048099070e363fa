//! The messages of the link between control plane and edge (ALPN `halyard/2`, and `halyard/1` without signatures).
//!
//! The edge opens one bidirectional *control stream* and sends [`EdgeMessage`]s, `Hello` first; the control plane
//! answers there with [`ControlMessage`]s, `Welcome` first, then `Listing`s. If the edge summed up what it holds, it
//! answers with `Holding`s, which ends the greeting. Everything large has a unidirectional stream of its own, so
//! that nothing delays anything else: a [`Push`] from the control plane, an [`Upload`](super::usage::Upload) from the
//! edge.

use std::{fmt, sync::Arc};

use super::{
    codec::{Decode, Encode},
    relay::{RelayMessage, ToRelay},
};
use crate::{
    ids::EnvId,
    rehearsal::Running,
    snapshot::{Delta, Digest, KeyHash, Snapshot, Version},
    summary::Summary,
    timestamp::Stamped,
    what_if::{Sampled, SignedQuestion},
};

/// The versions of the link by their names in the TLS handshake, the better one first.
pub const ALPN: [&[u8]; 2] = [SIGNING_ALPN, b"halyard/1"];

/// The version with signatures: [`ControlMessage::Signers`] follows `Welcome`, and pushes are [signed](super::signed).
pub const SIGNING_ALPN: &[u8] = b"halyard/2";

/// From an edge, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum EdgeMessage {
    /// First message on a connection.
    Hello(Hello),
    /// What the edge holds in the buckets that `Welcome` named; the last message of a greeting with [`Holds::Summed`].
    Holding {
        /// A part of it.
        environments: Vec<Held>,
        /// Whether this was the last part.
        is_last: bool,
    },
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
    /// Please issue a new certificate for this edge; answered by `Renewed` or `NotRenewed`.
    Renew {
        /// Chosen by the edge, repeated in the answer.
        request: u64,
        /// A certificate request (PKCS #10, DER). Only its public key is used.
        certificate_request: Vec<u8>,
    },
    /// From a relay, about the edges below it.
    Relay(RelayMessage),
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
    /// The furthest log position that was told in that epoch; 0 if none was. A database that has not come as far was
    /// rewound.
    pub position: u64,
    /// What the edge holds.
    pub holds: Holds,
    /// Which environments it wants.
    pub subscribe: Subscribe,
}

/// What an edge holds, as it says when it greets.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Holds {
    /// One by one.
    Listed(Vec<Held>),
    /// Summed up, for edges that want everything and hold much: only what differs is then told one by one.
    Summed(Summary),
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

/// One environment that belongs to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Listed {
    /// Which environment.
    pub env_id: EnvId,
    /// Its version; 0 if it cannot be sent now: what is held of it is kept, and nothing is waited for.
    pub version: Version,
    /// The digest of that version, unless it was not computed yet: contents of the same epoch are then compared by
    /// their versions alone.
    pub digest: Option<Digest>,
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
    /// What belongs to the edge, after `Welcome`. What it holds of the listed buckets and is not listed is dropped; what
    /// differs is pushed.
    Listing {
        /// A part of it.
        environments: Vec<Listed>,
        /// Whether this was the last part.
        is_last: bool,
    },
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
    /// Answer to `LookupKey`: it cannot be answered now. Nothing is known about the key.
    KeyUnavailable {
        /// Number of the request.
        request: u64,
    },
    /// Answer to [`EdgeMessage::Heartbeat`].
    Heartbeat {
        /// The same number.
        number: u64,
        /// How far what the edge was sent is behind the database at most: the age of the last look at it.
        looked: Looked,
        /// The database's time, as in [`Welcome`].
        now_ms: i64,
    },
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
    /// To a relay, about the edges below it.
    Relay(ToRelay),
    /// Whose signatures pushes have: after `Welcome`, before what is listed, and whenever there are others, long before
    /// they sign. Only in `halyard/2`.
    Signers {
        /// Certificates (DER) of the installation's authority for keys that sign. None from a relay whose control plane is of a
        /// release before.
        certificates: Vec<Vec<u8>>,
    },
    /// Which versions are current: after the greeting, and every minute. Only in `halyard/2`.
    Timestamp(Stamped),
    /// All rehearsals that go on: after the greeting, and whenever there are others. Those not named have ended. Only in
    /// `halyard/2`.
    Rehearsals(Vec<Running>),
    /// All environments of the edge's regions whose requests are [sampled](crate::what_if): after the greeting, and whenever there are
    /// others. Samples of those not named are dropped. Only in `halyard/2`.
    Sampled(Vec<Sampled>),
    /// What would other contents have answered? Once for each edge while the question is open. Only in `halyard/2`.
    Question(Arc<SignedQuestion>),
}

/// When the control plane last looked into the database, and how far that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Looked {
    /// Milliseconds since the last look that succeeded began.
    pub ago_ms: u32,
    /// The position of the database's log that it found.
    pub position: u64,
}

/// What the control plane says first; what belongs to the edge follows.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Welcome {
    /// The name for which the edge's certificate was issued.
    pub name: String,
    /// If it differs from the edge's, the versions held are not comparable and lower ones are accepted.
    pub epoch: Epoch,
    /// The last look.
    pub looked: Looked,
    /// The time of the control plane's database, Unix milliseconds: edges adjust their clocks to it for key expiry.
    pub now_ms: i64,
    /// How often the edge sends a heartbeat, in milliseconds; silence of three intervals means that the link is dead.
    pub heartbeat_ms: u32,
    /// Signs and verifies the short-lived credentials of event streams; the same on all replicas.
    pub stream_secret: StreamSecret,
    /// What is listed next.
    pub lists: Lists,
}

/// What the `Listing`s after a `Welcome` cover.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Lists {
    /// Everything that belongs to the edge. Anything else it holds is dropped.
    Everything,
    /// Everything in these buckets, in ascending order. What the edge holds in the other ones is exactly what belongs
    /// to it. The edge answers with what it holds in these.
    Buckets(Vec<u8>),
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
