//! A batch: open while it takes up what is collected, closed once it may have been sent.

use std::sync::Arc;

use protocol::{
    reason::Reason,
    wire::usage::{EvaluationCount, Impression, KeyUse, MAX_ENTRIES, UsageBatch},
};

use super::{Tally, impressions::text};

/// Bytes of a batch, about; half of what a frame may have.
const FULL: usize = 512 << 10;
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

impl BatchId {
    pub(crate) const fn of(batch: &UsageBatch) -> Self {
        Self {
            boot: batch.boot,
            sequence: batch.sequence,
        }
    }
}

/// What the disk has of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kept {
    #[default]
    None,
    /// An earlier state.
    Old,
    Current,
}

/// A batch that takes up what is collected.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) tally: Tally,
    pub(super) impressions: Vec<Impression>,
    pub(super) keys_used: Vec<KeyUse>,
    /// Bytes of the texts of impressions.
    text: usize,
    pub(super) kept: Kept,
}

impl Open {
    pub(super) fn track(&mut self, impression: Impression) {
        self.text += text(&impression);
        self.impressions.push(impression);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tally.is_empty() && self.impressions.is_empty() && self.keys_used.is_empty()
    }

    /// Whether there may be no room for one entry more of some kind.
    pub(super) fn is_full(&self) -> bool {
        let kinds = [
            self.tally.len(),
            self.impressions.len(),
            self.keys_used.len(),
        ];
        let bytes = kinds.iter().sum::<usize>() * ENTRY + self.tally.text() + self.text;
        bytes >= FULL || kinds.iter().any(|entries| *entries >= MAX_ENTRIES)
    }

    /// The batch as it is now.
    pub(super) fn batch(&self, boot: [u8; 16], sequence: u64) -> UsageBatch {
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

/// A batch that does not change any more.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) batch: Arc<UsageBatch>,
    /// Bytes that it takes, about.
    pub(super) bytes: usize,
    /// Counts of keys that no flag has.
    pub(super) unknown: usize,
    pub(super) kept: Kept,
}

impl Closed {
    pub(super) fn new(batch: UsageBatch, kept: Kept) -> Self {
        let unknown = |counted: &&EvaluationCount| counted.reason == Reason::NotFound;
        Self {
            bytes: size(&batch),
            unknown: batch.evaluations.iter().filter(unknown).count(),
            batch: Arc::new(batch),
            kept,
        }
    }

    pub(super) fn id(&self) -> BatchId {
        BatchId::of(&self.batch)
    }
}

fn size(batch: &UsageBatch) -> usize {
    let entries = batch.evaluations.len() + batch.impressions.len() + batch.keys_used.len();
    let keys = batch.evaluations.iter().map(|count| count.flag_key.len());
    let texts = keys.chain(batch.impressions.iter().map(text));
    entries * ENTRY + texts.sum::<usize>()
}
