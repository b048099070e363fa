//! Version 1 of the link (ALPN `halyard/1`), frozen: what edges of an older build say and understand.
//!
//! Greetings of edges, pushes and frames are the same in both versions and defined once; the golden files of version 1
//! fail when that is no longer so, and then the older form has to move here. `translate` leads to today's messages.

mod translate;

use super::{
    codec::{Decode, Encode},
    message::{Epoch, Held, Hello},
};
use crate::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
};

/// The version's name in the TLS handshake.
pub const ALPN: &[u8] = b"halyard/1";

/// From an edge, on the control stream.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub enum EdgeMessage {
    /// First message of a connection.
    Hello(Hello),
    /// The edge serves this version of the environment now (told after the swap).
    Ack {
        /// Which environment.
        env_id: EnvId,
        /// Which version.
        version: Version,
    },
    /// Send this environment whole: a base did not match, or a digest differed.
    Resync {
        /// Which environment.
        env_id: EnvId,
    },
    /// Is there an environment for this API key?
    LookupKey {
        /// Chosen by the edge, repeated in the answer.
        request: u64,
        /// SHA-256 of the key's text.
        hash: KeyHash,
    },
    /// Sign of life; answered by [`ControlMessage::Heartbeat`] with the same number.
    Heartbeat(u64),
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
        /// The key's environment; it is pushed when the edge does not hold this version yet.
        env_id: EnvId,
        /// The version that has the key.
        version: Version,
    },
    /// Answer to `LookupKey`: no such key, or revoked, or expired, or outside the edge's regions.
    KeyUnknown {
        /// Number of the request.
        request: u64,
    },
    /// Answer to [`EdgeMessage::Heartbeat`].
    Heartbeat(u64),
    /// This replica is going away: connect to another, or again after the given time.
    Drain {
        /// Milliseconds to wait before connecting to the same address again.
        retry_after_ms: u32,
    },
    /// A negative answer about this key may no longer hold: a key was created.
    KeyCreated {
        /// SHA-256 of the key's text.
        hash: KeyHash,
    },
}

/// What belongs to an edge at the moment of its greeting.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Welcome {
    /// The edge's name, as its certificate was issued for.
    pub name: String,
    /// When it differs from the edge's, versions held are not comparable and lower ones are accepted.
    pub epoch: Epoch,
    /// The control plane's clock, Unix milliseconds: edges correct theirs for key expiry.
    pub now_ms: i64,
    /// How often the edge sends a heartbeat, milliseconds; silence of three intervals means a dead link.
    pub heartbeat_ms: u32,
    /// Everything that belongs to the edge. What it holds besides is dropped; what differs is pushed.
    pub environments: Vec<Held>,
}
