//! Which edges are connected, what each holds, and how far a change has propagated.
//!
//! The publisher's polls of the database say which environments exist and at which version; sessions take from here
//! what their edge is owed and report what it acknowledged; writes wait here for the edges. Everything is under one
//! lock that is held only briefly and never across an await. Contents are made elsewhere, by the first session that
//! sends them.

mod fleet;
mod flush;
mod holding;
mod regions;
mod state;
mod subscriber;
mod subscription;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::snapshot::{KeyHash, Version};
use tokio::sync::watch;

pub use self::regions::{Interest, Regions};
pub(super) use self::{
    fleet::Identity,
    flush::Flushes,
    subscriber::Work,
    subscription::{Ended, Subscription},
};
use self::{
    state::{Connected, State},
    subscriber::Subscriber,
    subscription::Signals,
};
use super::{store::Seen, version::Change};
use crate::ids::EnvId;

/// SHA-256 of an edge's certificate.
pub type Fingerprint = [u8; 32];

#[derive(Debug, Default)]
pub(super) struct Hub {
    state: Mutex<State>,
    /// Notified whenever a wait may be over.
    progress: watch::Sender<()>,
}

impl Hub {
    /// The lock protects plain bookkeeping; a panic while it is held leaves nothing that the next poll does not repair.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies the result of a poll. Returns the environments whose version rose, with their previous version.
    pub(super) fn see(&self, seen: &[Seen]) -> Vec<(EnvId, Version)> {
        let mut state = self.state();
        let mut raised = Vec::new();
        for seen in seen {
            match seen {
                Seen::Environment {
                    env_id,
                    version,
                    region,
                } => {
                    if let Some(before) = state.list(*env_id, *version, region) {
                        raised.push((*env_id, before));
                    }
                }
                Seen::Removed { env_id } => state.remove(*env_id),
            }
        }
        drop(state);
        self.progress.send_replace(());
        raised
    }

    /// Applies a poll of everything: what is not in it is gone.
    pub(super) fn see_all(&self, seen: &[Seen]) -> Vec<(EnvId, Version)> {
        let present: HashSet<EnvId> = seen.iter().filter_map(Seen::present).collect();
        let mut state = self.state();
        let missing: Vec<EnvId> = state
            .environments
            .keys()
            .filter(|env_id| !present.contains(env_id))
            .copied()
            .collect();
        missing.into_iter().for_each(|env_id| state.remove(env_id));
        // The database forgets removals too; a poll of everything names those that still matter.
        state.removed.clear();
        drop(state);
        self.see(seen)
    }

    /// Forgets all environments and ends all sessions: what was known belongs to another history.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        state.environments.clear();
        state.removed.clear();
        for connected in state.connected.values() {
            connected.signals.end(Ended::EpochChanged);
        }
    }

    /// Environments that belong to an edge.
    pub(super) fn belonging(
        &self,
        regions: &Regions,
        interest: Interest,
        named: &[EnvId],
    ) -> Vec<EnvId> {
        let state = self.state();
        let allowed = |env_id: &EnvId| {
            state
                .environments
                .get(env_id)
                .is_some_and(|listed| regions.allow(&listed.region))
        };
        match interest {
            Interest::All => state.environments.keys().copied().filter(allowed).collect(),
            Interest::Named => named.iter().copied().filter(allowed).collect(),
        }
    }

    /// Connects an edge that holds the given versions of the environments that belong to it.
    pub(super) fn subscribe(
        self: &Arc<Self>,
        regions: Regions,
        interest: Interest,
        fingerprint: Option<Fingerprint>,
        identity: Identity,
        belonging: &[(EnvId, Option<Version>)],
    ) -> Subscription {
        let mut subscriber = Subscriber::new(regions, interest);
        let mut state = self.state();
        for (env_id, held) in belonging {
            subscriber.greet(*env_id, *held);
            // Deleted while the greeting was being prepared.
            if !state.environments.contains_key(env_id) {
                subscriber.hear_gone(*env_id);
            }
        }
        for (env_id, listed) in &state.environments {
            subscriber.hear(*env_id, &listed.region, listed.version);
        }
        let signals = Arc::new(Signals::default());
        let id = state.next;
        state.next += 1;
        state.connected.insert(
            id,
            Connected {
                subscriber,
                signals: Arc::clone(&signals),
                fingerprint,
                identity,
                flush: None,
            },
        );
        Subscription::new(id, Arc::clone(self), signals)
    }

    fn unsubscribe(&self, id: u64) {
        self.state().connected.remove(&id);
        self.progress.send_replace(());
    }

    /// Runs `work` on one subscriber with the environment's current version, then wakes those who may proceed. `None`
    /// if the subscriber is gone.
    fn with<T>(
        &self,
        id: u64,
        env_id: EnvId,
        work: impl FnOnce(&mut Subscriber, Option<Version>) -> T,
    ) -> Option<T> {
        let mut state = self.state();
        let current = state.environments.get(&env_id).map(|listed| listed.version);
        let connected = state.connected.get_mut(&id)?;
        let result = work(&mut connected.subscriber, current);
        connected.signal();
        drop(state);
        self.progress.send_replace(());
        Some(result)
    }

    /// Takes something from a subscriber's queues.
    fn take<T>(&self, id: u64, take: impl FnOnce(&mut Subscriber) -> Option<T>) -> Option<T> {
        let mut state = self.state();
        let connected = state.connected.get_mut(&id)?;
        let taken = take(&mut connected.subscriber);
        connected.signal();
        taken
    }

    /// Adds an environment to what an edge wants, if it is known and within the edge's regions.
    fn name(&self, id: u64, env_id: EnvId) {
        let mut state = self.state();
        let Some(listed) = state.environments.get(&env_id).cloned() else {
            return;
        };
        if let Some(connected) = state.connected.get_mut(&id)
            && connected.subscriber.regions().allow(&listed.region)
        {
            connected.subscriber.name(env_id);
            connected
                .subscriber
                .hear(env_id, &listed.region, listed.version);
            connected.signal();
        }
    }

    /// Waits until an environment is known.
    async fn listed(&self, env_id: EnvId) {
        let mut progress = self.progress.subscribe();
        while self.version(env_id).is_none() {
            if progress.changed().await.is_err() {
                return;
            }
        }
    }

    /// Accepts that an on-demand edge serves an environment unexpectedly: it was in flight when the edge dropped it.
    fn adopt(&self, id: u64, env_id: EnvId, version: Version) {
        let mut state = self.state();
        let Some(listed) = state.environments.get(&env_id).cloned() else {
            return;
        };
        if let Some(connected) = state.connected.get_mut(&id) {
            connected
                .subscriber
                .adopt(env_id, &listed.region, version, listed.version);
            connected.signal();
        }
    }

    /// An on-demand edge dropped an environment.
    fn forget_at(&self, id: u64, env_id: EnvId) {
        self.with(id, env_id, |edge, _| edge.forget(env_id));
    }

    /// The environments that any edge holds or awaits.
    pub(super) fn held(&self) -> HashSet<EnvId> {
        let state = self.state();
        state
            .connected
            .values()
            .flat_map(|connected| connected.subscriber.environments())
            .collect()
    }

    /// The version of an environment, if it is known.
    pub(super) fn version(&self, env_id: EnvId) -> Option<Version> {
        self.state()
            .environments
            .get(&env_id)
            .map(|listed| listed.version)
    }

    /// Whether any edge looks up keys that it does not know.
    pub(super) fn has_edges_on_demand(&self) -> bool {
        self.state()
            .connected
            .values()
            .any(|connected| connected.subscriber.interest() == Interest::Named)
    }

    /// Notifies on-demand edges that negative answers about new keys may no longer hold.
    pub(super) fn tell_new_keys(&self, keys: &[(EnvId, KeyHash)]) {
        let state = self.state();
        for connected in state.connected.values() {
            if connected.subscriber.interest() == Interest::All {
                continue;
            }
            for (env_id, hash) in keys {
                let listed = state.environments.get(env_id);
                if listed.is_some_and(|listed| connected.subscriber.regions().allow(&listed.region))
                {
                    connected.signals.new_key(*hash);
                }
            }
        }
    }

    /// Certificates of the connected edges.
    pub(super) fn fingerprints(&self) -> Vec<Fingerprint> {
        self.state()
            .connected
            .values()
            .filter_map(|connected| connected.fingerprint)
            .collect()
    }

    /// Ends the sessions of a certificate.
    pub(super) fn end(&self, fingerprint: &Fingerprint, ended: Ended) {
        for connected in self.state().connected.values() {
            if connected.fingerprint.as_ref() == Some(fingerprint) {
                connected.signals.end(ended);
            }
        }
    }

    /// Waits until every connected edge serves the change, at most for `patience`. An edge that missed it is not waited
    /// for again until it acknowledges something.
    pub(super) async fn reached(&self, change: &Change, patience: Duration) {
        let mut progress = self.progress.subscribe();
        let all = async {
            while !self.state().is_reached(change) {
                if progress.changed().await.is_err() {
                    return;
                }
            }
        };
        if tokio::time::timeout(patience, all).await.is_err() {
            let missed = self.state().give_up(change);
            metrics::counter!("halyard_snapshot_waits_missed_total").increment(1);
            tracing::debug!(
                version = change.version,
                edges = missed,
                "a write did not wait for all edges"
            );
        }
    }
}
