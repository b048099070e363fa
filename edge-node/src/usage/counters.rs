//! Counts the answers for the flags of one prepared environment: a row for each flag, with a counter for each reason.
//!
//! Counting adds to one atomic and never waits. Taking the counts exchanges each for zero, so every answer is taken
//! exactly once, however many collections run concurrently and however long a request holds on to the environment. An
//! environment that nobody queries costs nothing, and one without new counts is not scanned.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use protocol::{eval::FlagIndex, reason::Reason};

/// The reasons that a flag can be answered with, in the order of their declaration: all but the first,
/// [`Reason::NotFound`].
const REASONS: [Reason; 8] = [
    Reason::Disabled,
    Reason::MutuallyExcluded,
    Reason::PrerequisiteFailed,
    Reason::Targeted,
    Reason::Rollout,
    Reason::Variant,
    Reason::Fallthrough,
    Reason::Error,
];

/// Counters of one environment.
#[derive(Debug)]
pub(crate) struct Counters {
    flags: usize,
    /// Allocated for the first answer.
    rows: OnceLock<Box<[Row]>>,
    /// Whether anything was counted since the counts were last taken.
    has_news: AtomicBool,
}

/// The counters of one flag, on a cache line of their own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Row([AtomicU64; REASONS.len()]);

impl Counters {
    /// For an environment with this many flags.
    pub(crate) const fn new(flags: usize) -> Self {
        Self {
            flags,
            rows: OnceLock::new(),
            has_news: AtomicBool::new(false),
        }
    }

    /// Counts one answer for an existing flag.
    pub(crate) fn add(&self, flag: FlagIndex, reason: Reason) {
        let rows = self
            .rows
            .get_or_init(|| (0..self.flags).map(|_| Row::default()).collect());
        let counter = rows
            .get(flag.position())
            .zip((reason as usize).checked_sub(1))
            .and_then(|(row, column)| row.0.get(column));
        let Some(counter) = counter else { return };
        // Sequentially consistent on both sides: either the taker sees the count, or the counter sees that its mark was
        // cleared. Otherwise the last answer could go untaken until the next one.
        counter.fetch_add(1, Ordering::SeqCst);
        if !self.has_news.load(Ordering::SeqCst) {
            self.has_news.store(true, Ordering::SeqCst);
        }
    }

    /// Takes what was counted since the last time. `keys` are those of the flags, in order.
    pub(crate) fn take<'k>(
        &self,
        keys: impl Iterator<Item = &'k str>,
        mut each: impl FnMut(&'k str, Reason, u64),
    ) {
        if !self.has_news.swap(false, Ordering::SeqCst) {
            return;
        }
        for (key, row) in keys.zip(self.rows.get().into_iter().flatten()) {
            for (reason, counter) in REASONS.into_iter().zip(&row.0) {
                if counter.load(Ordering::SeqCst) > 0 {
                    each(key, reason, counter.swap(0, Ordering::SeqCst));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_the_column_that_is_named_after_it() {
        for (column, reason) in REASONS.into_iter().enumerate() {
            assert_eq!(reason as usize, column + 1, "{reason}");
        }
        assert_eq!(Reason::NotFound as usize, 0);
    }
}
