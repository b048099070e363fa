//! A batch: open while it takes in what is collected, closed once it may have been sent.

use std::sync::Arc;

use protocol::{
    reason::Reason,
    wire::usage::{EvaluationCount, Impression, KeyUse, MAX_ENTRIES, UsageBatch},
};

use super::{Tally, impressions::text};

/// Approximate bytes of a full batch; half of what a frame may have.
const FULL: usize = 512 << 10;
/// Approximate cost of an entry besides its texts, on the wire and in memory.
const ENTRY: usize = 64;

/// Identifies a batch of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct BatchId {
    /// The process run that counted.
    pub(crate) boot: [u8; 16],
    /// The batch's number within that run.
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

/// Which state of a batch is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kept {
    #[default]
    None,
    /// An earlier state.
    Old,
    Current,
}

/// A batch that takes in what is collected.
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

    /// Whether one more entry of any kind might not fit.
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
                .map(|(env_id, flag_key, given, count)| EvaluationCount {
                    env_id,
                    flag_key: flag_key.to_owned(),
                    reason: given.reason,
                    value: given.value.to_string(),
                    variant_key: given.variant_key.to_string(),
                    count,
                })
                .collect(),
            impressions: self.impressions.clone(),
            keys_used: self.keys_used.clone(),
        }
    }
}

/// A batch that no longer changes.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) batch: Arc<UsageBatch>,
    /// Approximate bytes of memory that it takes.
    pub(super) bytes: usize,
    /// Number of counts for keys that no flag has.
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
    let counts = batch.evaluations.iter();
    let told = counts.map(|one| one.flag_key.len() + one.value.len() + one.variant_key.len());
    let texts = told.chain(batch.impressions.iter().map(text));
    entries * ENTRY + texts.sum::<usize>()
}
