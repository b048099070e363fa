//! Detects a database that was rewound to an earlier state, by a snapshot of its disk or a restore of its data.
//!
//! The database does not record it: the history looks the same, but edges hold versions that were never issued. A proof is an
//! observation that the history rules out. It begins another history, and with it another epoch of the link.

use std::{collections::HashMap, time::Duration};

use fanout::Fingerprint;
use parking_lot::Mutex;
use protocol::wire::message::Epoch;
use serving::settings::spans::{DAY, HOUR, MINUTE};
use tokio::time::Instant;

/// Edges may begin a history no more often: a broken or lying edge must not disturb all others.
const EDGES_PAUSE: Duration = MINUTE;
/// For the same reason the pause of one certificate doubles each time, up to this.
const LONGEST_PAUSE: Duration = HOUR;
/// After this time without a proof, a certificate's pause is reset.
const FORGIVEN: Duration = DAY;

/// Proofs that the database was rewound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// The log ends before a position that was seen.
    Log,
    /// The mark of a replica is gone: see [`Mark`](super::mark::Mark).
    Mark,
    /// An environment has a lower version than it had.
    Version,
    /// A version has other contents than before.
    Digest,
    /// An edge holds a version that was never issued, or knows a position that the log has not reached.
    Edge,
    /// The data was loaded without its history.
    Data,
    /// The data was last used in another cluster, on another timeline, or in other tables. That is another epoch already.
    Identity,
}

impl Proof {
    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Mark => "mark",
            Self::Version => "version",
            Self::Digest => "digest",
            Self::Edge => "edge",
            Self::Data => "data",
            Self::Identity => "identity",
        }
    }

    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Log => "rewound: the log ends before a position that was seen",
            Self::Mark => "rewound: what a replica has seen is gone",
            Self::Version => "rewound: an environment has a lower version than it had",
            Self::Digest => "rewound: a version has other contents than it had",
            Self::Edge => "rewound: an edge holds what was never drawn",
            Self::Data => "the data was loaded without its history",
            Self::Identity => "the data was last used elsewhere",
        }
    }
}

/// Proofs by edges, for the next poll.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<Claimed>);

#[derive(Debug, Default)]
struct Claimed {
    /// The epoch that the proof is about.
    about: Option<Epoch>,
    accepted: Option<Instant>,
    /// A proof that came too early is applied later: it may be true.
    waiting: Option<Waiting>,
    claimants: HashMap<Fingerprint, Claimant>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    about: Epoch,
    by: Option<Fingerprint>,
    until: Instant,
}

/// A certificate whose edge, or one below it, has sent a proof.
#[derive(Debug)]
struct Claimant {
    at: Instant,
    /// After its last proof.
    pause: Duration,
}

impl Claims {
    /// An edge proves that the database was rewound in this epoch; false if that does not count yet.
    pub(super) fn make(&self, epoch: Epoch, by: Option<Fingerprint>) -> bool {
        let mut claimed = self.0.lock();
        let until = claimed.until(by);
        let counts = claimed.about == Some(epoch) || until <= Instant::now();
        if counts {
            claimed.accept(epoch, by);
        } else if claimed
            .waiting
            .is_none_or(|waiting| waiting.about != epoch || until < waiting.until)
        {
            let about = epoch;
            claimed.waiting = Some(Waiting { about, by, until });
        }
        counts
    }

    /// Whether an edge has proved it for this epoch.
    pub(super) fn is_made(&self, epoch: Epoch) -> bool {
        let mut claimed = self.0.lock();
        let due = claimed
            .waiting
            .filter(|waiting| waiting.about == epoch && waiting.until <= Instant::now());
        if let Some(Waiting { by, .. }) = due {
            claimed.accept(epoch, by);
        }
        claimed.about == Some(epoch)
    }
}

impl Claimed {
    /// When a proof by this certificate's edge counts.
    fn until(&self, by: Option<Fingerprint>) -> Instant {
        let of_all = self.accepted.map(|accepted| accepted + EDGES_PAUSE);
        let claimant = by.and_then(|by| self.claimants.get(&by));
        let of_its_own = claimant.map(|claimant| claimant.at + claimant.pause);
        let until = of_all.max(of_its_own);
        until.unwrap_or_else(Instant::now)
    }

    fn accept(&mut self, epoch: Epoch, by: Option<Fingerprint>) {
        // Others with the same proof are equally right or wrong.
        if self.about == Some(epoch) {
            return;
        }
        let now = Instant::now();
        self.about = Some(epoch);
        self.accepted = Some(now);
        self.waiting = None;
        self.claimants
            .retain(|_, claimant| now.duration_since(claimant.at) < FORGIVEN);
        if let Some(by) = by {
            let pause = self
                .claimants
                .get(&by)
                .map_or(EDGES_PAUSE, |before| before.pause * 2);
            let pause = pause.min(LONGEST_PAUSE);
            self.claimants.insert(by, Claimant { at: now, pause });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Option<Fingerprint> = Some([1; 32]);
    const SECOND: Option<Fingerprint> = Some([2; 32]);

    fn epoch(number: u8) -> Epoch {
        Epoch([number; 16])
    }

    #[tokio::test(start_paused = true)]
    async fn edges_begin_a_history_once_a_minute() {
        let claims = Claims::default();
        assert!(claims.make(epoch(1), FIRST));
        assert!(
            claims.make(epoch(1), SECOND),
            "another edge with the same proof"
        );
        assert!(claims.is_made(epoch(1)));
        assert!(!claims.make(epoch(2), SECOND));
        assert!(!claims.is_made(epoch(2)));
        tokio::time::advance(EDGES_PAUSE).await;
        assert!(claims.make(epoch(2), SECOND));
        assert!(claims.is_made(epoch(2)) && !claims.is_made(epoch(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_proof_that_comes_too_soon_counts_later() {
        let claims = Claims::default();
        assert!(claims.make(epoch(1), FIRST));
        assert!(!claims.make(epoch(2), SECOND));
        tokio::time::advance(EDGES_PAUSE - Duration::from_millis(1)).await;
        assert!(!claims.is_made(epoch(2)));
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(!claims.is_made(epoch(3)), "it is about another history");
        assert!(claims.is_made(epoch(2)), "its edge need not come back");
    }

    #[tokio::test(start_paused = true)]
    async fn an_edge_that_begins_one_history_after_another_waits_longer_each_time() {
        let claims = Claims::default();
        let mut pause = EDGES_PAUSE;
        for number in 0..20 {
            assert!(claims.make(epoch(number), FIRST));
            assert!(!claims.make(epoch(number + 1), FIRST));
            tokio::time::advance(pause - Duration::from_millis(1)).await;
            assert!(!claims.is_made(epoch(number + 1)), "{pause:?}");
            tokio::time::advance(Duration::from_millis(1)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        tokio::time::advance(EDGES_PAUSE).await;
        assert!(claims.make(epoch(100), SECOND), "another edge need not");
        tokio::time::advance(FORGIVEN).await;
        assert!(claims.make(epoch(101), SECOND));
        assert!(!claims.make(epoch(102), FIRST));
        tokio::time::advance(EDGES_PAUSE).await;
        assert!(claims.is_made(epoch(102)), "that was long ago");
    }
}
