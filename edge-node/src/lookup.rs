//! Looking up API keys that the edge does not know: the only thing outside this process that a request may wait for.

use futures_util::future::BoxFuture;
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
};

/// Which environment a key belongs to, and the first version that knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The key's environment.
    pub env_id: EnvId,
    /// The version that has the key; it is pushed if the edge does not hold it yet.
    pub version: Version,
}

/// There is no answer now; there may be one in a moment.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("there is no answer now")]
pub struct Unavailable;

/// The source that knows all keys: a control plane over the link, or the one in the same process.
pub trait KeyLookup: Send + Sync {
    /// Whether there is anybody to ask. Without, keys that are not held are unknown.
    fn is_reachable(&self) -> bool;

    /// Looks a key up; `None` when there is no such key, or it is revoked or expired. The caller bounds the number of
    /// look-ups and how long it waits.
    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>>;
}
