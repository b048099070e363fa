//! One environment at one edge.

use protocol::snapshot::Version;
use tokio::time::Instant;

/// What one edge holds of one environment, and what is on its way.
#[derive(Debug, Default)]
pub(super) struct Holding {
    pub(super) held: Option<Version>,
    /// When the edge first said that it serves this version; at its greeting for what it brought along.
    pub(super) since: Option<Instant>,
    pub(super) delivery: Delivery,
    /// The version that the message on its way leads to.
    pub(super) sent: Version,
    pub(super) gone: bool,
    /// Nothing was held of it at the greeting: until it arrives, the edge says itself that it is not ready.
    pub(super) initial: bool,
    /// The edge could not use what it was sent, and was not sent anything since.
    pub(super) lost: bool,
    /// Times in a row that this happened.
    pub(super) losses: u32,
}

/// What is on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Delivery {
    #[default]
    Idle,
    Queued,
    Contents,
    Removal,
}

impl Holding {
    /// Whether there is something to tell, when the environment is at `current`.
    pub(super) fn is_owed(&self, current: Option<Version>) -> bool {
        let is_behind = |current| self.held.is_none_or(|held| held < current);
        self.gone || current.is_some_and(is_behind)
    }
}
