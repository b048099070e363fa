//! From a committed change to edges that serve it.

pub mod version;

use self::version::Change;

/// How far the edges are, for whoever waits for them.
#[derive(Clone, Debug)]
pub struct Handle;

impl Handle {
    /// Waits until the connected edges serve the change.
    #[expect(clippy::unused_async, reason = "nothing is published yet")]
    pub async fn reached(&self, _change: &Change) {}
}
