//! Counts the answers for the flags of one prepared environment: a row for each flag, with a counter for each answer that the flag
//! can give.
//!
//! Counting adds to one atomic and never waits. Taking the counts exchanges each for zero, so every answer is taken
//! exactly once, however many collections run concurrently and however long a request holds on to the environment. An
//! environment that nobody queries costs nothing, and one without new counts is not scanned.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use protocol::eval::{Environment, FlagIndex};

/// Counters of a cache line.
const OF_LINE: u32 = 8;

/// Counters of one environment.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Allocated for the first answer.
    table: OnceLock<Table>,
    /// Whether anything was counted since the counts were last taken.
    has_news: AtomicBool,
}

#[derive(Debug)]
struct Table {
    /// For each flag, the first of its lines; and the end of the last.
    starts: Box<[u32]>,
    lines: Box<[Line]>,
}

/// Counters of one flag.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; OF_LINE as usize]);

impl Counters {
    /// Counts one answer for an existing flag of this environment.
    pub(crate) fn add(&self, environment: &Environment, flag: FlagIndex, answer: u32) {
        let table = self.table.get_or_init(|| Table::of(environment));
        let Some(counter) = table.counter(flag, answer) else {
            return;
        };
        // Sequentially consistent on both sides: either the taker sees the count, or the counter sees that its mark was
        // cleared. Otherwise the last answer could go untaken until the next one.
        counter.fetch_add(1, Ordering::SeqCst);
        if !self.has_news.load(Ordering::SeqCst) {
            self.has_news.store(true, Ordering::SeqCst);
        }
    }

    /// Takes what was counted since the last time: flags, the numbers of their answers, and how often each was given.
    pub(crate) fn take(
        &self,
        flags: impl Iterator<Item = FlagIndex>,
        mut each: impl FnMut(FlagIndex, u32, u64),
    ) {
        if !self.has_news.swap(false, Ordering::SeqCst) {
            return;
        }
        let Some(table) = self.table.get() else {
            return;
        };
        for flag in flags {
            let counters = table.of_flag(flag).iter().flat_map(|line| &line.0);
            for (answer, counter) in (0..).zip(counters) {
                if counter.load(Ordering::SeqCst) > 0 {
                    each(flag, answer, counter.swap(0, Ordering::SeqCst));
                }
            }
        }
    }
}

impl Table {
    fn of(environment: &Environment) -> Self {
        let mut end = 0;
        let mut starts = vec![0];
        for (flag, _) in environment.flags() {
            end += environment.answers(flag).div_ceil(OF_LINE);
            starts.push(end);
        }
        Self {
            starts: starts.into(),
            lines: (0..end).map(|_| Line::default()).collect(),
        }
    }

    fn counter(&self, flag: FlagIndex, answer: u32) -> Option<&AtomicU64> {
        let start = self.starts.get(flag.position())?;
        let line = self.lines.get((start + answer / OF_LINE) as usize)?;
        line.0.get((answer % OF_LINE) as usize)
    }

    fn of_flag(&self, flag: FlagIndex) -> &[Line] {
        let start = self.starts.get(flag.position()).copied();
        let end = self.starts.get(flag.position() + 1).copied();
        start
            .zip(end)
            .and_then(|(start, end)| self.lines.get(start as usize..end as usize))
            .unwrap_or_default()
    }
}
