//! What belongs to the edge, as the control plane said, and what of it is still missing.

use std::collections::HashMap;

use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::message::{Epoch, Held},
};

/// The greeting of the moment.
#[derive(Default)]
pub(super) struct Expected {
    epoch: Option<Epoch>,
    /// What is still missing, and the version it must have.
    missing: HashMap<EnvId, Version>,
    /// Whether there ever was a greeting of which nothing is missing.
    is_complete: bool,
}

impl Expected {
    /// Starts over with another greeting.
    pub(super) fn begin(&mut self, epoch: Epoch, listed: &[Held]) {
        self.epoch = Some(epoch);
        self.missing = listed
            .iter()
            .map(|held| (held.env_id, held.version))
            .collect();
        self.look();
    }

    /// Notes that an environment is served, of the epoch of the greeting.
    pub(super) fn arrived(&mut self, env_id: EnvId, version: Version) {
        if self
            .missing
            .get(&env_id)
            .is_some_and(|wanted| version >= *wanted)
        {
            self.gone(env_id);
        }
    }

    /// Notes that an environment need not be waited for.
    pub(super) fn gone(&mut self, env_id: EnvId) {
        self.missing.remove(&env_id);
        self.look();
    }

    /// The epoch of the greeting; nothing before the first.
    pub(super) fn epoch(&self) -> Option<Epoch> {
        self.epoch
    }

    /// Whether there ever was a greeting of which nothing is missing.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn look(&mut self) {
        self.is_complete |= self.epoch.is_some() && self.missing.is_empty();
    }
}
