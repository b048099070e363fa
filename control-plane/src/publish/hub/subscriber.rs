//! What one edge holds, what it is owed, and what is being sent to it. No I/O: the hub drives it under its lock.
//!
//! At most one message per environment is in flight, and the next one starts from what the edge acknowledged. So
//! messages about an environment cannot overtake each other although each has a stream of its own, and a slow edge
//! receives one delta over many changes instead of many deltas.

use std::collections::{HashMap, VecDeque};

use protocol::snapshot::Version;
use tokio::time::Instant;

use super::{
    holding::{Delivery, Holding},
    regions::{Interest, Regions},
};
use crate::ids::EnvId;

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::publish) enum Work {
    /// Bring the environment up to date, from `base` if the edge holds something.
    Contents {
        /// Which environment.
        env_id: EnvId,
        /// The version that the edge acknowledged.
        base: Option<Version>,
    },
    /// Announce that the environment is gone, or no longer belongs to the edge.
    Removal {
        /// Which environment.
        env_id: EnvId,
    },
}

/// One edge.
#[derive(Debug)]
pub(super) struct Subscriber {
    regions: Regions,
    interest: Interest,
    holdings: HashMap<EnvId, Holding>,
    /// Deltas and removals: small, and never queued behind whole environments.
    updates: VecDeque<EnvId>,
    wholes: VecDeque<EnvId>,
    /// A write has waited in vain; no write waits for this edge until it acknowledges again.
    lagging: bool,
}

impl Subscriber {
    pub(super) fn new(regions: Regions, interest: Interest) -> Self {
        Self {
            regions,
            interest,
            holdings: HashMap::new(),
            updates: VecDeque::new(),
            wholes: VecDeque::new(),
            lagging: false,
        }
    }

    pub(super) const fn regions(&self) -> &Regions {
        &self.regions
    }

    pub(super) const fn interest(&self) -> Interest {
        self.interest
    }

    /// Records what the edge held when it greeted.
    pub(super) fn greet(&mut self, env_id: EnvId, held: Option<Version>) {
        let holding = self.hold(env_id);
        holding.held = held;
        holding.since = held.map(|_| Instant::now());
        holding.initial = held.is_none();
    }

    /// Adds an environment that the edge requested, whatever its interest.
    pub(super) fn name(&mut self, env_id: EnvId) {
        self.hold(env_id);
    }

    fn hold(&mut self, env_id: EnvId) -> &mut Holding {
        self.holdings.entry(env_id).or_default()
    }

    /// Records that an environment of `region` is now at `current`, and queues what the edge is owed.
    pub(super) fn hear(&mut self, env_id: EnvId, region: &str, current: Version) {
        if !self.regions.allow(region) {
            return self.hear_gone(env_id);
        }
        if self.interest == Interest::All {
            self.hold(env_id);
        }
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.gone = false;
            self.queue(env_id, Some(current));
        }
    }

    /// Records that an environment is gone.
    pub(super) fn hear_gone(&mut self, env_id: EnvId) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.gone = true;
            self.queue(env_id, None);
        }
    }

    /// The edge dropped an environment that it can request again. An edge that wants everything cannot.
    pub(super) fn forget(&mut self, env_id: EnvId) {
        if self.interest == Interest::Named && self.holdings.remove(&env_id).is_some() {
            self.updates.retain(|queued| *queued != env_id);
            self.wholes.retain(|queued| *queued != env_id);
        }
    }

    /// The edge serves an environment that it had dropped, and has to be kept up to date again.
    pub(super) fn adopt(&mut self, env_id: EnvId, region: &str, held: Version, current: Version) {
        let is_unknown = !self.holdings.contains_key(&env_id);
        if is_unknown && self.interest == Interest::Named && self.regions.allow(region) {
            self.greet(env_id, Some(held));
            self.queue(env_id, Some(current));
        }
    }

    /// The environments held or awaited.
    pub(super) fn environments(&self) -> impl Iterator<Item = EnvId> {
        self.holdings.keys().copied()
    }

    /// What is held: environment, version, and since when.
    pub(super) fn held(&self) -> impl Iterator<Item = (EnvId, Version, Instant)> {
        let holdings = self.holdings.iter();
        holdings.filter_map(|(env_id, holding)| Some((*env_id, holding.held?, holding.since?)))
    }

    /// Whether a change has arrived; `None` if the edge has no part in it.
    pub(super) fn serves(&self, env_id: EnvId, version: Version) -> Option<bool> {
        let holding = self.holdings.get(&env_id)?;
        Some(!holding.gone && holding.held.is_some_and(|held| held >= version))
    }

    pub(super) fn take_update(&mut self) -> Option<Work> {
        self.updates.pop_front().map(|env_id| self.take(env_id))
    }

    pub(super) fn take_whole(&mut self) -> Option<Work> {
        self.wholes.pop_front().map(|env_id| self.take(env_id))
    }

    pub(super) fn has_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    pub(super) fn has_wholes(&self) -> bool {
        !self.wholes.is_empty()
    }

    fn take(&mut self, env_id: EnvId) -> Work {
        let holding = self
            .holdings
            .get_mut(&env_id)
            .expect("what is queued is held, and removed only once it was sent");
        if holding.gone {
            holding.delivery = Delivery::Removal;
            Work::Removal { env_id }
        } else {
            holding.delivery = Delivery::Contents;
            Work::Contents {
                env_id,
                base: holding.held,
            }
        }
    }

    /// What was taken is not to be sent now: it is owed, but not queued.
    pub(super) fn put_back(&mut self, env_id: EnvId) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.delivery = Delivery::Idle;
        }
    }

    /// Records the version that the taken message leads to.
    pub(super) fn send(&mut self, env_id: EnvId, version: Version) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.sent = version;
        }
    }

    /// Whether an acknowledgement of `version` means that the edge could not use what it was sent.
    pub(super) fn is_rejection(&self, env_id: EnvId, version: Version) -> bool {
        self.holdings
            .get(&env_id)
            .is_some_and(|holding| holding.delivery == Delivery::Contents && version < holding.sent)
    }

    /// The edge serves `version`, by its own report or because there was nothing to send. `current` is the
    /// environment's version by now.
    pub(super) fn settle(&mut self, env_id: EnvId, version: Version, current: Option<Version>) {
        let Some(holding) = self.holdings.get_mut(&env_id) else {
            return;
        };
        let was_removed = holding.delivery == Delivery::Removal;
        if was_removed && holding.gone {
            self.holdings.remove(&env_id);
            return;
        }
        // After a removal the edge holds nothing, whatever version it names.
        let held = (!was_removed).then_some(version);
        if holding.held != held {
            holding.since = held.map(|_| Instant::now());
        }
        holding.held = held;
        holding.initial = false;
        holding.losses = 0;
        // If queued, the work is still to be taken; otherwise this was the answer to it.
        if holding.delivery != Delivery::Queued {
            holding.delivery = Delivery::Idle;
        }
        self.queue(env_id, current);
    }

    /// The edge could not use what it was sent: it is owed the whole environment, after [`Subscriber::retry`]. Returns
    /// how often this happened in a row; `None` if a retry is already due.
    pub(super) fn lose(&mut self, env_id: EnvId) -> Option<u32> {
        let holding = self
            .holdings
            .get_mut(&env_id)
            .filter(|holding| !holding.lost)?;
        holding.lost = true;
        holding.held = None;
        holding.losses += 1;
        Some(holding.losses)
    }

    /// Abandons what was in flight and queues it again.
    pub(super) fn retry(&mut self, env_id: EnvId, current: Option<Version>) {
        let Some(holding) = self.holdings.get_mut(&env_id) else {
            return;
        };
        holding.lost = false;
        if holding.delivery != Delivery::Queued {
            holding.delivery = Delivery::Idle;
            self.queue(env_id, current);
        }
    }

    /// Queues the environment unless something is in flight or nothing is owed.
    fn queue(&mut self, env_id: EnvId, current: Option<Version>) {
        let Some(holding) = self.holdings.get_mut(&env_id) else {
            return;
        };
        if holding.is_owed(current) && holding.delivery == Delivery::Idle {
            holding.delivery = Delivery::Queued;
            if holding.gone || holding.held.is_some() {
                self.updates.push_back(env_id);
            } else {
                self.wholes.push_back(env_id);
            }
        }
    }

    pub(super) const fn set_lagging(&mut self, lagging: bool) {
        self.lagging = lagging;
    }

    /// Whether a write that drew `version` has to wait for this edge.
    pub(super) fn is_awaited(&self, env_id: EnvId, version: Version) -> bool {
        !self.lagging
            && self
                .holdings
                .get(&env_id)
                .is_some_and(|holding| match holding.held {
                    Some(held) => held < version,
                    // What is in flight to an edge that is starting may be older than the write.
                    None if holding.initial => {
                        holding.delivery == Delivery::Contents && holding.sent < version
                    }
                    None => true,
                })
    }

    /// Whether the removal of an environment has to wait for this edge.
    pub(super) fn is_awaited_gone(&self, env_id: EnvId) -> bool {
        !self.lagging
            && self
                .holdings
                .get(&env_id)
                .is_some_and(|holding| holding.gone)
    }
}

#[cfg(test)]
mod tests;
