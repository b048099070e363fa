//! Counts the answers about the flags of one prepared environment: for each flag a row, in it a counter for each reason.
//!
//! Those who count add to one atomic and never wait for each other. Whoever takes the counts exchanges each for zero, so
//! that every answer is in exactly one taking, however many take at once and however long a request holds on to the
//! environment. An environment that nobody asks about costs nothing, and one without news is not looked through.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use protocol::{eval::FlagIndex, reason::Reason};

/// The reasons that a flag can be answered with, in the order of their declaration: all but [`Reason::NotFound`], the first.
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
    /// Made for the first answer.
    rows: OnceLock<Box<[Row]>>,
    /// Whether anything was counted since the last taking.
    has_news: AtomicBool,
}

/// Counters of one flag, which have a cache line for themselves.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Row([AtomicU64; REASONS.len()]);

impl Counters {
    /// For an environment of so many flags.
    pub(crate) const fn new(flags: usize) -> Self {
        Self {
            flags,
            rows: OnceLock::new(),
            has_news: AtomicBool::new(false),
        }
    }

    /// Counts one answer about a flag that there is.
    pub(crate) fn add(&self, flag: FlagIndex, reason: Reason) {
        let rows = self
            .rows
            .get_or_init(|| (0..self.flags).map(|_| Row::default()).collect());
        let counter = rows
            .get(flag.position())
            .zip((reason as usize).checked_sub(1))
            .and_then(|(row, column)| row.0.get(column));
        let Some(counter) = counter else { return };
        // One order for all four accesses of both sides: either the taker sees the count, or the counter sees that its
        // mark was taken. Otherwise a last answer could wait for a next one.
        counter.fetch_add(1, Ordering::SeqCst);
        if !self.has_news.load(Ordering::SeqCst) {
            self.has_news.store(true, Ordering::SeqCst);
        }
    }

    /// Takes what was counted since the last time. `keys` are those of the flags, in their order.
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
