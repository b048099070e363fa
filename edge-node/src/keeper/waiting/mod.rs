//! Changes that wait, in order for each environment, and batches of usage.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    mem,
    sync::Arc,
};

use protocol::{ids::EnvId, wire::usage::UsageBatch};

use super::Change;
use crate::usage::{BatchId, Upkeep};

/// Bytes that may wait. Reached only when the disk fails or is far slower than the changes.
const LIMIT: usize = 128 << 20;
/// What a change costs besides its frame, the environment's place in the map included.
const OVERHEAD: usize = 512;

/// Batches to be written, and those to be removed (`None`). Their size is bounded where they are collected.
type Usage = BTreeMap<BatchId, Option<Arc<UsageBatch>>>;

/// Bounded, however long nothing is taken out.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    environments: HashMap<EnvId, Vec<Change>>,
    bytes: usize,
    usage: Usage,
    /// The batches that may be on disk. The removal of any other need not wait.
    usage_on_disk: BTreeSet<BatchId>,
}

/// Changes taken out to be written.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) environments: HashMap<EnvId, Vec<Change>>,
    pub(super) usage: Usage,
}

impl Waiting {
    pub(super) fn is_empty(&self) -> bool {
        self.environments.is_empty() && self.usage.is_empty()
    }

    /// Whether something about an environment waits.
    pub(super) fn has(&self, env_id: EnvId) -> bool {
        self.environments.contains_key(&env_id)
    }

    pub(super) fn add(&mut self, env_id: EnvId, change: Change) {
        let changes = self.environments.entry(env_id).or_default();
        match (&change, changes.last()) {
            // Supersedes everything that waits for the environment.
            (Change::Whole { .. } | Change::Removed, _) => {
                self.bytes -= changes.drain(..).map(|change| cost(&change)).sum::<usize>();
            }
            (Change::Adopted { .. }, Some(Change::Adopted { .. })) => {
                self.bytes -= changes.pop().map_or(0, |change| cost(&change));
            }
            _ => {}
        }
        self.bytes += cost(&change);
        changes.push(change);
        if self.bytes > LIMIT {
            // Found out later by comparing what is stored with what is served.
            self.take_out(env_id);
            metrics::counter!("halyard_edge_cache_dropped_total").increment(1);
        }
    }

    pub(super) fn add_usage(&mut self, upkeep: Upkeep) {
        for id in upkeep.remove {
            if self.usage_on_disk.contains(&id) {
                self.usage.insert(id, None);
            } else {
                self.usage.remove(&id);
            }
        }
        let stored = upkeep.store.into_iter();
        self.usage
            .extend(stored.map(|batch| (BatchId::of(&batch), Some(batch))));
    }

    /// Tells which batches are on disk while nothing is taken out.
    pub(super) fn set_usage_on_disk(&mut self, found: BTreeSet<BatchId>) {
        self.usage
            .retain(|id, batch| batch.is_some() || found.contains(id));
        self.usage_on_disk = found;
    }

    pub(super) fn take(&mut self) -> Work {
        self.bytes = 0;
        let work = Work {
            environments: mem::take(&mut self.environments),
            usage: mem::take(&mut self.usage),
        };
        self.usage_on_disk.extend(work.usage.keys());
        work
    }

    /// Takes out the changes of environments for which more than `many` wait.
    pub(super) fn take_many(&mut self, many: usize) -> Work {
        let environments = self
            .environments
            .extract_if(|_, changes| changes.len() > many);
        let environments: HashMap<_, _> = environments.collect();
        self.bytes -= environments.values().flatten().map(cost).sum::<usize>();
        Work {
            environments,
            usage: Usage::default(),
        }
    }

    /// Takes back what could not be written; it is older than what was added since.
    pub(super) fn put_back(&mut self, work: Work) {
        for (id, batch) in work.usage {
            self.usage.entry(id).or_insert(batch);
        }
        for (env_id, changes) in work.environments {
            let newer = self.take_out(env_id);
            changes
                .into_iter()
                .chain(newer)
                .for_each(|change| self.add(env_id, change));
        }
    }

    /// What was taken is on disk.
    pub(super) fn written(&mut self, work: &Work) {
        for (id, batch) in &work.usage {
            if batch.is_none() {
                self.usage_on_disk.remove(id);
            }
        }
    }

    fn take_out(&mut self, env_id: EnvId) -> Vec<Change> {
        let changes = self.environments.remove(&env_id).unwrap_or_default();
        self.bytes -= changes.iter().map(cost).sum::<usize>();
        changes
    }
}

impl Work {
    pub(super) fn is_empty(&self) -> bool {
        self.environments.is_empty() && self.usage.is_empty()
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
mod tests;
