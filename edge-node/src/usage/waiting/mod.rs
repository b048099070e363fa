//! Batches that wait to be stored by the control plane, oldest first.
//!
//! The newest batch is open: it takes in what is collected until it is full or was handed out to be sent. From then on
//! it never changes, since the control plane counts each number of a boot only once. An edge without a link therefore
//! makes few batches and keeps adding to the newest. What waits is bounded: beyond the bound whoever has the most of it
//! loses it, the oldest first, impressions before counts; that is reported. Made-up keys have a bound of their own.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::Arc,
};

use protocol::{
    ids::{EnvId, OrgId},
    reason::Reason,
    wire::usage::{Impression, KeyUse, UsageBatch},
};
use uuid::Uuid;

use super::{
    BatchId, Tally,
    batch::{Closed, Kept, Open, Part},
    unknown::{KEYS, OTHER},
};

/// Bytes of all batches.
const LIMIT: usize = 64 << 20;

/// The result of one collection.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) tally: Tally,
    pub(super) impressions: Vec<Impression>,
    pub(super) keys_used: Vec<KeyUse>,
}

/// What has to change in the copy on disk.
#[derive(Debug, Default)]
pub(crate) struct Upkeep {
    /// Batches whose current state is not on disk.
    pub(crate) store: Vec<Arc<UsageBatch>>,
    /// Batches that are no longer needed.
    pub(crate) remove: Vec<BatchId>,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Waiting {
    boot: [u8; 16],
    next_sequence: u64,
    closed: VecDeque<Closed>,
    open: Open,
    /// Bytes of the closed batches.
    bytes: usize,
    /// Counts for keys that no flag has, in the closed batches.
    unknown: usize,
    /// Batches on disk that are no longer needed there.
    done: Vec<BatchId>,
}

impl Waiting {
    pub(super) fn new(boot: [u8; 16]) -> Self {
        Self {
            boot,
            next_sequence: 1,
            closed: VecDeque::new(),
            open: Open::default(),
            bytes: 0,
            unknown: 0,
            done: Vec::new(),
        }
    }

    /// Takes in what was collected.
    pub(super) fn add(&mut self, collected: Collected, org_of: impl Fn(EnvId) -> Option<OrgId>) {
        if collected.is_empty() {
            return;
        }
        if self.open.kept == Kept::Current {
            self.open.kept = Kept::Old;
        }
        for (env_id, flag_key, given, count) in collected.tally.counts() {
            self.make_room();
            let known = given.reason != Reason::NotFound || self.has_room_for(env_id, flag_key);
            let flag_key = if known { flag_key } else { OTHER };
            self.open.tally.add(env_id, flag_key, given, count);
        }
        for impression in collected.impressions {
            self.make_room();
            self.open.track(impression);
        }
        for used in collected.keys_used {
            self.make_room();
            self.open.keys_used.push(used);
        }
        self.shrink(org_of);
    }

    /// The oldest batch. It no longer changes.
    pub(super) fn oldest(&mut self) -> Option<Arc<UsageBatch>> {
        if self.closed.is_empty() {
            self.close();
        }
        self.closed.front().map(|closed| Arc::clone(&closed.batch))
    }

    /// The newest batch; once it is stored, so are all before it. It no longer changes.
    pub(super) fn newest(&mut self) -> Option<BatchId> {
        self.close();
        self.closed.back().map(Closed::id)
    }

    /// Whether a batch still waits.
    pub(super) fn has(&self, id: BatchId) -> bool {
        self.closed.iter().any(|closed| closed.id() == id)
    }

    /// The number of waiting batches.
    pub(super) fn count(&self) -> usize {
        self.closed.len() + usize::from(!self.open.is_empty())
    }

    /// Removes a batch that the control plane stored.
    pub(super) fn stored(&mut self, id: BatchId) {
        if let Some(position) = self.closed.iter().position(|closed| closed.id() == id) {
            self.remove(position);
        }
    }

    /// Queues batches of an earlier run ahead of all others.
    pub(super) fn restore(
        &mut self,
        batches: Vec<UsageBatch>,
        org_of: impl Fn(EnvId) -> Option<OrgId>,
    ) {
        for batch in batches.into_iter().rev() {
            // Written again all the same: the folder may be another one by now.
            let closed = Closed::new(batch, Kept::Old);
            self.bytes += closed.bytes;
            self.unknown += closed.unknown;
            self.closed.push_front(closed);
        }
        self.shrink(org_of);
    }

    /// What to change on disk so that it holds what waits now.
    pub(super) fn upkeep(&mut self) -> Upkeep {
        let mut upkeep = Upkeep {
            store: Vec::new(),
            remove: mem::take(&mut self.done),
        };
        for closed in &mut self.closed {
            if closed.kept != Kept::Current {
                closed.kept = Kept::Current;
                upkeep.store.push(Arc::clone(&closed.batch));
            }
        }
        if !self.open.is_empty() && self.open.kept != Kept::Current {
            self.open.kept = Kept::Current;
            let batch = self.open.batch(self.boot, self.next_sequence);
            upkeep.store.push(Arc::new(batch));
        }
        upkeep
    }

    /// Whether a key that no flag has may have a count of its own.
    fn has_room_for(&self, env_id: EnvId, flag_key: &str) -> bool {
        let unknown = self.unknown + self.open.tally.unknown();
        unknown < KEYS || self.open.tally.has(env_id, flag_key)
    }

    fn make_room(&mut self) {
        if self.open.is_full() {
            self.close();
        }
    }

    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let open = mem::take(&mut self.open);
        let closed = Closed::new(open.batch(self.boot, self.next_sequence), open.kept);
        self.next_sequence += 1;
        self.bytes += closed.bytes;
        self.unknown += closed.unknown;
        self.closed.push_back(closed);
    }

    fn remove(&mut self, position: usize) {
        if let Some(closed) = self.closed.remove(position) {
            self.bytes -= closed.bytes;
            self.unknown -= closed.unknown;
            if closed.kept != Kept::None {
                self.done.push(closed.id());
            }
        }
    }

    /// Drops what is beyond the bound. An environment that is not served is an organization by itself.
    fn shrink(&mut self, org_of: impl Fn(EnvId) -> Option<OrgId>) {
        if self.bytes <= LIMIT {
            return;
        }
        let parts = self.closed.iter().flat_map(|closed| &closed.parts);
        let mut owners: HashMap<EnvId, Uuid> = HashMap::new();
        for env_id in parts.clone().filter_map(|(part, _)| part.env_id) {
            let org_id = || org_of(env_id).map_or(env_id.uuid(), OrgId::uuid);
            owners.entry(env_id).or_insert_with(org_id);
        }
        let share = |part: &Part| (part.is_counts, part.env_id.map(|env_id| owners[&env_id]));
        let mut shares: HashMap<_, usize> = HashMap::new();
        for (part, bytes) in parts {
            *shares.entry(share(part)).or_default() += bytes;
        }

        let mut dropped = (0, 0);
        while self.bytes > LIMIT {
            let all = shares.iter().map(|(share, bytes)| (*share, *bytes));
            let greatest = all.max_by_key(|&((is_counts, _), bytes)| (!is_counts, bytes));
            let Some((greatest, _)) = greatest else {
                break;
            };
            let is_of_it = |part: &Part| share(part) == greatest;
            let has_it = |closed: &Closed| closed.parts.keys().any(is_of_it);
            let Some(position) = self.closed.iter().position(has_it) else {
                shares.remove(&greatest);
                continue;
            };
            let before = &self.closed[position];
            let after = before.without(is_of_it);
            if let Some(bytes) = shares.get_mut(&greatest) {
                *bytes -= before.bytes - after.bytes;
            }
            let (counted, left) = (before.counted(), after.counted());
            dropped = (
                dropped.0 + counted.0 - left.0,
                dropped.1 + counted.1 - left.1,
            );
            self.replace(position, after);
        }
        let (evaluations, impressions) = dropped;
        metrics::counter!("halyard_edge_evaluations_dropped_total").increment(evaluations);
        metrics::counter!("halyard_edge_impressions_dropped_total").increment(impressions);
        tracing::warn!(
            evaluations,
            impressions,
            "too much usage waits for the control plane; dropped the oldest of whoever has the most"
        );
    }

    fn replace(&mut self, position: usize, after: Closed) {
        if after.is_empty() {
            return self.remove(position);
        }
        let before = &mut self.closed[position];
        self.bytes -= before.bytes - after.bytes;
        self.unknown -= before.unknown - after.unknown;
        *before = after;
    }
}

impl Collected {
    fn is_empty(&self) -> bool {
        self.tally.is_empty() && self.impressions.is_empty() && self.keys_used.is_empty()
    }
}

#[cfg(test)]
mod tests;
