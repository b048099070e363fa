//! Regular expressions of conditions: which ones can be used, how much memory they take, and whether they match.
//!
//! Syntax and meaning are those of the `regex` crate. It is not used itself because its patterns grow while they are
//! used: each keeps automata that are built lazily, for every thread that ever ran it. A pattern here is one of two
//! forms that never change. A small one becomes a table, which takes one look-up per byte. Any other is walked state by
//! state, and each visit is counted, so that the work for a text is known exactly and can be cut off.

mod cost;
mod shared;
mod walk;

use regex_automata::{
    Input,
    dfa::{
        Automaton, StartKind,
        dense::{self, DFA},
    },
    nfa::thompson::{self, NFA, WhichCaptures},
};

pub(crate) use shared::shared;
pub(crate) use walk::Threads;

/// Most bytes of a compiled pattern. `^\w{3,20}$` takes 344 KiB, `^\w+@\w+\.com$` 35, most others less than 16.
pub const MAX_BYTES: u32 = 512 << 10;
/// What the smallest pattern counts as: compiling it takes time as well.
pub(crate) const MIN_BYTES: u32 = 4 << 10;
/// So much of what it costs to read a pattern counts as a byte. What counts as [`MAX_BYTES`] is read in some 30 ms.
const COST_PER_BYTE: u64 = 8;
/// Most bytes of a text that patterns are tried on. None matches a longer one.
pub const MAX_TEXT: usize = 4 << 10;

/// Most bytes of a table, and of the space in which it is made. So the attempt takes a fraction of a millisecond.
const TABLE: usize = 16 << 10;

/// A compiled pattern. Never changes, also not while it is used.
#[derive(Debug)]
pub struct Pattern {
    form: Form,
    bytes: u32,
}

#[derive(Debug)]
enum Form {
    Table(Box<DFA<Vec<u32>>>),
    States(NFA),
}

impl Pattern {
    /// `None` if the text is not a regular expression, costs too much to read, or is too large once compiled.
    #[must_use]
    pub fn compile(text: &str) -> Option<Self> {
        let cost = cost::cost(text, u64::from(MAX_BYTES) * COST_PER_BYTE)?;
        let config = thompson::Config::new()
            // Where a match begins and ends is never asked.
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MAX_BYTES as usize));
        let states = NFA::compiler().configure(config).build(text).ok()?;
        let (form, bytes) = match table(&states) {
            Some(table) => {
                let bytes = table.memory_usage();
                (Form::Table(Box::new(table)), bytes)
            }
            None => {
                let bytes = states.memory_usage();
                (Form::States(states), bytes)
            }
        };
        let reading = u32::try_from(cost / COST_PER_BYTE).ok()?;
        let bytes = u32::try_from(bytes).ok()?.max(reading).max(MIN_BYTES);
        (bytes <= MAX_BYTES).then_some(Self { form, bytes })
    }

    /// The memory that it counts as: what it takes, more if it costs much to read, and 4 KiB at least.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Whether it matches somewhere in the text. For texts that nobody sends: the work is not bounded.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.matches(text, &mut Threads::new(), &mut { u64::MAX })
    }

    /// Whether it matches somewhere in the text. Takes the steps that it needs from `left`; when none are left, the
    /// answer means nothing.
    pub(crate) fn matches(&self, text: &str, threads: &mut Threads, left: &mut u64) -> bool {
        if text.len() > MAX_TEXT {
            return false;
        }
        match &self.form {
            Form::Table(table) => {
                // A table takes two bytes in the time of one step.
                let steps = 8 + text.len() / 2;
                *left = left.saturating_sub(steps as u64);
                let found = table.try_search_fwd(&Input::new(text).earliest(true));
                // A table without Unicode word boundaries never gives up.
                found.is_ok_and(|end| end.is_some())
            }
            Form::States(states) => threads.walk(states, text, left),
        }
    }
}

/// The whole automaton, if it is small.
fn table(states: &NFA) -> Option<DFA<Vec<u32>>> {
    // With more states, a table is not worth the attempt.
    if states.states().len() > 256 {
        return None;
    }
    let config = dense::Config::new()
        .start_kind(StartKind::Unanchored)
        .accelerate(false)
        .dfa_size_limit(Some(TABLE))
        .determinize_size_limit(Some(TABLE));
    let mut builder = dense::Builder::new();
    builder.configure(config).build_from_nfa(states).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether the pattern matches, by each form that it has.
    fn verdicts(pattern: &str, text: &str) -> Vec<bool> {
        let compiled = Pattern::compile(pattern).unwrap();
        let states = NFA::new(pattern).unwrap();
        let mut threads = Threads::default();
        let mut left = u64::MAX;
        vec![
            compiled.matches(text, &mut threads, &mut left),
            threads.walk(&states, text, &mut left),
        ]
    }

    fn pieces() -> impl Strategy<Value = String> {
        let piece = proptest::sample::select(vec![
            "a",
            "b",
            "ü",
            "é",
            "K",
            "0",
            "\\w",
            "\\d",
            "\\s",
            ".",
            "[^a]",
            "[à-ü]",
            "\\b",
            "\\B",
            "^",
            "$",
            "\\A",
            "\\z",
            "(?m:^)",
            "(?m:$)",
            "(?i:k)",
            "(?-u:\\b)",
            "(?-u:\\B)",
            "(?s:.)",
            "\\pL",
            "\\b{start}",
        ]);
        piece
            .prop_map(str::to_owned)
            .prop_recursive(4, 24, 4, |inner| {
                prop_oneof![
                    proptest::collection::vec(inner.clone(), 0..4).prop_map(|all| all.concat()),
                    proptest::collection::vec(inner.clone(), 1..4)
                        .prop_map(|all| format!("(?:{})", all.join("|"))),
                    (
                        inner,
                        proptest::sample::select(vec![
                            "*", "+", "?", "*?", "{2}", "{1,3}", "{0,2}?"
                        ])
                    )
                        .prop_map(|(piece, times)| format!("(?:{piece}){times}")),
                ]
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn patterns_match_what_the_regex_crate_matches(pattern in pieces(), text in "[abkKüéſ0 \n]{0,8}") {
            let expected = regex::Regex::new(&pattern).unwrap().is_match(&text);
            prop_assert_eq!(verdicts(&pattern, &text), vec![expected; 2], "{:?} on {:?}", pattern, text);
        }

        #[test]
        fn what_the_regex_crate_refuses_is_refused(pattern in "[ab()\\[\\]{}?*+|\\\\^$.,0-9<=!-]{0,8}") {
            let expected = regex::Regex::new(&pattern).is_ok();
            prop_assert_eq!(Pattern::compile(&pattern).is_some(), expected, "{:?}", pattern);
        }
    }

    #[test]
    fn ordinary_patterns_are_far_below_the_bound() {
        let words = |count: usize| {
            (0..count)
                .map(|n| format!("word{n}x{}", n * 7_919 % 100))
                .collect::<Vec<_>>()
                .join("|")
        };
        for (pattern, at_most_kib) in [
            (r"^\w+@\w+\.com$".to_owned(), 36),
            (
                r"^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}$".to_owned(),
                4,
            ),
            (
                r"(?i)^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$".to_owned(),
                4,
            ),
            (
                r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$"
                    .to_owned(),
                12,
            ),
            (format!("^({})$", words(50)), 32),
            (format!("(?i)({})", words(50)), 32),
            (r"https?://[\w.-]+(/[\w./-]*)?(\?\S*)?$".to_owned(), 40),
            (r"^\w{3,20}$".to_owned(), 350),
            (r".*@example\.com$".to_owned(), 8),
            (r"(?i)^[\w.+-]+@[\w-]+\.[\w.-]+$".to_owned(), 80),
            (r"(?i)^[\p{L}\p{N}_-]{1,20}$".to_owned(), 350),
            (r"(?i)^[^@\s]+@[^@\s]+$".to_owned(), 20),
        ] {
            let bytes = Pattern::compile(&pattern).unwrap().bytes();
            assert!(bytes <= at_most_kib << 10, "{pattern}: {bytes}");
        }
    }

    #[test]
    fn what_is_larger_than_the_bound_does_not_compile() {
        for pattern in [
            "\\w{200}",
            "\\w{1000}{1000}",
            "(?:.{1000}){1000}",
            "(",
            "(?=x)",
        ] {
            assert!(Pattern::compile(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn what_takes_long_to_read_does_not_compile() {
        let nested = |class: &str, times: usize| format!("(?i)[{}]{{0}}", class.repeat(times));
        for pattern in [
            nested("[\\S]", 5),
            nested("[\\D]", 5),
            nested("[\\x01-\\u{10ffff}]", 5),
            nested("[^\\p{Greek}[^a]]", 4),
            nested("[\\S&&\\W]", 2),
            "(?i)(?:\\P{L}\\p{Any}){4}{0}".repeat(4),
            "\\w{0}".repeat(300),
            format!("[{}]{{0}}", "\\pL".repeat(300)),
        ] {
            assert!(Pattern::compile(&pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn what_a_pattern_costs_to_read_counts_as_bytes() {
        // Case is folded after what is in brackets is put together, and before it is negated.
        let bytes = |pattern: &str| Pattern::compile(pattern).unwrap().bytes();
        assert_eq!(bytes("(?i)[^a]{0}"), MIN_BYTES);
        assert_eq!(bytes("[\\S]{0}"), MIN_BYTES);
        assert!(bytes("(?i)[\\S]{0}") > 128 << 10);
        assert!(bytes("(?i)[[\\S][\\S]]{0}") > 2 * (128 << 10));
        assert!(bytes("(?i:x)[\\S]{0}") > 128 << 10);
        // All ranges of a class are put in order for each character beside it.
        assert!(bytes(&format!("[\\w{}]{{0}}", ".".repeat(900))) > 400 << 10);
    }

    #[test]
    fn a_pattern_matches_no_text_beyond_the_bound() {
        for pattern in ["a", "\\w{20}"] {
            let compiled = Pattern::compile(pattern).unwrap();
            let matches = |length: usize| {
                compiled.matches(&"a".repeat(length), &mut Threads::default(), &mut {
                    u64::MAX
                })
            };
            assert!(matches(MAX_TEXT), "{pattern}");
            assert!(!matches(MAX_TEXT + 1), "{pattern}");
        }
    }

    #[test]
    fn a_walk_ends_when_no_steps_are_left() {
        let compiled = Pattern::compile("(a{0,30}){0,30}x").unwrap();
        let text = "a".repeat(MAX_TEXT);
        let mut threads = Threads::default();
        let mut left = u64::MAX;
        assert!(!compiled.matches(&text, &mut threads, &mut left));
        let needed = u64::MAX - left;

        let mut left = 10_000;
        assert!(!compiled.matches(&text, &mut threads, &mut left));
        assert_eq!(left, 0, "of {needed}");
        // The same text takes the same steps, whatever was matched before.
        let mut left = needed + 1;
        assert!(!compiled.matches(&text, &mut threads, &mut left));
        assert_eq!(left, 1);
    }
}
