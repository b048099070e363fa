//! What the patterns of an environment may take of the memory of its machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod difference;
mod sample;
mod small;

use difference::difference;
use protocol::{
    eval::{Environment, MAX_PATTERN_BYTES},
    pattern,
    reason::Reason,
    snapshot::Flag,
};
use small::{answer, condition, flag, rule, segment, snapshot, with_text};

/// A flag for each pattern: `true` for texts that it matches.
fn flags_of(patterns: impl IntoIterator<Item = String>) -> Vec<Flag> {
    let flags = patterns.into_iter().enumerate().map(|(number, pattern)| {
        let rule = rule(vec![condition("regex", vec![pattern])], vec![]);
        flag(&format!("flag-{number:04}"), vec![rule])
    });
    flags.collect()
}

/// As large as a pattern may be, nearly.
fn large_pattern(number: usize) -> String {
    format!("\\w{{24}}-{number}")
}

#[test]
fn equal_patterns_take_the_memory_of_one() {
    let pattern = large_pattern(0);
    let held = |count: usize| {
        let flags = flags_of(vec![pattern.clone(); count]);
        Environment::prepare(&snapshot(flags, vec![]))
            .unwrap()
            .held_bytes()
    };
    let one = held(1);
    assert!(one > 300 << 10 && held(50) < one + (50 << 10), "{one}");
}

#[test]
fn patterns_beyond_what_an_environment_may_hold_never_match() {
    let bytes = pattern::Pattern::compile(&large_pattern(10))
        .unwrap()
        .bytes();
    let fit = (MAX_PATTERN_BYTES / bytes) as usize;
    let flags = flags_of((10..10 + fit + 5).map(large_pattern));
    let env = Environment::prepare(&snapshot(flags, vec![])).unwrap();
    assert_eq!(env.patterns_left_out(), 5);
    assert!(env.held_bytes() < u64::from(MAX_PATTERN_BYTES) + (1 << 20));
    for number in [0, fit - 1, fit, fit + 4] {
        let text = format!("{}-{}", "a".repeat(24), 10 + number);
        let expected = if number < fit {
            ("true".to_owned(), Reason::Targeted)
        } else {
            ("false".to_owned(), Reason::Fallthrough)
        };
        let found = answer(&env, &format!("flag-{number:04}"), &with_text(&text));
        assert_eq!(found, expected, "{number}");
    }
}

#[test]
fn which_patterns_are_left_out_does_not_depend_on_the_deltas_that_led_there() {
    let bytes = pattern::Pattern::compile(&large_pattern(10))
        .unwrap()
        .bytes();
    let fit = (MAX_PATTERN_BYTES / bytes) as usize;
    let many = snapshot(flags_of((10..10 + fit + 3).map(large_pattern)), vec![]);
    // The first two go, a segment comes before all flags, and one in the middle changes.
    let mut changed = many.clone();
    changed.flags.drain(..2);
    changed.flags[4].state.as_mut().unwrap().enabled = false;
    let of_segment = condition("regex", vec![large_pattern(99)]);
    changed.segments = vec![segment("segment".to_owned(), vec![of_segment])];
    let mut few = snapshot(flags_of((10..13).map(large_pattern)), vec![]);
    few.head.version = 1;

    let states = [&few, &many, &changed, &few, &changed, &many];
    let mut env = Environment::prepare(states[0]).unwrap();
    for (version, pair) in (1..).zip(states.windows(2)) {
        env = env.apply(&difference(pair[0], pair[1], version)).unwrap();
        let whole = Environment::prepare(pair[1]).unwrap();
        assert_eq!(env.patterns_left_out(), whole.patterns_left_out());
        assert_eq!(env.held_bytes(), whole.held_bytes());
        for (_, key) in whole.flags() {
            let number: usize = key[5..].parse().unwrap();
            let context = with_text(&format!("{}-{}", "a".repeat(24), 10 + number));
            assert_eq!(
                answer(&env, key, &context),
                answer(&whole, key, &context),
                "{key}"
            );
        }
    }
    assert_eq!(env.patterns_left_out(), 3);
}
