//! The same as [`Subscriber`](crate::hub::subscriber::Subscriber), without a listing: an edge with an entry for
//! each environment. It is simple enough to be right, and too large for many edges.

use std::collections::HashMap;

use protocol::{ids::EnvId, snapshot::Version};
use tokio::time::Instant;

use crate::hub::{
    holding::{Holding, Queues},
    regions::{Interest, Regions},
    subscriber::Work,
};

/// One edge.
#[derive(Debug)]
pub(super) struct Simple {
    regions: Regions,
    interest: Interest,
    pub(super) holdings: HashMap<EnvId, Holding>,
    pub(super) queues: Queues,
}

impl Simple {
    pub(super) fn new(regions: Regions, interest: Interest) -> Self {
        Self {
            regions,
            interest,
            holdings: HashMap::new(),
            queues: Queues::default(),
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
            self.queues.remove(env_id);
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
        Some(self.holdings.get(&env_id)?.serves(version))
    }

    pub(super) fn take(&mut self, env_id: EnvId) -> Work {
        self.holdings
            .get_mut(&env_id)
            .expect("what is queued is held, and removed only once it was sent")
            .take(env_id)
    }

    /// Records the version that the taken message leads to.
    pub(super) fn send(&mut self, env_id: EnvId, version: Version) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.sent = version;
        }
    }

    /// Whether an acknowledgement of `version` means that the edge could not use what it was sent.
    pub(super) fn is_rejection(&self, env_id: EnvId, version: Version) -> bool {
        let holding = self.holdings.get(&env_id);
        holding.is_some_and(|holding| holding.is_rejection(version))
    }

    /// The edge serves `version`, by its own report or because there was nothing to send. `current` is the
    /// environment's version by now.
    pub(super) fn settle(&mut self, env_id: EnvId, version: Version, current: Option<Version>) {
        let Some(holding) = self.holdings.get_mut(&env_id) else {
            return;
        };
        if holding.settle(version) {
            self.queues.add(env_id, holding, current);
        } else {
            self.holdings.remove(&env_id);
        }
    }

    /// The edge could not use what it was sent: it is owed the whole environment, after [`Simple::retry`]. Returns
    /// how often this happened in a row; `None` if a retry is already due.
    pub(super) fn lose(&mut self, env_id: EnvId) -> Option<u32> {
        self.holdings.get_mut(&env_id)?.lose()
    }

    /// Abandons what was in flight and queues it again.
    pub(super) fn retry(&mut self, env_id: EnvId, current: Option<Version>) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            holding.retry();
            self.queues.add(env_id, holding, current);
        }
    }

    fn queue(&mut self, env_id: EnvId, current: Option<Version>) {
        if let Some(holding) = self.holdings.get_mut(&env_id) {
            self.queues.add(env_id, holding, current);
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
        let holding = self.holdings.get(&env_id);
        holding.is_some_and(|holding| holding.is_awaited(version))
    }

    /// Whether the removal of an environment has to wait for this edge.
    pub(super) fn is_awaited_gone(&self, env_id: EnvId) -> bool {
        let holding = self.holdings.get(&env_id);
        holding.is_some_and(Holding::is_awaited_gone)
    }
}
