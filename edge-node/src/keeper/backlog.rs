//! What waits to be written, shared by the threads that report changes and the one that writes them.

use std::{collections::BTreeSet, mem, time::Duration};

use parking_lot::{Condvar, Mutex};
use protocol::ids::EnvId;

use super::{
    Change,
    waiting::{Waiting, Work},
};
use crate::{
    cache::coalesce,
    usage::{BatchId, Upkeep},
};

/// The changes that wait, and what was said to the thread that writes them.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Waiting,
    /// The certificate of the latest connection, and whether the control plane has greeted on it.
    certificate: Option<([u8; 32], bool)>,
    is_stopped: bool,
    is_finished: bool,
}

impl Backlog {
    pub(super) fn add(&self, env_id: EnvId, change: Change) {
        let mut state = self.state.lock();
        if !state.is_finished {
            state.waiting.add(env_id, change);
            self.changed.notify_all();
        }
    }

    /// Adds a removal, unless something newer waits for the environment.
    pub(super) fn remove(&self, env_id: EnvId) {
        let mut state = self.state.lock();
        if !state.waiting.has(env_id) {
            state.waiting.add(env_id, Change::Removed);
        }
    }

    pub(super) fn add_usage(&self, upkeep: Upkeep) {
        let mut state = self.state.lock();
        if !state.is_finished {
            state.waiting.add_usage(upkeep);
            self.changed.notify_all();
        }
    }

    /// Tells which batches of usage are on disk.
    pub(super) fn set_usage_on_disk(&self, found: BTreeSet<BatchId>) {
        self.state.lock().waiting.set_usage_on_disk(found);
    }

    /// Waits up to `patience` until there is something, and takes all of it; `None` once stopped and everything is
    /// written.
    pub(super) fn take(&self, patience: Duration) -> Option<Work> {
        let mut state = self.state.lock();
        let has_to_wait = |state: &mut State| state.waiting.is_empty() && !state.is_stopped;
        self.changed
            .wait_while_for(&mut state, has_to_wait, patience);
        if state.waiting.is_empty() && state.is_stopped {
            return None;
        }
        Some(state.waiting.take())
    }

    /// What was taken is on disk.
    pub(super) fn written(&self, work: &Work) {
        self.state.lock().waiting.written(work);
    }

    /// Puts back what could not be written; it is older than what was added since.
    pub(super) fn put_back(&self, work: Work) {
        self.state.lock().waiting.put_back(work);
    }

    /// Merges the changes of environments for which more than 64 wait, so that they do not grow for as long as the disk fails.
    pub(super) fn coalesce(&self) {
        // Not under the lock: whoever reports a change does not wait for this.
        let mut work = self.state.lock().waiting.take_many(64);
        for (env_id, changes) in &mut work.environments {
            *changes = coalesce(*env_id, mem::take(changes));
        }
        self.put_back(work);
    }

    /// Those of `environments` about which nothing waits.
    pub(super) fn without_waiting(&self, environments: &BTreeSet<EnvId>) -> BTreeSet<EnvId> {
        let state = self.state.lock();
        let left = environments.iter().copied();
        left.filter(|env_id| !state.waiting.has(*env_id)).collect()
    }

    /// Tells with which certificate a connection is made.
    pub(super) fn connecting(&self, certificate: [u8; 32]) {
        self.state.lock().certificate = Some((certificate, false));
    }

    /// Tells that the control plane has greeted.
    pub(super) fn greeted(&self) {
        if let Some((_, is_greeted)) = &mut self.state.lock().certificate {
            *is_greeted = true;
        }
    }

    /// The certificate under which the control plane has greeted last, if that was on the latest connection.
    pub(super) fn certificate(&self) -> Option<[u8; 32]> {
        let (certificate, is_greeted) = self.state.lock().certificate?;
        is_greeted.then_some(certificate)
    }

    pub(super) fn stop(&self) {
        self.state.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// Records that nothing will be taken any more.
    pub(super) fn finish(&self) {
        let mut state = self.state.lock();
        state.is_finished = true;
        state.waiting = Waiting::default();
        self.changed.notify_all();
    }

    /// Waits up to `pause`, and returns whether the backlog was stopped.
    pub(super) fn is_stopped_within(&self, pause: Duration) -> bool {
        self.waits_for(pause, |state| state.is_stopped)
    }

    /// Waits up to `patience`, and returns whether nothing will be taken any more.
    pub(super) fn is_finished_within(&self, patience: Duration) -> bool {
        self.waits_for(patience, |state| state.is_finished)
    }

    fn waits_for(&self, patience: Duration, is_it: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state.lock();
        self.changed
            .wait_while_for(&mut state, |state| !is_it(state), patience);
        is_it(&state)
    }
}
