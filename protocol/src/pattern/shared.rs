//! The patterns that this process uses: each is compiled and kept once, however many environments have it.
//!
//! Environments of one project have the same segments, and consecutive versions of an environment nearly all patterns.
//! One pattern is compiled at a time. So compiling never takes more than one processor, and who needs one pattern
//! waits for a few others and not for all those of a large environment.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
};

use super::Pattern;

/// So many are kept before those that nobody uses any more are looked for.
const SWEEP: usize = 1_024;

static PATTERNS: LazyLock<Mutex<Shared>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Shared {
    patterns: HashMap<Box<str>, Weak<Pattern>>,
    /// How many there were after the last sweep.
    swept: usize,
}

/// The pattern, compiled unless somebody uses it already. `None` as in [`Pattern::compile`].
pub(crate) fn shared(text: &str) -> Option<Arc<Pattern>> {
    PATTERNS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .find(text)
}

impl Shared {
    fn find(&mut self, text: &str) -> Option<Arc<Pattern>> {
        if let Some(used) = self.patterns.get(text).and_then(Weak::upgrade) {
            return Some(used);
        }
        let pattern = Arc::new(Pattern::compile(text)?);
        if self.patterns.len() >= SWEEP + 2 * self.swept {
            self.patterns
                .retain(|_, pattern| pattern.strong_count() > 0);
            self.swept = self.patterns.len();
        }
        self.patterns.insert(text.into(), Arc::downgrade(&pattern));
        Some(pattern)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_in_use_is_not_compiled_again() {
        let mut shared = Shared::default();
        let first = shared.find("a+").unwrap();
        assert!(Arc::ptr_eq(&first, &shared.find("a+").unwrap()));
        assert!(shared.find("(").is_none());
    }

    #[test]
    fn patterns_that_nobody_uses_are_forgotten() {
        let mut shared = Shared::default();
        let kept = shared.find("kept").unwrap();
        for number in 0..2 * SWEEP {
            shared.find(&number.to_string()).unwrap();
        }
        assert!(shared.patterns.len() <= SWEEP + 2);
        assert!(Arc::ptr_eq(&kept, &shared.find("kept").unwrap()));
    }
}
