//! Which environments belong to the edge according to the control plane, and which of them are still missing.

use std::collections::HashMap;

use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::message::{Epoch, Listed},
};

use super::Current;

/// The latest greeting and what it leaves to be received.
#[derive(Default)]
pub(super) struct Expected {
    epoch: Option<Epoch>,
    /// Environments still missing, and the version each must have at least.
    missing: HashMap<EnvId, Version>,
    /// Whether everything listed by some greeting has arrived. Never reset: readiness survives later
    /// greetings.
    is_complete: bool,
}

impl Expected {
    /// Starts over with a new greeting.
    pub(super) fn begin(&mut self, epoch: Epoch, listed: &[Listed]) {
        self.epoch = Some(epoch);
        self.missing = listed
            .iter()
            .filter(|listed| listed.version > 0)
            .map(|listed| (listed.env_id, listed.version))
            .collect();
        self.update();
    }

    /// Records that an environment of the greeting's epoch is served.
    pub(super) fn arrived(&mut self, env_id: EnvId, version: Version) {
        if self
            .missing
            .get(&env_id)
            .is_some_and(|wanted| version >= *wanted)
        {
            self.gone(env_id);
        }
    }

    /// Records that an environment need not be waited for any more.
    pub(super) fn gone(&mut self, env_id: EnvId) {
        self.missing.remove(&env_id);
        self.update();
    }

    /// The epoch of the latest greeting; `None` before the first.
    pub(super) fn epoch(&self) -> Option<Epoch> {
        self.epoch
    }

    /// Whether the latest greeting listed the environment, and it has not arrived since.
    pub(super) fn is_missing(&self, env_id: EnvId) -> bool {
        self.missing.contains_key(&env_id)
    }

    /// Whether something that the latest greeting listed has not arrived yet.
    pub(super) fn is_missing_any(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Whether everything listed by some greeting has arrived.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn update(&mut self) {
        self.is_complete |= self.epoch.is_some() && self.missing.is_empty();
    }
}

impl Current {
    /// Whether an environment is served at this version of the control plane's or a later one. What is held from
    /// another history has version numbers of its own, and is replaced first.
    pub(crate) fn has(&self, env_id: EnvId, version: Version) -> bool {
        !self.expected.lock().is_missing(env_id)
            && self.version(env_id).is_some_and(|held| held >= version)
    }

    /// Whether something that the latest greeting listed has not arrived yet.
    pub(crate) fn is_missing_any(&self) -> bool {
        self.expected.lock().is_missing_any()
    }

    /// Whether a control plane has said what belongs to the edge.
    pub(crate) fn is_greeted(&self) -> bool {
        self.expected.lock().epoch().is_some()
    }
}
