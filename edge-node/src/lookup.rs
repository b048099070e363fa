//! Asking for API keys that the edge does not know: the one thing that a request may wait for outside this process.

use futures_util::future::BoxFuture;
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
};

/// Where a key belongs, and from which version on it is known there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// The key's environment.
    pub env_id: EnvId,
    /// The version that has the key; it is pushed when the edge does not hold it yet.
    pub version: Version,
}

/// Nobody can be asked now.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no control plane can be asked")]
pub struct Unavailable;

/// Whoever knows all keys: a control plane over the link, or the one of the same process.
pub trait KeyLookup: Send + Sync {
    /// Looks a key up; nothing when there is none, or it is revoked or expired. The caller bounds how often it asks and how
    /// long it waits.
    fn look_up(&self, hash: KeyHash) -> BoxFuture<'static, Result<Option<Located>, Unavailable>>;
}
