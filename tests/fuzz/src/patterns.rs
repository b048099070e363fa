//! Regular expressions that tenants write, matched against what callers send.

use protocol::pattern::Pattern;

/// A line is the pattern, the rest is matched.
pub(crate) fn run(bytes: &[u8]) {
    let input = crate::text(bytes);
    let (pattern, text) = input.split_once('\n').unwrap_or((&input, ""));
    let Some(compiled) = Pattern::compile(pattern) else {
        return;
    };
    let matches = compiled.is_match(text);
    // Its memory has a bound, and it is the same whoever compiles it.
    assert_eq!(Pattern::compile(pattern).unwrap().is_match(text), matches);
}
