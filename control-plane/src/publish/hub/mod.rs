//! Which edges are connected, what each holds, and how far a change has propagated.
//!
//! The publisher's polls of the database say which environments exist and at which version; sessions take from here
//! what their edge is owed and report what it acknowledged; writes wait here for the edges. Everything is under one
//! lock that is held only briefly and never across an await. Contents are made elsewhere, by the first session that
//! sends them.

mod fleet;
mod flush;
mod holding;
mod left_out;
mod listing;
mod missing;
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
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

pub use self::regions::{Interest, Regions};
pub(super) use self::{
    fleet::Identity,
    flush::Flushes,
    listing::{ListedEnvironment, Sighting},
    subscriber::Work,
    subscription::{Ended, Subscription},
};
use self::{
    state::{Connected, State},
    subscriber::Subscriber,
    subscription::Signals,
};
use super::version::Change;
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
        state.missing.found(&identity.name);
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
        drop(state);
        self.progress.send_replace(());
        Subscription::new(id, Arc::clone(self), signals)
    }

    /// Waits until what somebody waits for may have come.
    async fn progressed(&self, progress: &mut watch::Receiver<()>) {
        let end = self.state().missing.next_end(Instant::now());
        let end = async {
            match end {
                Some(end) => sleep_until(end).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // The hub keeps the sender.
            _ = progress.changed() => {}
            () = end => {}
        }
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

    /// Takes something from a subscriber's queues, except what is left out.
    fn take(&self, id: u64, take: fn(&mut Subscriber) -> Option<Work>) -> Option<Work> {
        let mut state = self.state();
        let State {
            connected,
            left_out,
            ..
        } = &mut *state;
        let connected = connected.get_mut(&id)?;
        let taken = loop {
            match take(&mut connected.subscriber) {
                Some(Work::Contents { env_id, .. }) if left_out.contains(env_id) => {
                    connected.subscriber.put_back(env_id);
                }
                taken => break taken,
            }
        };
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

    /// How many edges are connected, the built-in one included.
    pub(super) fn count(&self) -> usize {
        self.state().connected.len()
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
                self.progressed(&mut progress).await;
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

#[cfg(test)]
mod tests;
