//! A batch: open while it takes in what is collected, closed once it may have been sent.

use std::{collections::HashMap, sync::Arc};

use protocol::{
    ids::EnvId,
    reason::Reason,
    wire::usage::{EvaluationCount, Impression, KeyUse, MAX_ENTRIES, UsageBatch},
};

use super::{Tally, impressions::text};

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
        // Half of what a frame may have.
        bytes >= 512 << 10 || kinds.iter().any(|entries| *entries >= MAX_ENTRIES)
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

/// What of a batch is dropped together when too much waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    /// Counts of evaluations, or else what is dropped before any of these: impressions, and the uses of keys, which the
    /// next use tells anew.
    pub(super) is_counts: bool,
    /// Whose; those of keys are nobody's.
    pub(super) env_id: Option<EnvId>,
}

impl Part {
    const USES: Self = Self {
        is_counts: false,
        env_id: None,
    };

    const fn of_count(count: &EvaluationCount) -> Self {
        Self {
            is_counts: true,
            env_id: Some(count.env_id),
        }
    }

    const fn of_impression(impression: &Impression) -> Self {
        Self {
            is_counts: false,
            env_id: Some(impression.env_id),
        }
    }
}

/// A batch that takes in nothing more. What is dropped of it may have been sent before, which does no harm: it is stored
/// once, as it was then or as it is now.
#[derive(Debug)]
pub(super) struct Closed {
    pub(super) batch: Arc<UsageBatch>,
    /// Approximate bytes of memory that it takes.
    pub(super) bytes: usize,
    /// Those of each part.
    pub(super) parts: HashMap<Part, usize>,
    /// Number of counts for keys that no flag has.
    pub(super) unknown: usize,
    pub(super) kept: Kept,
}

impl Closed {
    pub(super) fn new(batch: UsageBatch, kept: Kept) -> Self {
        let unknown = |counted: &&EvaluationCount| counted.reason == Reason::NotFound;
        let mut parts = HashMap::new();
        for (part, text) in entries(&batch) {
            *parts.entry(part).or_default() += ENTRY + text;
        }
        Self {
            bytes: parts.values().sum(),
            parts,
            unknown: batch.evaluations.iter().filter(unknown).count(),
            batch: Arc::new(batch),
            kept,
        }
    }

    pub(super) fn id(&self) -> BatchId {
        BatchId::of(&self.batch)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The same without some of its parts.
    pub(super) fn without(&self, is_dropped: impl Fn(&Part) -> bool) -> Self {
        let mut batch = UsageBatch::clone(&self.batch);
        let counts = &mut batch.evaluations;
        counts.retain(|count| !is_dropped(&Part::of_count(count)));
        let impressions = &mut batch.impressions;
        impressions.retain(|impression| !is_dropped(&Part::of_impression(impression)));
        batch.keys_used.retain(|_| !is_dropped(&Part::USES));
        let kept = match self.kept {
            Kept::None => Kept::None,
            Kept::Old | Kept::Current => Kept::Old,
        };
        Self::new(batch, kept)
    }

    /// The number of evaluations, and that of impressions.
    pub(super) fn counted(&self) -> (u64, u64) {
        let counts = self.batch.evaluations.iter().map(|count| count.count);
        (counts.sum(), self.batch.impressions.len() as u64)
    }
}

/// The part to which each entry belongs, and the bytes of its texts.
fn entries(batch: &UsageBatch) -> impl Iterator<Item = (Part, usize)> {
    let counts = batch.evaluations.iter().map(|one| {
        let text = one.flag_key.len() + one.value.len() + one.variant_key.len();
        (Part::of_count(one), text)
    });
    let impressions = batch.impressions.iter();
    let impressions = impressions.map(|one| (Part::of_impression(one), text(one)));
    let uses = batch.keys_used.iter().map(|_| (Part::USES, 0));
    counts.chain(impressions).chain(uses)
}
