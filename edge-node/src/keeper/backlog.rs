//! What waits to be written to the cache, merged where possible and bounded.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{ids::EnvId, wire::usage::UsageBatch};

use super::Change;
use crate::usage::{BatchId, Upkeep};

/// Bytes that may wait. Reached only when the disk fails or is far slower than the changes.
const LIMIT: usize = 128 << 20;
/// What a change costs besides its frame.
const OVERHEAD: usize = 128;

/// Batches of usage to be written, and those to be removed (`None`). Their size is bounded where they are collected.
type Usage = BTreeMap<BatchId, Option<Arc<UsageBatch>>>;

/// Shared by the threads that report changes and the one that writes them.
#[derive(Debug, Default)]
pub(super) struct Backlog {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    environments: HashMap<EnvId, VecDeque<Change>>,
    bytes: usize,
    usage: Usage,
    is_stopped: bool,
    is_finished: bool,
}

/// Changes taken out to be written, in order for each environment.
#[derive(Debug, Default)]
pub(super) struct Work {
    environments: VecDeque<(EnvId, VecDeque<Change>)>,
    usage: Usage,
}

impl Backlog {
    pub(super) fn add(&self, env_id: EnvId, change: Change) {
        self.waiting().add(env_id, change);
        self.changed.notify_all();
    }

    pub(super) fn add_usage(&self, upkeep: Upkeep) {
        let mut waiting = self.waiting();
        if waiting.is_finished || (upkeep.store.is_empty() && upkeep.remove.is_empty()) {
            return;
        }
        let removed = upkeep.remove.into_iter().map(|id| (id, None));
        waiting.usage.extend(removed);
        let stored = upkeep
            .store
            .into_iter()
            .map(|batch| (BatchId::of(&batch), Some(batch)));
        waiting.usage.extend(stored);
        self.changed.notify_all();
    }

    /// Waits until there is something and takes all of it; `None` once stopped and everything is written.
    pub(super) fn take(&self) -> Option<Work> {
        let waiting = self.changed.wait_while(self.waiting(), |waiting| {
            waiting.is_empty() && !waiting.is_stopped
        });
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        if waiting.is_empty() {
            return None;
        }
        waiting.bytes = 0;
        Some(Work {
            environments: mem::take(&mut waiting.environments).into_iter().collect(),
            usage: mem::take(&mut waiting.usage),
        })
    }

    /// Puts back what could not be written; it is older than what was added since.
    pub(super) fn put_back(&self, work: Work) {
        let mut waiting = self.waiting();
        for (id, batch) in work.usage {
            waiting.usage.entry(id).or_insert(batch);
        }
        for (env_id, changes) in work.environments {
            let newer = waiting.environments.remove(&env_id).unwrap_or_default();
            waiting.bytes -= newer.iter().map(cost).sum::<usize>();
            changes
                .into_iter()
                .chain(newer)
                .for_each(|change| waiting.add(env_id, change));
        }
    }

    pub(super) fn stop(&self) {
        self.waiting().is_stopped = true;
        self.changed.notify_all();
    }

    /// Records that nothing will be taken any more.
    pub(super) fn finish(&self) {
        let mut waiting = self.waiting();
        waiting.is_finished = true;
        waiting.environments.clear();
        waiting.usage.clear();
        self.changed.notify_all();
    }

    /// Waits up to `pause`, and returns whether the backlog was stopped.
    pub(super) fn is_stopped_within(&self, pause: Duration) -> bool {
        self.waits_for(pause, |waiting| waiting.is_stopped)
    }

    /// Waits up to `patience`, and returns whether nothing will be taken any more.
    pub(super) fn is_finished_within(&self, patience: Duration) -> bool {
        self.waits_for(patience, |waiting| waiting.is_finished)
    }

    fn waits_for(&self, patience: Duration, is_it: impl Fn(&Waiting) -> bool) -> bool {
        let waited = self
            .changed
            .wait_timeout_while(self.waiting(), patience, |waiting| !is_it(waiting));
        is_it(&waited.unwrap_or_else(PoisonError::into_inner).0)
    }

    /// A panic while the lock is held loses at worst one change, which the next write notices.
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn is_empty(&self) -> bool {
        self.environments.is_empty() && self.usage.is_empty()
    }

    fn add(&mut self, env_id: EnvId, change: Change) {
        if self.is_finished {
            return;
        }
        let changes = self.environments.entry(env_id).or_default();
        // Supersedes everything that waits for the environment.
        if matches!(change, Change::Whole { .. } | Change::Removed) {
            self.bytes -= changes.drain(..).map(|change| cost(&change)).sum::<usize>();
        }
        self.bytes += cost(&change);
        changes.push_back(change);
        if self.bytes > LIMIT {
            // The environment is removed from the cache instead; its next snapshot restores it.
            self.bytes -= changes.drain(..).map(|change| cost(&change)).sum::<usize>();
            self.bytes += cost(&Change::Removed);
            changes.push_back(Change::Removed);
            metrics::counter!("halyard_edge_cache_dropped_total").increment(1);
        }
    }
}

impl Work {
    pub(super) fn front(&self) -> Option<(EnvId, &Change)> {
        let (env_id, changes) = self.environments.front()?;
        Some((*env_id, changes.front()?))
    }

    pub(super) fn pop_front(&mut self) {
        if let Some((_, changes)) = self.environments.front_mut() {
            changes.pop_front();
            if changes.is_empty() {
                self.environments.pop_front();
            }
        }
    }

    /// The next batch to be written or removed.
    pub(super) fn first_usage(&self) -> Option<(BatchId, Option<&UsageBatch>)> {
        let (id, batch) = self.usage.first_key_value()?;
        Some((*id, batch.as_deref()))
    }

    pub(super) fn pop_first_usage(&mut self) {
        self.usage.pop_first();
    }
}

fn cost(change: &Change) -> usize {
    OVERHEAD
        + match change {
            Change::Whole { frame, .. } | Change::Delta { frame, .. } => frame.len(),
            Change::Adopted { .. } | Change::Removed => 0,
        }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use protocol::wire::message::Epoch;
    use uuid::Uuid;

    use super::*;

    fn env(number: u128) -> EnvId {
        Uuid::from_u128(number).into()
    }

    fn whole(version: u64) -> Change {
        Change::Whole {
            epoch: Epoch([0; 16]),
            version,
            frame: Bytes::from_static(b"whole"),
        }
    }

    fn delta(base: u64) -> Change {
        Change::Delta {
            base,
            version: base + 1,
            frame: Bytes::from_static(b"delta"),
        }
    }

    fn taken(backlog: &Backlog) -> Vec<String> {
        let mut work = backlog.take().expect("there is work");
        let mut names = Vec::new();
        while let Some((_, change)) = work.front() {
            names.push(match change {
                Change::Whole { version, .. } => format!("whole {version}"),
                Change::Delta { version, .. } => format!("delta {version}"),
                Change::Adopted { .. } => "adopted".to_owned(),
                Change::Removed => "removed".to_owned(),
            });
            work.pop_front();
        }
        names
    }

    #[test]
    fn a_whole_snapshot_replaces_what_waited_before_it() {
        let backlog = Backlog::default();
        backlog.add(env(1), delta(1));
        backlog.add(env(1), whole(5));
        backlog.add(env(1), delta(5));
        assert_eq!(taken(&backlog), ["whole 5", "delta 6"]);
    }

    #[test]
    fn what_is_put_back_comes_before_what_was_added_since() {
        let backlog = Backlog::default();
        backlog.add(env(1), delta(1));
        let work = backlog.take().expect("there is work");
        backlog.add(env(1), delta(2));
        backlog.put_back(work);
        assert_eq!(taken(&backlog), ["delta 2", "delta 3"]);
    }

    #[test]
    fn an_environment_beyond_the_bound_is_dropped() {
        let backlog = Backlog::default();
        let frame = Bytes::from(vec![0; 48 << 20]);
        for base in 0..3 {
            backlog.add(
                env(1),
                Change::Delta {
                    base,
                    version: base + 1,
                    frame: frame.clone(),
                },
            );
        }
        assert_eq!(taken(&backlog), ["removed"]);
    }

    #[test]
    fn a_stopped_backlog_still_gives_what_waits() {
        let backlog = Backlog::default();
        backlog.add(env(1), whole(1));
        backlog.stop();
        assert_eq!(taken(&backlog), ["whole 1"]);
        assert!(backlog.take().is_none());
    }
}
