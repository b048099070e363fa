//! Version 1 of the link (ALPN `halyard/1`), frozen: what edges of older builds send and understand.
//!
//! Pushes and frames are the same in all versions and defined once. The golden files of version 1 fail when this is no
//! longer true, and the older form then has to move here. `translate` converts to today's messages.

mod translate;

use super::{
    codec::{Decode, Encode},
    message::{Epoch, Held, Subscribe},
};
use crate::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
};

/// The name of this version in the TLS handshake.
pub const ALPN: &[u8] = b"halyard/1";

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
    Heartbeat(u64),
}

/// Who an edge is, and what it holds. The same in version 2.
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
}
