//! What one edge holds, what it is owed, and what is being sent to it. No I/O: the hub drives it under its lock.
//!
//! At most one message per environment is in flight, and the next one starts from what the edge acknowledged. So
//! messages about an environment cannot overtake each other although each has a stream of its own, and a slow edge
//! receives one delta over many changes instead of many deltas.
//!
//! What all edges have in common is the [`Listing`]: an edge holds every listed environment that belongs to it, at the
//! listed version. Only where that is not so, or not known, does the edge have an entry of its own. So each operation is
//! told what the listing says about the environment.

mod entries;
mod greeting;

use std::collections::{HashMap, HashSet, VecDeque};

use protocol::snapshot::Version;
use tokio::time::Instant;

pub(super) use self::entries::Counts;
use super::{
    holding::{Delivery, Holding},
    listing::{Listed, Listing},
    regions::{Interest, Regions},
    slots::Slots,
};
use protocol::ids::EnvId;

/// A message to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
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
    /// When it greeted.
    since: Instant,
    /// What an edge holds or awaits that does not want everything.
    named: HashSet<EnvId>,
    /// Where the edge differs from the listing.
    deviations: HashMap<EnvId, Holding>,
    /// What it held nothing of at its greeting, and was not sent yet.
    fresh: Slots,
    /// Deltas and removals: small, and never queued behind whole environments.
    updates: VecDeque<EnvId>,
    /// Besides `fresh`, and before it: whoever has been greeted waits for these.
    wholes: VecDeque<EnvId>,
    counts: Counts,
}

/// What edges want together.
#[derive(Debug, Default)]
pub(super) struct Audience {
    /// Of those that want everything.
    regions: Vec<Regions>,
    named: HashSet<EnvId>,
}

impl Audience {
    pub(super) fn join(&mut self, edge: &Subscriber) {
        match edge.interest {
            Interest::All if self.regions.contains(&edge.regions) => {}
            Interest::All => self.regions.push(edge.regions.clone()),
            Interest::Named => self.named.extend(&edge.named),
        }
    }

    pub(super) fn wants(&self, env_id: EnvId, listed: &Listed) -> bool {
        self.named.contains(&env_id)
            || self
                .regions
                .iter()
                .any(|regions| regions.allow(&listed.region))
    }
}

impl Work {
    /// What it is about.
    pub(super) const fn env_id(&self) -> EnvId {
        match self {
            Self::Contents { env_id, .. } | Self::Removal { env_id } => *env_id,
        }
    }
}

impl Subscriber {
    pub(super) const fn regions(&self) -> &Regions {
        &self.regions
    }

    pub(super) const fn interest(&self) -> Interest {
        self.interest
    }

    pub(super) const fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds an environment that the edge requested, whatever its interest, and queues it.
    pub(super) fn name(&mut self, env_id: EnvId, listed: &Listed) {
        if self.regions.allow(&listed.region) {
            if self.interest == Interest::Named && self.holding(env_id, Some(listed)).is_none() {
                self.await_named(env_id, listed);
            }
            self.list(env_id, Some(listed), listed);
        }
    }

    /// Held by nobody until now: naming alone would mean that the edge holds the listed version.
    fn await_named(&mut self, env_id: EnvId, listed: &Listed) {
        self.change(env_id, Some(listed), Some(listed), |edge, holding| {
            edge.named.insert(env_id);
            *holding = Some(Holding::default());
        });
    }

    /// Records that an environment is listed, as `before` until now, and queues what the edge is owed.
    pub(super) fn list(&mut self, env_id: EnvId, before: Option<&Listed>, now: &Listed) {
        if !self.regions.allow(&now.region) {
            return self.unlist(env_id, before, Some(now));
        }
        let differs = self.deviations.contains_key(&env_id);
        let is_queued_whole = !differs && self.fresh.contains(now.slot);
        let is_foreign = self.interest == Interest::Named && !self.named.contains(&env_id);
        if is_queued_whole || (!differs && is_foreign) {
            return;
        }
        self.change(env_id, before, Some(now), |edge, holding| {
            let holding = holding.get_or_insert_default();
            holding.gone = false;
            edge.queue(env_id, holding, Some(now.version));
        });
    }

    /// Records that an environment, listed as `before` until now, is gone, or of a region that is not the edge's.
    pub(super) fn unlist(&mut self, env_id: EnvId, before: Option<&Listed>, now: Option<&Listed>) {
        if self.holding(env_id, before).is_some() {
            self.change(env_id, before, now, |edge, holding| {
                if let Some(holding) = holding {
                    holding.gone = true;
                    edge.queue(env_id, holding, None);
                }
            });
        }
    }

    /// The edge dropped an environment that it can request again. An edge that wants everything cannot.
    pub(super) fn forget(&mut self, env_id: EnvId, listed: Option<&Listed>) {
        if self.interest == Interest::Named && self.named.contains(&env_id) {
            self.change(env_id, listed, listed, |_, holding| *holding = None);
            self.updates.retain(|queued| *queued != env_id);
            self.wholes.retain(|queued| *queued != env_id);
        }
    }

    /// The edge serves an environment that it had dropped, and has to be kept up to date again.
    pub(super) fn adopt(&mut self, env_id: EnvId, held: Version, listed: &Listed) {
        let is_unknown = self.holding(env_id, Some(listed)).is_none();
        if is_unknown && self.interest == Interest::Named && self.regions.allow(&listed.region) {
            self.change(env_id, Some(listed), Some(listed), |edge, holding| {
                edge.named.insert(env_id);
                let holding = holding.insert(Holding::settled(held, Instant::now()));
                edge.queue(env_id, holding, Some(listed.version));
            });
        }
    }

    /// Whether a change has arrived; `None` if the edge has no part in it.
    pub(super) fn serves(
        &self,
        env_id: EnvId,
        version: Version,
        listed: Option<&Listed>,
    ) -> Option<bool> {
        let holding = self.holding(env_id, listed)?;
        Some(!holding.gone && holding.held.is_some_and(|held| held >= version))
    }

    pub(super) fn take_update(&mut self, _: &Listing) -> Option<Work> {
        self.updates.pop_front().map(|env_id| self.take(env_id))
    }

    pub(super) fn take_whole(&mut self, listing: &Listing) -> Option<Work> {
        if let Some(env_id) = self.wholes.pop_front() {
            return Some(self.take(env_id));
        }
        // What is gone is no longer among them.
        let env_id = listing.at(self.fresh.pop()?)?;
        self.deviations.insert(env_id, Holding::fresh());
        Some(self.take(env_id))
    }

    pub(super) fn has_updates(&self) -> bool {
        !self.updates.is_empty()
    }

    pub(super) fn has_wholes(&self) -> bool {
        !self.wholes.is_empty() || !self.fresh.is_empty()
    }

    /// What is queued is never as listed, so it has an entry. Taking it changes nothing of what is held.
    fn take(&mut self, env_id: EnvId) -> Work {
        let holding = self
            .deviations
            .get_mut(&env_id)
            .expect("what is queued is held, and removed only once it was sent");
        if holding.gone {
            holding.delivery = Delivery::Removal;
            Work::Removal { env_id }
        } else {
            holding.delivery = Delivery::Contents;
            holding.sent = 0;
            Work::Contents {
                env_id,
                base: holding.held,
            }
        }
    }

    /// What was taken is not to be sent now: it is owed, but not queued.
    pub(super) fn put_back(&mut self, env_id: EnvId, listed: Option<&Listed>) {
        self.change(env_id, listed, listed, |_, holding| {
            if let Some(holding) = holding {
                holding.delivery = Delivery::Idle;
            }
        });
    }

    /// Records the version that the taken message leads to.
    pub(super) fn send(&mut self, env_id: EnvId, version: Version) {
        // What is in flight is never as listed.
        if let Some(holding) = self.deviations.get_mut(&env_id) {
            holding.sent = version;
        }
    }

    /// Whether the edge held nothing of the environment at its greeting, and still does not: whether a write waits for it
    /// depends on what is on its way.
    pub(super) fn is_starting(&self, env_id: EnvId) -> bool {
        let holding = self.deviations.get(&env_id);
        holding.is_some_and(|holding| holding.initial)
    }

    /// Whether an acknowledgement of `version` means that the edge could not use what it was sent.
    pub(super) fn is_rejection(&self, env_id: EnvId, version: Version) -> bool {
        self.deviations
            .get(&env_id)
            .is_some_and(|holding| holding.delivery == Delivery::Contents && version < holding.sent)
    }

    /// The edge serves `version`, by its own report or because there was nothing to send.
    pub(super) fn settle(&mut self, env_id: EnvId, version: Version, listed: Option<&Listed>) {
        self.change(env_id, listed, listed, |edge, kept| {
            let Some(holding) = kept else { return };
            let was_removed = holding.delivery == Delivery::Removal;
            if was_removed && holding.gone {
                *kept = None;
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
            holding.late = false;
            // If queued, the work is still to be taken; otherwise this was the answer to it.
            if holding.delivery != Delivery::Queued {
                holding.delivery = Delivery::Idle;
            }
            edge.queue(env_id, holding, listed.map(|listed| listed.version));
        });
    }

    /// The edge could not use what it was sent: it is owed the whole environment, after [`Subscriber::retry`]. Returns
    /// how often this happened in a row; `None` if a retry is already due.
    pub(super) fn lose(&mut self, env_id: EnvId, listed: Option<&Listed>) -> Option<u32> {
        self.change(env_id, listed, listed, |_, holding| {
            let holding = holding.as_mut().filter(|holding| !holding.lost)?;
            holding.lost = true;
            holding.held = None;
            holding.losses += 1;
            Some(holding.losses)
        })
    }

    /// Abandons what was in flight and queues it again.
    pub(super) fn retry(&mut self, env_id: EnvId, listed: Option<&Listed>) {
        self.change(env_id, listed, listed, |edge, holding| {
            let Some(holding) = holding else { return };
            holding.lost = false;
            if holding.delivery != Delivery::Queued {
                holding.delivery = Delivery::Idle;
                edge.queue(env_id, holding, listed.map(|listed| listed.version));
            }
        });
    }

    /// Queues the environment unless something is in flight or nothing is owed.
    fn queue(&mut self, env_id: EnvId, holding: &mut Holding, current: Option<Version>) {
        if holding.is_owed(current) && holding.delivery == Delivery::Idle {
            holding.delivery = Delivery::Queued;
            if holding.gone || holding.held.is_some() {
                self.updates.push_back(env_id);
            } else {
                self.wholes.push_back(env_id);
            }
        }
    }

    /// A write has waited in vain until the edge serves the environment.
    pub(super) fn give_up(&mut self, env_id: EnvId, listed: Option<&Listed>) {
        self.change(env_id, listed, listed, |_, holding| {
            if let Some(holding) = holding {
                holding.late = true;
            }
        });
    }

    /// What it is owed of what is listed, with the version, and what it has to drop.
    pub(super) fn owed<'a>(
        &'a self,
        listing: &'a Listing,
    ) -> impl Iterator<Item = (EnvId, Option<Version>)> + 'a {
        let differing = self.deviations.iter().filter_map(|(env_id, holding)| {
            let current = listing.get(*env_id).map(|listed| listed.version);
            let is_owed = holding.is_owed(current);
            is_owed.then_some((*env_id, current.filter(|_| !holding.gone)))
        });
        let fresh = self.fresh.iter().filter_map(|slot| {
            let env_id = listing.at(slot)?;
            Some((env_id, Some(listing.get(env_id)?.version)))
        });
        differing.chain(fresh)
    }

    /// Whether it still has an environment that it has to drop.
    pub(super) fn is_owed_removal(&self, env_id: EnvId) -> bool {
        let holding = self.deviations.get(&env_id);
        holding.is_some_and(|holding| holding.gone)
    }

    /// Whether a write that drew `version` has to wait for this edge.
    pub(super) fn is_awaited(
        &self,
        env_id: EnvId,
        version: Version,
        listed: Option<&Listed>,
    ) -> bool {
        self.holding(env_id, listed)
            .is_some_and(|holding| match holding.held {
                _ if holding.late => false,
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
        self.deviations
            .get(&env_id)
            .is_some_and(|holding| holding.gone && !holding.late)
    }
}

#[cfg(test)]
mod tests;
