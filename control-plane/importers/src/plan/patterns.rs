//! Regular expressions of a source. Compiling one takes milliseconds and nobody can interrupt it, so an import compiles a bounded
//! number of them: a source could otherwise keep a thread busy for hours.

use std::cell::Cell;

use protocol::pattern::Pattern;

/// Regular expressions of an import. The rest cannot be read.
pub const MAX_PATTERNS: usize = 5_000;
/// Characters of one, as in conditions.
const MAX_LENGTH: usize = 1_024;

thread_local! {
    static LEFT: Cell<usize> = const { Cell::new(MAX_PATTERNS) };
}

/// Does the work of one import, which may compile as many as there may be.
pub fn bounded<T>(work: impl FnOnce() -> T) -> T {
    LEFT.set(MAX_PATTERNS);
    work()
}

/// Compiles a regular expression of the source. `None` when it cannot be used here, or there were too many.
pub fn compile(pattern: &str) -> Option<Pattern> {
    let left = LEFT.get().checked_sub(1)?;
    LEFT.set(left);
    if pattern.len() > MAX_LENGTH && pattern.chars().count() > MAX_LENGTH {
        return None;
    }
    Pattern::compile(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_compiles_a_bounded_number() {
        let compiled = bounded(|| {
            (0..MAX_PATTERNS + 5)
                .filter(|_| compile("a").is_some())
                .count()
        });
        assert_eq!(compiled, MAX_PATTERNS);
        assert!(bounded(|| compile("a")).is_some());
    }

    #[test]
    fn patterns_are_bounded_themselves() {
        assert!(compile(&"ü".repeat(MAX_LENGTH)).is_some());
        assert!(compile(&"a".repeat(MAX_LENGTH + 1)).is_none());
        assert!(compile("\\w{1000}{1000}").is_none());
        assert!(compile("(?=x)").is_none());
    }
}
