//! A database that was rewound to an earlier state, by a snapshot of its disk or a restore of its data, and how that is found
//! out.
//!
//! Nothing in the database says so: it looks like the same history, in which edges hold versions that were never drawn. A
//! proof is whatever such a history cannot have. It begins another history, and with it another epoch of the link.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::wire::message::Epoch;
use tokio::time::Instant;

/// Edges begin a history no more often: one that is broken, or lies, must not keep all the others busy.
const EDGES_PAUSE: Duration = Duration::from_secs(60);

/// What shows that the database was rewound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The log ends before a position that was seen.
    Log,
    /// An environment has a lower version than it had.
    Version,
    /// An edge holds a version that was never drawn, or was told a position that the log has not reached.
    Edge,
    /// The data was loaded without its history.
    Data,
}

impl Proof {
    /// For metrics.
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Version => "version",
            Self::Edge => "edge",
            Self::Data => "data",
        }
    }

    /// For people.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Log => "rewound: the log ends before a position that was seen",
            Self::Version => "rewound: an environment has a lower version than it had",
            Self::Edge => "rewound: an edge holds what was never drawn",
            Self::Data => "the data was loaded without its history",
        }
    }
}

/// What edges prove, for the next poll.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<Claimed>);

#[derive(Debug, Default)]
struct Claimed {
    /// The epoch that the proof is about.
    about: Option<Epoch>,
    accepted: Option<Instant>,
}

impl Claims {
    /// An edge proves that the database was rewound in this epoch; false if edges did so a moment ago.
    pub(super) fn make(&self, epoch: Epoch) -> bool {
        let mut claimed = self.claimed();
        let is_soon = |accepted: Instant| accepted.elapsed() < EDGES_PAUSE;
        if claimed.about != Some(epoch) && claimed.accepted.is_some_and(is_soon) {
            return false;
        }
        claimed.about = Some(epoch);
        claimed.accepted = Some(Instant::now());
        true
    }

    /// Whether an edge has proved it for this epoch.
    pub(super) fn is_made(&self, epoch: Epoch) -> bool {
        self.claimed().about == Some(epoch)
    }

    /// Protects plain bookkeeping.
    fn claimed(&self) -> MutexGuard<'_, Claimed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn edges_begin_a_history_once_a_minute() {
        let (first, second) = (Epoch([1; 16]), Epoch([2; 16]));
        let claims = Claims::default();
        assert!(claims.make(first));
        assert!(claims.make(first), "another edge with the same proof");
        assert!(claims.is_made(first));
        assert!(!claims.make(second));
        assert!(!claims.is_made(second));
        tokio::time::advance(EDGES_PAUSE).await;
        assert!(claims.make(second));
        assert!(claims.is_made(second) && !claims.is_made(first));
    }
}
