//! Environments that cannot be compiled or sent: senders are not given them for a while, and nobody waits for them.
//!
//! A newer version may be different, so it is tried at once.

use std::{collections::HashMap, sync::Arc};

use protocol::snapshot::Version;
use tokio::time::{Instant, sleep_until};

use super::{Hub, state::State};
use protocol::ids::EnvId;

/// Environments that are left out, each with the time of the next attempt.
#[derive(Debug, Default)]
pub(super) struct LeftOut(HashMap<EnvId, Instant>);

impl LeftOut {
    pub(super) fn contains(&self, env_id: EnvId) -> bool {
        self.0.contains_key(&env_id)
    }

    /// The environment is gone or has another version.
    pub(super) fn clear(&mut self, env_id: EnvId) {
        self.0.remove(&env_id);
    }

    pub(super) fn clear_all(&mut self) {
        self.0.clear();
    }
}

impl Hub {
    /// A version cannot be compiled or sent: no sender is given the environment before `until`, and no write waits for
    /// it, unless a newer version comes. Has no effect if there is a newer one already.
    pub fn leave_out(self: &Arc<Self>, env_id: EnvId, version: Version, until: Instant) {
        let mut state = self.state();
        let listed = state.listing.get(env_id);
        if listed.is_none_or(|listed| listed.version > version) {
            return;
        }
        state.left_out.0.insert(env_id, until);
        state.review(env_id);
        drop(state);
        let hub = Arc::clone(self);
        tokio::spawn(async move {
            sleep_until(until).await;
            hub.state().try_again(env_id, until);
        });
    }

    /// How many environments are left out.
    pub fn left_out(&self) -> usize {
        self.state().left_out.0.len()
    }
}

impl State {
    /// Offers an environment again, unless it was left out for longer meanwhile.
    fn try_again(&mut self, env_id: EnvId, until: Instant) {
        if self
            .left_out
            .0
            .get(&env_id)
            .is_some_and(|current| *current <= until)
        {
            self.left_out.clear(env_id);
            let listed = self.listing.get(env_id).cloned();
            self.offer(env_id, listed.as_ref());
        }
    }
}
