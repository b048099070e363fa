//! One environment at one edge.

use std::collections::VecDeque;

use protocol::{ids::EnvId, snapshot::Version};
use tokio::time::Instant;

use super::subscriber::Work;

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

    /// Whether the edge serves a change.
    pub(super) fn serves(&self, version: Version) -> bool {
        !self.gone && self.held.is_some_and(|held| held >= version)
    }

    /// What is to be sent, taken from its queue.
    pub(super) fn take(&mut self, env_id: EnvId) -> Work {
        if self.gone {
            self.delivery = Delivery::Removal;
            return Work::Removal { env_id };
        }
        self.delivery = Delivery::Contents;
        self.sent = 0;
        Work::Contents {
            env_id,
            base: self.held,
        }
    }

    /// Whether an acknowledgement of `version` means that the edge could not use what it was sent.
    pub(super) fn is_rejection(&self, version: Version) -> bool {
        self.delivery == Delivery::Contents && version < self.sent
    }

    /// The edge serves `version`, by its own report or because there was nothing to send. False if it has dropped an
    /// environment that is gone.
    pub(super) fn settle(&mut self, version: Version) -> bool {
        let was_removed = self.delivery == Delivery::Removal;
        if was_removed && self.gone {
            return false;
        }
        // After a removal the edge holds nothing, whatever version it names.
        let held = (!was_removed).then_some(version);
        if self.held != held {
            self.since = held.map(|_| Instant::now());
        }
        self.held = held;
        self.initial = false;
        self.losses = 0;
        self.late = false;
        self.end_delivery();
        true
    }

    /// The edge could not use what it was sent. Returns how often this happened in a row; `None` if a retry is already due.
    pub(super) fn lose(&mut self) -> Option<u32> {
        if self.lost {
            return None;
        }
        self.lost = true;
        self.held = None;
        self.losses += 1;
        Some(self.losses)
    }

    /// Abandons what was in flight.
    pub(super) fn retry(&mut self) {
        self.lost = false;
        self.end_delivery();
    }

    /// If queued, the work is still to be taken.
    fn end_delivery(&mut self) {
        if self.delivery != Delivery::Queued {
            self.delivery = Delivery::Idle;
        }
    }

    /// Whether a write that drew `version` has to wait for this edge.
    pub(super) fn is_awaited(&self, version: Version) -> bool {
        match self.held {
            _ if self.late => false,
            Some(held) => held < version,
            // What is in flight to an edge that is starting may be older than the write.
            None if self.initial => self.delivery == Delivery::Contents && self.sent < version,
            None => true,
        }
    }

    /// Whether the removal of the environment has to wait for this edge.
    pub(super) fn is_awaited_gone(&self) -> bool {
        self.gone && !self.late
    }
}

/// The environments of which something waits to be sent to one edge.
#[derive(Debug, Default)]
pub(super) struct Queues {
    /// Deltas and removals: small, and never queued behind whole environments.
    pub(super) updates: VecDeque<EnvId>,
    pub(super) wholes: VecDeque<EnvId>,
}

impl Queues {
    /// Adds an environment unless something is in flight or nothing is owed.
    pub(super) fn add(&mut self, env_id: EnvId, holding: &mut Holding, current: Option<Version>) {
        if holding.is_owed(current) && holding.delivery == Delivery::Idle {
            holding.delivery = Delivery::Queued;
            if holding.gone || holding.held.is_some() {
                self.updates.push_back(env_id);
            } else {
                self.wholes.push_back(env_id);
            }
        }
    }

    pub(super) fn remove(&mut self, env_id: EnvId) {
        self.updates.retain(|queued| *queued != env_id);
        self.wholes.retain(|queued| *queued != env_id);
    }
}
