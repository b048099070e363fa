//! The same as [`Subscriber`](crate::hub::subscriber::Subscriber), without a listing: an edge with an entry for
//! each environment. It is simple enough to be right, and too large for many edges.

use std::collections::{HashMap, VecDeque};

use protocol::snapshot::Version;
use tokio::time::Instant;

use protocol::ids::EnvId;

use crate::hub::{
    holding::{Delivery, Holding},
    regions::{Interest, Regions},
    subscriber::Work,
};

/// One edge.
#[derive(Debug)]
pub(super) struct Simple {
    regions: Regions,
    interest: Interest,
    pub(super) holdings: HashMap<EnvId, Holding>,
    /// Deltas and removals: small, and never queued behind whole environments.
    pub(super) updates: VecDeque<EnvId>,
    pub(super) wholes: VecDeque<EnvId>,
}

impl Simple {
    pub(super) fn new(regions: Regions, interest: Interest) -> Self {
        Self {
            regions,
            interest,
            holdings: HashMap::new(),
            updates: VecDeque::new(),
            wholes: VecDeque::new(),
        }
    }

    pub(super) fn allows(&self, region: &str) -> bool {
        self.regions.allow(region)
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
    pub(super) fn list(&mut self, env_id: EnvId, region: &str, current: Version) {
        if !self.regions.allow(region) {
            return self.unlist(env_id);
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
    pub(super) fn unlist(&mut self, env_id: EnvId) {
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

    /// Whether a change has arrived; `None` if the edge has no part in it.
    pub(super) fn serves(&self, env_id: EnvId, version: Version) -> Option<bool> {
        let holding = self.holdings.get(&env_id)?;
        Some(!holding.gone && holding.held.is_some_and(|held| held >= version))
    }

    pub(super) fn take(&mut self, env_id: EnvId) -> Work {
        let holding = self
            .holdings
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
        holding.late = false;
        // If queued, the work is still to be taken; otherwise this was the answer to it.
        if holding.delivery != Delivery::Queued {
            holding.delivery = Delivery::Idle;
        }
        self.queue(env_id, current);
    }

    /// The edge could not use what it was sent: it is owed the whole environment, after [`Simple::retry`]. Returns
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

    /// A write has waited in vain until the edge serves the environment.
    pub(super) fn give_up(&mut self, env_id: EnvId) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.late = true;
        }
    }

    /// Whether a write that drew `version` has to wait for this edge.
    pub(super) fn is_awaited(&self, env_id: EnvId, version: Version) -> bool {
        self.holdings
            .get(&env_id)
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
        self.holdings
            .get(&env_id)
            .is_some_and(|holding| holding.gone && !holding.late)
    }
}
