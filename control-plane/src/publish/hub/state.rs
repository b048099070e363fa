//! What the hub keeps under its lock.

use std::{collections::HashMap, sync::Arc};

use protocol::snapshot::{Digest, Version};

use super::{
    Fingerprint, Identity, left_out::LeftOut, missing::Missing, subscriber::Subscriber,
    subscription::Signals,
};
use crate::{ids::EnvId, publish::version::Change};

/// An environment as the last poll found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub(super) version: Version,
    pub(super) region: Arc<str>,
    /// The digest of this version, if it is known.
    pub(super) digest: Option<Digest>,
}

/// What a poll says about an environment, compared with what was known.
pub(super) enum Heard {
    /// It is newer than this version, or new.
    Raised(Version),
    /// It is older than what was known, which cannot be within one history.
    Lowered,
    Same,
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
    pub(super) left_out: LeftOut,
    pub(super) connected: HashMap<u64, Connected>,
    pub(super) missing: Missing,
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
    /// Records an environment's version and offers it to the subscribers.
    pub(super) fn list(
        &mut self,
        env_id: EnvId,
        version: Version,
        region: &Arc<str>,
        digest: Option<Digest>,
    ) -> Heard {
        let before = self.environments.get_mut(&env_id);
        let heard = match before.as_ref().map(|before| before.version) {
            Some(before) if version < before => {
                // Which of both is true is not known any more.
                self.environments.remove(&env_id);
                return Heard::Lowered;
            }
            Some(before) if version == before => Heard::Same,
            before => Heard::Raised(before.unwrap_or(0)),
        };
        // Overlapping polls may find the same twice.
        if let Some(before) = before
            && before.version == version
            && before.region == *region
        {
            before.digest = before.digest.or(digest);
            return heard;
        }
        let listed = Listed {
            version,
            region: Arc::clone(region),
            digest,
        };
        self.environments.insert(env_id, listed);
        self.left_out.clear(env_id);
        self.offer(env_id);
        heard
    }

    /// Offers an environment to the subscribers.
    pub(super) fn offer(&mut self, env_id: EnvId) {
        let Some(listed) = self.environments.get(&env_id) else {
            return;
        };
        for connected in self.connected.values_mut() {
            let edge = &mut connected.subscriber;
            edge.hear(env_id, &listed.region, listed.version);
            connected.signal();
        }
    }

    pub(super) fn remove(&mut self, env_id: EnvId) {
        self.left_out.clear(env_id);
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
        if self.missing.is_awaited()
            && (!self.knows(change) || self.missing.awaited(&self.regions(change)) > 0)
        {
            return false;
        }
        self.connected.is_empty()
            || change
                .environments
                .iter()
                .all(|env_id| match self.environments.get(env_id) {
                    Some(listed) if listed.version < change.version => false,
                    Some(_) if self.left_out.contains(*env_id) => true,
                    Some(_) => !self
                        .subscribers()
                        .any(|edge| edge.is_awaited(*env_id, change.version)),
                    None => {
                        self.removed.contains_key(env_id)
                            && !self.subscribers().any(|edge| edge.is_awaited_gone(*env_id))
                    }
                })
    }

    /// Whether a poll has found the change.
    pub(super) fn knows(&self, change: &Change) -> bool {
        change
            .environments
            .iter()
            .all(|env_id| match self.environments.get(env_id) {
                Some(listed) => listed.version >= change.version,
                None => self.removed.contains_key(env_id),
            })
    }

    /// The data regions of a change, as far as they are known.
    pub(super) fn regions(&self, change: &Change) -> Vec<&str> {
        let region = |env_id| match self.environments.get(env_id) {
            Some(listed) => Some(&*listed.region),
            None => self.removed.get(env_id)?.as_deref(),
        };
        change.environments.iter().filter_map(region).collect()
    }

    /// Marks the edges that a change did not reach as lagging, and returns their number.
    pub(super) fn give_up(&mut self, change: &Change) -> usize {
        let mut missed = self.missing.awaited(&self.regions(change));
        self.missing.give_up();
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
