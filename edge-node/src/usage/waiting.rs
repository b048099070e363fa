//! Batches that wait to be stored by the control plane, oldest first.
//!
//! The newest batch is open: it takes up what is collected until it is full or was handed out to be sent. From then on it
//! never changes, since the control plane stores each number of a boot once. So an edge without a link makes few batches, and
//! counting goes on in those it has. What waits is bounded: beyond it the oldest batch is dropped, and told.

use std::{collections::VecDeque, mem, sync::Arc};

use protocol::wire::usage::{EvaluationCount, Impression, KeyUse, MAX_ENTRIES, UsageBatch};

use super::{Tally, impressions::text};

/// Bytes of a batch, about; half of what a frame may have.
const BATCH: usize = 512 << 10;
/// Bytes of all batches.
const LIMIT: usize = 64 << 20;
/// What an entry costs besides its texts, on the wire and in memory, about.
const ENTRY: usize = 64;

/// Names a batch of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BatchId {
    /// The run of the process that counted.
    pub(crate) boot: [u8; 16],
    /// Its number in that run.
    pub(crate) sequence: u64,
}

/// What is collected at a time.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) tally: Tally,
    pub(super) impressions: Vec<Impression>,
    pub(super) keys_used: Vec<KeyUse>,
}

/// What must change in the copy on disk.
#[derive(Debug, Default)]
pub(crate) struct Upkeep {
    /// Batches that are not there as they are now.
    pub(crate) store: Vec<Arc<UsageBatch>>,
    /// Batches that are of no use any more.
    pub(crate) remove: Vec<BatchId>,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Waiting {
    boot: [u8; 16],
    next_sequence: u64,
    closed: VecDeque<Closed>,
    open: Open,
    /// Of the closed ones.
    bytes: usize,
    /// On disk, and not needed there any more.
    done: Vec<BatchId>,
}

/// A batch that does not change any more.
#[derive(Debug)]
struct Closed {
    batch: Arc<UsageBatch>,
    bytes: usize,
    kept: Kept,
}

/// What the disk has of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kept {
    #[default]
    None,
    /// An earlier state.
    Old,
    Current,
}

/// The batch that takes up what is collected.
#[derive(Debug, Default)]
struct Open {
    tally: Tally,
    impressions: Vec<Impression>,
    keys_used: Vec<KeyUse>,
    /// Of the texts of impressions.
    text: usize,
    kept: Kept,
}

impl Waiting {
    pub(super) fn new(boot: [u8; 16]) -> Self {
        Self {
            boot,
            next_sequence: 1,
            closed: VecDeque::new(),
            open: Open::default(),
            bytes: 0,
            done: Vec::new(),
        }
    }

    /// Takes up what was collected.
    pub(super) fn add(&mut self, collected: Collected) {
        if collected.is_empty() {
            return;
        }
        if self.open.kept == Kept::Current {
            self.open.kept = Kept::Old;
        }
        for (env_id, flag_key, reason, count) in collected.tally.counts() {
            self.make_room();
            self.open.tally.add(env_id, flag_key, reason, count);
        }
        for impression in collected.impressions {
            self.make_room();
            self.open.text += text(&impression);
            self.open.impressions.push(impression);
        }
        for used in collected.keys_used {
            self.make_room();
            self.open.keys_used.push(used);
        }
        self.drop_oldest();
    }

    /// The oldest batch. It does not change from now on.
    pub(super) fn oldest(&mut self) -> Option<Arc<UsageBatch>> {
        if self.closed.is_empty() {
            self.close();
        }
        self.closed.front().map(|closed| Arc::clone(&closed.batch))
    }

    /// Whether a batch still waits.
    pub(super) fn has(&self, id: BatchId) -> bool {
        self.closed.iter().any(|closed| closed.id() == id)
    }

    /// The newest batch with anything in it, whose arrival means that of all before it.
    pub(super) fn newest(&mut self) -> Option<BatchId> {
        self.close();
        self.closed.back().map(Closed::id)
    }

    /// How many batches wait.
    pub(super) fn count(&self) -> usize {
        self.closed.len() + usize::from(!self.open.is_empty())
    }

    /// Forgets a batch that the control plane stored.
    pub(super) fn stored(&mut self, id: BatchId) {
        if let Some(position) = self.closed.iter().position(|closed| closed.id() == id) {
            self.remove(position);
        }
    }

    /// Puts batches of an earlier run before all others.
    pub(super) fn restore(&mut self, batches: Vec<UsageBatch>) {
        for batch in batches.into_iter().rev() {
            let bytes = size(&batch);
            self.bytes += bytes;
            self.closed.push_front(Closed {
                batch: Arc::new(batch),
                bytes,
                // The folder may be another one by now.
                kept: Kept::Old,
            });
        }
        self.drop_oldest();
    }

    /// What the disk is to be told so that it has what waits now.
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

    /// Closes the open batch when it cannot take one entry more of any kind.
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
        let batch = open.batch(self.boot, self.next_sequence);
        self.next_sequence += 1;
        let bytes = size(&batch);
        self.bytes += bytes;
        self.closed.push_back(Closed {
            batch: Arc::new(batch),
            bytes,
            kept: open.kept,
        });
    }

    fn remove(&mut self, position: usize) {
        if let Some(closed) = self.closed.remove(position) {
            self.bytes -= closed.bytes;
            if closed.kept != Kept::None {
                self.done.push(closed.id());
            }
        }
    }

    fn drop_oldest(&mut self) {
        while self.bytes > LIMIT
            && let Some(oldest) = self.closed.front()
        {
            let evaluations: u64 = oldest
                .batch
                .evaluations
                .iter()
                .map(|count| count.count)
                .sum();
            let impressions = oldest.batch.impressions.len();
            metrics::counter!("halyard_edge_usage_batches_dropped_total").increment(1);
            tracing::warn!(
                evaluations,
                impressions,
                "too much usage waits for the control plane; the oldest was dropped"
            );
            self.remove(0);
        }
    }
}

impl Collected {
    fn is_empty(&self) -> bool {
        self.tally.is_empty() && self.impressions.is_empty() && self.keys_used.is_empty()
    }
}

impl Closed {
    fn id(&self) -> BatchId {
        id_of(&self.batch)
    }
}

impl Open {
    fn is_empty(&self) -> bool {
        self.tally.is_empty() && self.impressions.is_empty() && self.keys_used.is_empty()
    }

    fn is_full(&self) -> bool {
        let kinds = [
            self.tally.len(),
            self.impressions.len(),
            self.keys_used.len(),
        ];
        let bytes = kinds.iter().sum::<usize>() * ENTRY + self.tally.text() + self.text;
        bytes >= BATCH || kinds.iter().any(|entries| *entries >= MAX_ENTRIES)
    }

    fn batch(&self, boot: [u8; 16], sequence: u64) -> UsageBatch {
        let evaluations = self.tally.counts();
        UsageBatch {
            boot,
            sequence,
            evaluations: evaluations
                .map(|(env_id, flag_key, reason, count)| EvaluationCount {
                    env_id,
                    flag_key: flag_key.to_owned(),
                    reason,
                    count,
                })
                .collect(),
            impressions: self.impressions.clone(),
            keys_used: self.keys_used.clone(),
        }
    }
}

/// Names a batch.
pub(crate) const fn id_of(batch: &UsageBatch) -> BatchId {
    BatchId {
        boot: batch.boot,
        sequence: batch.sequence,
    }
}

/// Bytes that a batch takes, about.
fn size(batch: &UsageBatch) -> usize {
    let entries = batch.evaluations.len() + batch.impressions.len() + batch.keys_used.len();
    let keys = batch.evaluations.iter().map(|count| count.flag_key.len());
    let texts = keys.chain(batch.impressions.iter().map(text));
    entries * ENTRY + texts.sum::<usize>()
}

#[cfg(test)]
mod tests;
