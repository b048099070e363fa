//! One environment at one edge.

use protocol::snapshot::Version;
use tokio::time::Instant;

/// What one edge holds of one environment, and what is being sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Holding {
    pub(super) held: Option<Version>,
    /// When the edge first reported that it serves this version; the time of its greeting for what it already held.
    pub(super) since: Option<Instant>,
    pub(super) delivery: Delivery,
    /// The version that the message in flight leads to; 0 while it is still being made.
    pub(super) sent: Version,
    pub(super) gone: bool,
    /// Whether the edge held nothing of it at its greeting: until it arrives, the edge itself reports that it is not
    /// ready.
    pub(super) initial: bool,
    /// Whether the edge could not use what it was sent, and has not been sent anything since.
    pub(super) lost: bool,
    /// How often in a row this has happened.
    pub(super) losses: u32,
    /// A write has waited in vain. None waits for this edge to serve the environment until it acknowledges something of it.
    pub(super) late: bool,
}

/// What is being sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Delivery {
    #[default]
    Idle,
    Queued,
    Contents,
    Removal,
}

impl Holding {
    /// The edge holds a version, and nothing is being sent.
    pub(super) fn settled(version: Version, since: Instant) -> Self {
        Self {
            held: Some(version),
            since: Some(since),
            ..Self::default()
        }
    }

    /// The edge greeted with nothing of an environment, which is queued.
    pub(super) fn fresh() -> Self {
        Self {
            initial: true,
            delivery: Delivery::Queued,
            ..Self::default()
        }
    }

    /// Whether the edge holds this version, with nothing else to remember.
    pub(super) fn is_settled_at(&self, version: Version) -> bool {
        self.held == Some(version)
            && self.delivery == Delivery::Idle
            && !self.gone
            && !self.initial
            && !self.lost
            && self.losses == 0
            && !self.late
    }

    /// Whether there is something to send, given that the environment is at `current`.
    pub(super) fn is_owed(&self, current: Option<Version>) -> bool {
        let is_behind = |current| self.held.is_none_or(|held| held < current);
        self.gone || current.is_some_and(is_behind)
    }
}
