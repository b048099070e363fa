//! Version 2 of the link (ALPN `halyard/2`), frozen: what edges of the builds before today's send and understand.
//!
//! Compared with version 3 it greets with explicit lists alone, tells no age of what is known, and renews no
//! certificates. What it shares with other versions is defined once; the golden files fail when the bytes are no longer
//! the same. `translate` converts to today's messages.

mod translate;

use super::{
    codec::{Decode, Encode},
    message::{EdgeStatus, Epoch, Held, StreamSecret},
    v1::Hello,
};
use crate::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
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
