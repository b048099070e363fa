//! What the hub keeps under its lock.

use std::{collections::HashMap, sync::Arc};

use protocol::snapshot::Version;

use super::{Fingerprint, Identity, subscriber::Subscriber, subscription::Signals};
use crate::{ids::EnvId, publish::version::Change};

/// An environment as the last poll found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) version: Version,
    pub(super) region: Arc<str>,
}

/// A connected edge.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) subscriber: Subscriber,
    pub(super) signals: Arc<Signals>,
    /// `None` for the built-in edge.
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) identity: Identity,
    /// The last request to flush that it answered; `None` until it listens for them.
    pub(super) flush: Option<u64>,
}

/// Everything that the hub knows.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) environments: HashMap<EnvId, Listed>,
    /// Known to be gone, as opposed to not known yet; with their region, if it was known.
    pub(super) removed: HashMap<EnvId, Option<Arc<str>>>,
    pub(super) connected: HashMap<u64, Connected>,
    pub(super) next: u64,
    /// The last request to flush.
    pub(super) flush: u64,
}

impl Connected {
    /// Wakes the senders if there is something to send.
    pub(super) fn signal(&self) {
        if self.subscriber.has_updates() {
            self.signals.updates.notify_one();
        }
        if self.subscriber.has_wholes() {
            self.signals.wholes.notify_one();
        }
    }
}

impl State {
    /// Records an environment's version and offers it to the subscribers. Returns the previous version if this one is
    /// newer.
    pub(super) fn list(
        &mut self,
        env_id: EnvId,
        version: Version,
        region: &Arc<str>,
    ) -> Option<Version> {
        let listed = Listed {
            version,
            region: Arc::clone(region),
        };
        let before = self.environments.insert(env_id, listed.clone());
        // Overlapping polls may find the same twice; versions of one history only rise.
        if before.as_ref() == Some(&listed) {
            return None;
        }
        for connected in self.connected.values_mut() {
            connected.subscriber.hear(env_id, region, version);
            connected.signal();
        }
        let before = before.map_or(0, |before| before.version);
        (version > before).then_some(before)
    }

    pub(super) fn remove(&mut self, env_id: EnvId) {
        let listed = self.environments.remove(&env_id);
        let region = listed.map(|listed| listed.region);
        let known = self.removed.entry(env_id).or_default();
        *known = region.or(known.take());
        for connected in self.connected.values_mut() {
            connected.subscriber.hear_gone(env_id);
            connected.signal();
        }
    }

    pub(super) fn is_reached(&self, change: &Change) -> bool {
        self.connected.is_empty()
            || change
                .environments
                .iter()
                .all(|env_id| match self.environments.get(env_id) {
                    Some(listed) if listed.version < change.version => false,
                    Some(_) => !self
                        .subscribers()
                        .any(|edge| edge.is_awaited(*env_id, change.version)),
                    None => {
                        self.removed.contains_key(env_id)
                            && !self.subscribers().any(|edge| edge.is_awaited_gone(*env_id))
                    }
                })
    }

    /// Marks the edges that a change did not reach as lagging, and returns their number.
    pub(super) fn give_up(&mut self, change: &Change) -> usize {
        let mut missed = 0;
        for connected in self.connected.values_mut() {
            let edge = &mut connected.subscriber;
            let is_behind = |env_id: &EnvId| {
                edge.is_awaited(*env_id, change.version) || edge.is_awaited_gone(*env_id)
            };
            if change.environments.iter().any(is_behind) {
                edge.set_lagging(true);
                missed += 1;
            }
        }
        missed
    }

    fn subscribers(&self) -> impl Iterator<Item = &Subscriber> {
        self.connected
            .values()
            .map(|connected| &connected.subscriber)
    }
}
