//! Questions whether everything has arrived, numbered: an answer counts for all who waited when it was asked.

use std::sync::atomic::{AtomicU64, Ordering};

/// The questions of one relay, numbered from 1.
#[derive(Debug, Default)]
pub(super) struct CatchUps {
    begun: AtomicU64,
    done: AtomicU64,
}

impl CatchUps {
    /// Those that were asked by now.
    pub(super) fn begun(&self) -> u64 {
        self.begun.load(Ordering::SeqCst)
    }

    /// One is asked; returns its number.
    pub(super) fn begin(&self) -> u64 {
        self.begun.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// It was answered.
    pub(super) fn end(&self, number: u64) {
        self.done.fetch_max(number, Ordering::SeqCst);
    }

    /// Whether one was answered that was asked after these.
    pub(super) fn is_done_after(&self, begun: u64) -> bool {
        self.done.load(Ordering::SeqCst) > begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_question_that_was_asked_later_counts() {
        let questions = CatchUps::default();
        let first = questions.begin();
        let before = questions.begun();
        questions.end(first);
        assert!(!questions.is_done_after(before), "asked before");
        let second = questions.begin();
        assert!(!questions.is_done_after(before), "not answered");
        questions.end(second);
        assert!(questions.is_done_after(before));
    }
}
