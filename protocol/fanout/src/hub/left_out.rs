//! Environments that cannot be compiled or sent: senders are not given them for a while, and nobody waits for them, also
//! not while they are tried again.
//!
//! A newer version may be different, so it is tried at once.

use std::{collections::HashMap, sync::Arc};

use protocol::snapshot::Version;
use tokio::time::{Instant, sleep_until};

use super::{Hub, state::State};
use protocol::ids::EnvId;

/// Environments that are left out, each with the time of the next attempt; `None` once that has come.
#[derive(Debug, Default)]
pub(super) struct LeftOut(HashMap<EnvId, Option<Instant>>);

impl LeftOut {
    /// Whether the last attempt failed.
    pub(super) fn contains(&self, env_id: EnvId) -> bool {
        self.0.contains_key(&env_id)
    }

    /// Whether the time of the next attempt has not come.
    pub(super) fn is_put_off(&self, env_id: EnvId) -> bool {
        self.0.get(&env_id).is_some_and(Option::is_some)
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
        state.left_out.0.insert(env_id, Some(until));
        state.review(env_id);
        drop(state);
        let hub = Arc::clone(self);
        tokio::spawn(async move {
            sleep_until(until).await;
            hub.state().try_again(env_id, until);
        });
    }

    /// What was left out can be sent after all: writes wait for it again.
    pub fn take_in(&self, env_id: EnvId) {
        let mut state = self.state();
        state.left_out.clear(env_id);
        state.review(env_id);
    }

    /// Whether nobody is to try an environment now.
    pub fn is_put_off(&self, env_id: EnvId) -> bool {
        self.state().left_out.is_put_off(env_id)
    }

    /// How many environments are left out, those included that are being tried again.
    pub fn left_out(&self) -> usize {
        self.state().left_out.0.len()
    }
}

impl State {
    /// Offers an environment again, unless it was left out for longer meanwhile.
    fn try_again(&mut self, env_id: EnvId, until: Instant) {
        let next = self.left_out.0.get_mut(&env_id);
        if let Some(next) = next.filter(|next| next.is_some_and(|next| next <= until)) {
            *next = None;
            let listed = self.listing.get(env_id).cloned();
            self.offer(env_id, listed.as_ref());
        }
    }
}
