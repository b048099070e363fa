//! What the hub keeps under its lock.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use protocol::snapshot::{Digest, Version};
use tokio::time::Instant;

use super::{
    Fingerprint, Identity,
    below::Below,
    flush::Requests,
    left_out::LeftOut,
    listing::{Listed, Listing},
    missing::Missing,
    questions::Questions,
    recent::Recent,
    subscriber::{Subscriber, Work},
    subscription::Signals,
    waits::Waits,
};
use protocol::ids::EnvId;

use crate::Change;

/// A connected edge.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) subscriber: Subscriber,
    pub(super) signals: Arc<Signals>,
    /// `None` for the built-in edge.
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) identity: Identity,
    /// What is below it, if it is a relay.
    pub(super) below: Option<Below>,
    /// The last request to flush that it answered; `None` until it listens for them.
    pub(super) flush: Option<u64>,
}

/// An environment that is gone.
#[derive(Debug)]
pub(super) struct Gone {
    /// Its region, if it was known.
    region: Option<Arc<str>>,
    since: Instant,
}

/// Everything that the hub knows.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) listing: Listing,
    /// Known to be gone, as opposed to not known yet, as long as somebody may wait for that.
    pub(super) removed: HashMap<EnvId, Gone>,
    pub(super) left_out: LeftOut,
    pub(super) connected: HashMap<u64, Connected>,
    pub(super) missing: Missing,
    pub(super) waits: Waits,
    pub(super) recent: Recent,
    /// Whether a write has waited in vain for a poll to find it; none does until the next poll.
    pub(super) is_blind: bool,
    pub(super) requests: Requests,
    pub(super) questions: Questions,
    pub(super) next: u64,
    /// Connections of edges that have another one too: an old one that has not noticed yet.
    pub(super) twins: usize,
}

/// What a poll says about an environment, compared with what was known.
pub(super) enum Heard {
    /// It is newer than this version, or new.
    Raised(Version),
    /// It is older than what was known, which cannot be within one history.
    Lowered,
    /// It has other contents than what was known at this version, which cannot be either.
    Contradicted,
    Same,
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
        let before = self.listing.get_mut(env_id);
        let heard = match &before {
            Some(before) if version < before.version => Heard::Lowered,
            Some(before) if version > before.version => Heard::Raised(before.version),
            Some(before) if before.is_contradicted_by(digest) => Heard::Contradicted,
            Some(_) => Heard::Same,
            None => Heard::Raised(0),
        };
        if let Some(before) = before {
            if matches!(heard, Heard::Lowered | Heard::Contradicted) {
                before.is_doubtful = true;
                self.review(env_id);
                return heard;
            }
            // Overlapping polls may find the same twice.
            if before.version == version && before.region == *region && !before.is_doubtful {
                before.digest = before.digest.or(digest);
                return heard;
            }
        }
        let known = self
            .listing
            .get(env_id)
            .filter(|known| known.version == version);
        let digest = known.and_then(|known| known.digest).or(digest);
        let before = self.listing.insert(env_id, version, region, digest);
        self.left_out.clear(env_id);
        self.recent.note(env_id, version, None);
        self.offer(env_id, before.as_ref());
        heard
    }

    /// Offers an environment to the subscribers. It was listed as `before` until now.
    pub(super) fn offer(&mut self, env_id: EnvId, before: Option<&Listed>) {
        let Some(now) = self.listing.get(env_id) else {
            return;
        };
        for connected in self.connected.values_mut() {
            connected.subscriber.list(env_id, before, now);
            connected.signal();
        }
        self.review(env_id);
    }

    pub(super) fn remove(&mut self, env_id: EnvId) {
        self.left_out.clear(env_id);
        let before = self.listing.remove(env_id);
        let gone = self.removed.entry(env_id).or_insert_with(|| Gone {
            region: None,
            since: Instant::now(),
        });
        // Polls find a removal again and again. Nobody holds what is not listed, without knowing that it is gone.
        if let Some(before) = before {
            gone.region = Some(Arc::clone(&before.region));
            for connected in self.connected.values_mut() {
                connected.subscriber.unlist(env_id, Some(&before), None);
                connected.signal();
            }
        }
        self.review(env_id);
    }

    /// The data region of an environment that is gone, if both are known.
    pub(super) fn region_of_removed(&self, env_id: EnvId) -> Option<&str> {
        self.removed.get(&env_id)?.region.as_deref()
    }

    /// Forgets what went so long ago that nobody waits for it any more.
    pub(super) fn forget_removed(&mut self) {
        // Longer than anybody waits for edges.
        self.removed
            .retain(|_, gone| gone.since.elapsed() < Duration::from_secs(300));
    }

    /// Runs `work` on one subscriber with what is listed of the environment, and tells those who wait for it. `None` if
    /// the subscriber is gone.
    pub(super) fn with<T>(
        &mut self,
        id: u64,
        env_id: EnvId,
        work: impl FnOnce(&mut Subscriber, Option<&Listed>) -> T,
    ) -> Option<T> {
        let connected = self.connected.get_mut(&id)?;
        let result = work(&mut connected.subscriber, self.listing.get(env_id));
        connected.signal();
        self.review_at(id, env_id);
        Some(result)
    }

    /// Takes something from a subscriber's queues, except what is put off.
    pub(super) fn take(
        &mut self,
        id: u64,
        take: fn(&mut Subscriber, &Listing) -> Option<Work>,
    ) -> Option<Work> {
        let connected = self.connected.get_mut(&id)?;
        let edge = &mut connected.subscriber;
        let taken = loop {
            match take(edge, &self.listing) {
                Some(Work::Contents { env_id, .. }) if self.left_out.is_put_off(env_id) => {
                    edge.put_back(env_id, self.listing.get(env_id));
                }
                taken => break taken,
            }
        };
        connected.signal();
        if let Some(work) = taken
            && connected.subscriber.is_starting(work.env_id())
        {
            self.review_at(id, work.env_id());
        }
        taken
    }

    /// Records the version that what was taken leads to.
    pub(super) fn send(&mut self, id: u64, env_id: EnvId, version: Version) {
        if let Some(connected) = self.connected.get_mut(&id) {
            connected.subscriber.send(env_id, version);
            if connected.subscriber.is_starting(env_id) {
                self.review_at(id, env_id);
            }
        }
    }

    pub(super) fn count_twins(&mut self) {
        let names = self
            .connected
            .values()
            .map(|connected| connected.identity.name.as_str());
        self.twins = self.connected.len() - names.collect::<HashSet<_>>().len();
    }

    /// Whether a poll has found the change in an environment.
    pub(super) fn knows(&self, env_id: EnvId, version: Version) -> bool {
        match self.listing.get(env_id) {
            Some(listed) => listed.version >= version && !listed.is_doubtful,
            None => self.removed.contains_key(&env_id),
        }
    }

    /// The data regions of a change, as far as they are known.
    pub(super) fn regions(&self, change: &Change) -> Vec<&str> {
        let region = |env_id: &EnvId| match self.listing.get(*env_id) {
            Some(listed) => Some(&*listed.region),
            None => self.region_of_removed(*env_id),
        };
        change.environments.iter().filter_map(region).collect()
    }
}
