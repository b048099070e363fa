//! Those who wait until edges serve a change.
//!
//! Whom a wait is pending for is worked out once, when it begins or when a poll finds the change. From then on each
//! event touches only the waits of its environment, and wakes only those that are over.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout},
};

use super::{
    Hub,
    left_out::LeftOut,
    listing::Listing,
    state::{Connected, State},
    subscriber::Subscriber,
};
use protocol::ids::EnvId;

use crate::Change;

/// Whom a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whom {
    /// The edges that keep up: a write without further wishes.
    KeepingUp,
    /// Everybody.
    All,
}

#[derive(Debug)]
struct Wait {
    change: Change,
    whom: Whom,
    /// The environments in which no poll has found the change yet.
    unknown: HashSet<EnvId>,
    /// The connections that it waits for, with the environment in which each is behind.
    pending: HashSet<(u64, EnvId)>,
    /// Of a wait that is followed: when each connection was no longer behind.
    served: Option<HashMap<u64, Instant>>,
    /// Somebody should see whether it is over.
    progress: Arc<Notify>,
}

/// All waits.
#[derive(Debug, Default)]
pub(super) struct Waits {
    by_id: HashMap<u64, Wait>,
    by_environment: HashMap<EnvId, Vec<u64>>,
    next: u64,
}

impl Wait {
    fn is_pending_for(
        &self,
        edge: &Subscriber,
        env_id: EnvId,
        listing: &Listing,
        left_out: &LeftOut,
    ) -> bool {
        // Nobody can be sent what is not known yet, or cannot be sent.
        if self.unknown.contains(&env_id) || left_out.contains(env_id) {
            return false;
        }
        let (version, listed) = (self.change.version, listing.get(env_id));
        match self.whom {
            Whom::KeepingUp if listed.is_none() => edge.is_awaited_gone(env_id),
            Whom::KeepingUp => edge.is_awaited(env_id, version, listed),
            Whom::All => edge.serves(env_id, version, listed) == Some(false),
        }
    }

    fn set(&mut self, id: u64, env_id: EnvId, is_pending: bool, at: Instant) {
        let has_changed = if is_pending {
            self.pending.insert((id, env_id))
        } else {
            self.pending.remove(&(id, env_id))
        };
        if let Some(served) = self.served.as_mut().filter(|_| has_changed) {
            if is_pending {
                served.remove(&id);
            } else {
                served.insert(id, at);
            }
            self.progress.notify_one();
        }
    }
}

impl Waits {
    /// One of the waits of an environment.
    fn nth(&self, env_id: EnvId, number: usize) -> Option<u64> {
        self.by_environment.get(&env_id)?.get(number).copied()
    }

    /// When a connection was seen to serve what a followed wait is for.
    pub(super) fn served_at(&self, id: u64, connection: u64) -> Option<Instant> {
        let served = self.by_id.get(&id)?.served.as_ref()?;
        served.get(&connection).copied()
    }

    pub(super) fn end(&mut self, id: u64) {
        let Some(wait) = self.by_id.remove(&id) else {
            return;
        };
        for env_id in &wait.change.environments {
            if let Some(ids) = self.by_environment.get_mut(env_id) {
                ids.retain(|other| *other != id);
                if ids.is_empty() {
                    self.by_environment.remove(env_id);
                }
            }
        }
    }

    /// Has all waits see whether they are over: for events that concern more than an environment or an edge.
    pub(super) fn wake_all(&self) {
        for wait in self.by_id.values() {
            wait.progress.notify_one();
        }
    }
}

impl State {
    pub(super) fn begin(&mut self, change: &Change, whom: Whom) -> (u64, Arc<Notify>) {
        let progress = Arc::new(Notify::new());
        let id = self.begin_with(change, whom, Arc::clone(&progress), None);
        (id, progress)
    }

    /// A wait for all edges that tells of each step, and when it was. `served` is what is known of before.
    pub(super) fn begin_followed(
        &mut self,
        change: &Change,
        served: HashMap<u64, Instant>,
        progress: Arc<Notify>,
    ) -> u64 {
        self.begin_with(change, Whom::All, progress, Some(served))
    }

    fn begin_with(
        &mut self,
        change: &Change,
        whom: Whom,
        progress: Arc<Notify>,
        served: Option<HashMap<u64, Instant>>,
    ) -> u64 {
        let id = self.waits.next;
        self.waits.next += 1;
        let unknown: HashSet<EnvId> = change.environments.iter().copied().collect();
        for env_id in &unknown {
            let waits = self.waits.by_environment.entry(*env_id).or_default();
            waits.push(id);
        }
        let wait = Wait {
            change: change.clone(),
            whom,
            unknown: unknown.clone(),
            pending: HashSet::new(),
            served,
            progress,
        };
        self.waits.by_id.insert(id, wait);
        for env_id in unknown {
            self.review_wait(id, env_id);
        }
        id
    }

    /// What is listed of an environment has changed: everything about it is worked out again.
    pub(super) fn review(&mut self, env_id: EnvId) {
        let mut number = 0;
        while let Some(id) = self.waits.nth(env_id, number) {
            self.review_wait(id, env_id);
            number += 1;
        }
    }

    /// Everything that is listed has changed.
    pub(super) fn review_all(&mut self) {
        let environments: Vec<EnvId> = self.waits.by_environment.keys().copied().collect();
        for env_id in environments {
            self.review(env_id);
        }
    }

    fn review_wait(&mut self, id: u64, env_id: EnvId) {
        let Some(version) = self.waits.by_id.get(&id).map(|wait| wait.change.version) else {
            return;
        };
        let is_known = self.knows(env_id, version);
        let Some(wait) = self.waits.by_id.get_mut(&id) else {
            return;
        };
        if is_known {
            wait.unknown.remove(&env_id);
        } else {
            wait.unknown.insert(env_id);
        }
        for (connection, connected) in &self.connected {
            let edge = &connected.subscriber;
            let is_pending = wait.is_pending_for(edge, env_id, &self.listing, &self.left_out);
            wait.set(*connection, env_id, is_pending, Instant::now());
        }
        self.wake_if_over(id);
    }

    /// Something has changed between an edge and an environment.
    pub(super) fn review_at(&mut self, connection: u64, env_id: EnvId) {
        let mut number = 0;
        while let Some(id) = self.waits.nth(env_id, number) {
            self.review_one(id, connection, env_id);
            number += 1;
        }
    }

    /// An edge has come.
    pub(super) fn review_edge(&mut self, connection: u64) {
        let waits: Vec<(u64, Vec<EnvId>)> = self
            .waits
            .by_id
            .iter()
            .map(|(id, wait)| (*id, wait.change.environments.clone()))
            .collect();
        for (id, environments) in waits {
            for env_id in environments {
                self.review_one(id, connection, env_id);
            }
        }
    }

    fn review_one(&mut self, id: u64, connection: u64, env_id: EnvId) {
        let Some(wait) = self.waits.by_id.get_mut(&id) else {
            return;
        };
        let is_pending = self.connected.get(&connection).is_some_and(|connected| {
            let edge = &connected.subscriber;
            wait.is_pending_for(edge, env_id, &self.listing, &self.left_out)
        });
        let at = self.recent.acknowledged_at(env_id, connection);
        wait.set(connection, env_id, is_pending, at);
        self.wake_if_over(id);
    }

    /// Edges have left: nobody waits for them any more.
    pub(super) fn review_leaving(&mut self) {
        for wait in self.waits.by_id.values_mut() {
            wait.pending
                .retain(|(connection, _)| self.connected.contains_key(connection));
        }
        self.waits.wake_all();
    }

    fn wake_if_over(&self, id: u64) {
        let Some(wait) = self.waits.by_id.get(&id) else {
            return;
        };
        // An edge that is connected twice may be behind with one connection, and no longer be waited for all the same.
        if wait.unknown.is_empty() && (wait.pending.is_empty() || self.twins > 0) {
            wait.progress.notify_one();
        }
    }

    pub(super) fn is_over(&self, id: u64) -> bool {
        let Some(wait) = self.waits.by_id.get(&id) else {
            return true;
        };
        let is_known = wait.unknown.is_empty();
        match wait.whom {
            Whom::KeepingUp if self.missing.is_awaited() => {
                let missing = self.missing.awaited(&self.regions(&wait.change));
                is_known && missing == 0 && wait.pending.is_empty()
            }
            Whom::KeepingUp => {
                self.connected.is_empty()
                    || ((is_known || self.is_blind) && wait.pending.is_empty())
            }
            Whom::All => {
                let regions = self.regions(&wait.change);
                let mut missing = self.missing.concerned(&regions, Instant::now());
                is_known && missing.next().is_none() && self.is_served_by_twins(wait)
            }
        }
    }

    /// Whether all edges that a wait is pending for serve its change by another connection.
    fn is_served_by_twins(&self, wait: &Wait) -> bool {
        let behind: HashSet<u64> = wait.pending.iter().map(|(id, _)| *id).collect();
        let names = behind.iter().filter_map(|id| self.name(*id));
        names.into_iter().all(|name| {
            let serves = |(id, connected): (&u64, &Connected)| {
                connected.identity.name == name
                    && !behind.contains(id)
                    && self.has_part(connected, &wait.change)
            };
            self.connected.iter().any(serves)
        })
    }

    fn name(&self, connection: u64) -> Option<&str> {
        let connected = self.connected.get(&connection)?;
        Some(&connected.identity.name)
    }

    /// Nobody waits any more for the edges that a wait is pending for, as far as its environments go. Returns their number. Writes
    /// in other environments, which these edges may serve at once, go on waiting for them.
    pub(super) fn give_up(&mut self, id: u64) -> usize {
        let Some(wait) = self.waits.by_id.get(&id) else {
            return 0;
        };
        let missing = self.missing.awaited(&self.regions(&wait.change));
        let is_blind = !wait.unknown.is_empty();
        let pending: Vec<(u64, EnvId)> = wait.pending.iter().copied().collect();
        for (connection, env_id) in &pending {
            if let Some(connected) = self.connected.get_mut(connection) {
                let listed = self.listing.get(*env_id);
                connected.subscriber.give_up(*env_id, listed);
            }
            self.review_at(*connection, *env_id);
        }
        if missing > 0 || is_blind {
            // This concerns all who wait.
            if missing > 0 {
                self.missing.give_up();
            }
            self.is_blind |= is_blind;
            self.waits.wake_all();
        }
        let behind: HashSet<u64> = pending.iter().map(|(id, _)| *id).collect();
        behind.len() + missing
    }
}

/// A wait, until dropped.
#[derive(Debug)]
pub(super) struct Waiting<'a> {
    hub: &'a Hub,
    id: u64,
    progress: Arc<Notify>,
}

impl<'a> Waiting<'a> {
    pub(super) fn begin(hub: &'a Hub, change: &Change, whom: Whom) -> Self {
        let (id, progress) = hub.state().begin(change, whom);
        Self { hub, id, progress }
    }

    async fn over(&self) {
        loop {
            let end = {
                let state = self.hub.state();
                if state.is_over(self.id) {
                    return;
                }
                state.missing.next_end(Instant::now())
            };
            let end = async {
                match end {
                    Some(end) => sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                // Keeps what was notified before.
                () = self.progress.notified() => {}
                () = end => {}
            }
        }
    }

    /// Returns whether the wait was over in time.
    pub(super) async fn at_most(&self, patience: Duration) -> bool {
        timeout(patience, self.over()).await.is_ok()
    }

    /// No longer waits for those that are behind. Returns how many they are.
    pub(super) fn give_up(&self) -> usize {
        self.hub.state().give_up(self.id)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.hub.state().waits.end(self.id);
    }
}
