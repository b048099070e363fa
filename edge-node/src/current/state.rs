//! What is served, for whoever keeps a copy of it.

use std::sync::Arc;

use protocol::{ids::EnvId, snapshot::Version, wire::message::Epoch};

use super::{Current, Slot};

/// Which state of an environment is served: its version, and the epoch in which that was received.
pub(crate) type State = (Option<Epoch>, Version);

impl Current {
    /// The state of each environment that is served.
    pub(crate) fn states(&self) -> Vec<(EnvId, State)> {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let states = slots
            .iter()
            .filter_map(|slot| Some((slot.env_id, slot.state()?)));
        states.collect()
    }

    /// The state of an environment; `None` if it is not served.
    pub(crate) fn state(&self, env_id: EnvId) -> Option<State> {
        let slot = self.slots.lock().get(&env_id).map(Arc::clone)?;
        slot.state()
    }
}

impl Slot {
    /// Waits for its turn: what the last push left to do, such as storing it, has been done or handed on by then.
    fn state(&self) -> Option<State> {
        let turn = self.turn();
        Some((turn.epoch, self.load()?.head().version))
    }
}
