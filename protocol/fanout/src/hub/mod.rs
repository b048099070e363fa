//! Which edges are connected, what each holds, and how far a change has propagated.
//!
//! The source says which environments exist and at which version, as it finds out by polls of the database or from its own
//! upstream; sessions take from here what their edge is owed and report what it acknowledged; writes wait here for the edges. Everything is under one
//! lock that is held only briefly and never across an await. Contents are made elsewhere, by the first session that
//! sends them.
//!
//! Nothing that happens again and again costs edges × environments. What polls found is one `listing` for all edges;
//! an edge (`subscriber`) keeps where it differs from that, and counts it. A change is offered to each edge once, and
//! from then on what an edge says costs the same however many there are: it reaches only the `waits` of its environment.

mod below;
mod fleet;
mod flush;
mod following;
mod holding;
mod left_out;
mod listing;
mod lock;
mod missing;
mod questions;
mod recent;
mod regions;
mod slots;
mod state;
mod subscriber;
mod subscription;
mod waits;

use std::{collections::HashSet, sync::Arc, time::Duration};

use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    wire::relay::{Fingerprint, Refusal},
};
use tokio::sync::{Notify, watch};

use self::{
    below::Below,
    listing::{AT_ONCE, Listed},
    lock::{Held, Lock},
    state::Connected,
    subscriber::{Audience, Subscriber},
    subscription::Signals,
    waits::{Waiting, Whom},
};
pub use self::{
    fleet::Identity,
    flush::Flushes,
    following::Following,
    listing::{Seen, Sighting},
    lock::HeldFor,
    regions::{Interest, Regions},
    subscription::{Ended, Subscription},
};
pub(crate) use self::{listing::ListedEnvironment, subscriber::Work};

/// A change that edges have to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The version that was drawn for it.
    pub version: Version,
    /// The environments that carry it.
    pub environments: Vec<EnvId>,
}

/// What knows the connected edges.
#[derive(Debug, Default)]
pub struct Hub {
    lock: Lock,
    /// Notified of each poll.
    polled: watch::Sender<()>,
    /// Notified when an edge comes or goes.
    roster: Notify,
}

impl Hub {
    fn state(&self) -> Held<'_> {
        self.lock.hold()
    }

    /// For how long the lock was held since the last call.
    pub fn lock_held_for(&self) -> HeldFor {
        self.lock.held_for()
    }

    /// Connects an edge that holds the given versions of the environments that belong to it.
    pub(crate) fn subscribe(
        self: &Arc<Self>,
        regions: Regions,
        interest: Interest,
        fingerprint: Option<Fingerprint>,
        identity: Identity,
        belonging: &[(EnvId, Option<Version>)],
    ) -> Subscription {
        let signals = Arc::new(Signals::default());
        let mut state = self.state();
        let subscriber = Subscriber::greet(regions, interest, belonging, &state.listing);
        let id = state.next;
        state.next += 1;
        state.missing.found(&identity.name);
        let connected = Connected {
            subscriber,
            signals: Arc::clone(&signals),
            fingerprint,
            below: identity.is_relay.then(Below::default),
            identity,
            flush: None,
        };
        state.connected.insert(id, connected);
        state.count_twins();
        state.review_edge(id);
        // Somebody may have waited for just this edge.
        state.waits.wake_all();
        drop(state);
        self.roster.notify_one();
        Subscription::new(id, Arc::clone(self), signals)
    }

    fn unsubscribe(&self, id: u64) {
        let mut state = self.state();
        if let Some(connected) = state.connected.remove(&id) {
            state.count_twins();
            state.flushes_no_more(connected.flush);
            state.questions.answered_no_more(id);
            state.review_leaving();
            self.roster.notify_one();
        }
    }

    /// Runs `work` on one subscriber with what is listed of the environment, then wakes those who may proceed. `None`
    /// if the subscriber is gone.
    fn with<T>(
        &self,
        id: u64,
        env_id: EnvId,
        work: impl FnOnce(&mut Subscriber, Option<&Listed>) -> T,
    ) -> Option<T> {
        self.state().with(id, env_id, work)
    }

    /// Waits until an environment is known.
    async fn listed(&self, env_id: EnvId) {
        let mut polled = self.polled.subscribe();
        while self.version(env_id).is_none() {
            if polled.changed().await.is_err() {
                return;
            }
        }
    }

    /// The environments that any edge holds or awaits. Gathered little by little, while others take the lock too.
    pub fn held(&self) -> HashSet<EnvId> {
        let ids: Vec<u64> = self.state().connected.keys().copied().collect();
        let mut audience = Audience::default();
        for id in ids {
            if let Some(connected) = self.state().connected.get(&id) {
                audience.join(&connected.subscriber);
            }
        }
        let slots = self.state().listing.slots();
        let mut held = HashSet::new();
        for first in (0..slots).step_by(AT_ONCE) {
            let state = self.state();
            for slot in first..slots.min(first + AT_ONCE) {
                let env_id = u32::try_from(slot)
                    .ok()
                    .and_then(|slot| state.listing.at(slot));
                let listed = env_id.and_then(|env_id| Some((env_id, state.listing.get(env_id)?)));
                if let Some((env_id, listed)) = listed
                    && audience.wants(env_id, listed)
                {
                    held.insert(env_id);
                }
            }
        }
        held
    }

    /// The version of an environment, if it is known.
    pub fn version(&self, env_id: EnvId) -> Option<Version> {
        let state = self.state();
        state.listing.get(env_id).map(|listed| listed.version)
    }

    /// Whether an environment is one of these regions, as far as it is known.
    pub fn is_within(&self, env_id: EnvId, regions: &Regions) -> bool {
        let state = self.state();
        let listed = state.listing.get(env_id);
        listed.is_some_and(|listed| regions.allow(&listed.region))
    }

    /// Those of some things whose environments an edge of these regions may hold.
    pub fn within<T: Clone>(
        &self,
        all: &[T],
        env_id: impl Fn(&T) -> EnvId,
        regions: &Regions,
    ) -> Vec<T> {
        let state = self.state();
        let is_within = |one: &&T| {
            let listed = state.listing.get(env_id(one));
            listed.is_some_and(|listed| regions.allow(&listed.region))
        };
        all.iter().filter(is_within).cloned().collect()
    }

    /// How many edges are connected, the built-in one included.
    pub fn count(&self) -> usize {
        self.state().connected.len()
    }

    /// How many edges are connected, here and below relays.
    pub fn count_all(&self) -> usize {
        let state = self.state();
        let connected = state.connected.values();
        connected.map(|connected| connected.names().count()).sum()
    }

    /// Whether any edge looks up keys that it does not know, itself or for edges below it.
    pub fn has_edges_on_demand(&self) -> bool {
        self.state()
            .connected
            .values()
            .any(Connected::asks_for_keys)
    }

    /// Notifies on-demand edges that negative answers about new keys may no longer hold.
    pub fn tell_new_keys(&self, keys: &[(EnvId, KeyHash)]) {
        let state = self.state();
        for connected in state.connected.values() {
            if !connected.asks_for_keys() {
                continue;
            }
            for (env_id, hash) in keys {
                let listed = state.listing.get(*env_id);
                if listed.is_some_and(|listed| connected.subscriber.regions().allow(&listed.region))
                {
                    connected.signals.new_key(*hash);
                }
            }
        }
    }

    /// Certificates of the connected edges, and of those below relays.
    pub fn fingerprints(&self) -> Vec<Fingerprint> {
        let state = self.state();
        let mut fingerprints = Vec::new();
        for connected in state.connected.values() {
            fingerprints.extend(connected.fingerprint);
            fingerprints.extend(connected.below.iter().flat_map(Below::certificates));
        }
        fingerprints
    }

    /// Ends the sessions of a certificate that is no longer accepted, here and at relays.
    pub fn refuse(&self, fingerprint: &Fingerprint, refusal: Refusal) {
        for connected in self.state().connected.values() {
            if connected.fingerprint.as_ref() == Some(fingerprint) {
                connected.signals.end(Ended::Refused(refusal));
            }
            below::dismiss(connected, fingerprint, refusal);
        }
    }

    /// Waits until every connected edge serves the change, at most for `patience`. An edge that missed it is not waited
    /// for again in these environments until it acknowledges something of them.
    pub async fn reached(&self, change: &Change, patience: Duration) {
        let waiting = Waiting::begin(self, change, Whom::KeepingUp);
        if !waiting.at_most(patience).await {
            let missed = waiting.give_up();
            metrics::counter!("halyard_snapshot_waits_missed_total").increment(1);
            tracing::debug!(
                version = change.version,
                edges = missed,
                "a write did not wait for all edges"
            );
        }
    }
}

#[cfg(test)]
mod tests;
