//! What an environment may cost others on its machine: memory of patterns, and work. Both are counted and not timed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use std::borrow::Cow;

use protocol::{
    digest,
    eval::{
        Attribute, Context, Environment, Evaluator, MAX_PATTERN_BYTES, Scratch, evaluate, explain,
    },
    pattern,
    reason::Reason,
    snapshot::{
        Condition, Delta, Flag, FlagState, FlagType, Head, MatchType, RemovedFlag, Rule, Segment,
        Snapshot,
    },
};

/// The most work that one evaluation came to here, in the units of [`Evaluator::work`]: some milliseconds.
const MOST: u64 = 8 << 20;

fn condition(operator: &str, values: Vec<String>) -> Condition {
    Condition {
        attribute: "text".to_owned(),
        operator: operator.to_owned(),
        values,
    }
}

fn rule(conditions: Vec<Condition>, segment_keys: Vec<String>) -> Rule {
    Rule {
        id: "rule".to_owned(),
        priority: 0,
        match_type: MatchType::Any,
        conditions,
        segment_keys,
        percentage: 10_000,
        value: None,
    }
}

fn flag(key: &str, rules: Vec<Rule>) -> Flag {
    Flag {
        id: uuid::Uuid::nil().into(),
        key: key.to_owned(),
        flag_type: FlagType::Boolean,
        default_value: "false".to_owned(),
        prerequisites: vec![],
        mutual_exclusion_group: String::new(),
        state: Some(FlagState {
            enabled: true,
            default_value: None,
            rules,
            percentage_rollout: None,
            variants: vec![],
        }),
    }
}

fn segment(key: String, rules: Vec<Condition>) -> Segment {
    Segment {
        id: uuid::Uuid::nil().into(),
        key,
        match_type: MatchType::Any,
        rules,
    }
}

fn snapshot(flags: Vec<Flag>, segments: Vec<Segment>) -> Snapshot {
    Snapshot {
        flags,
        segments,
        keys: vec![],
        ..sample::snapshot()
    }
}

fn with_text(text: &str) -> Context<'static> {
    with(Attribute::Text(Cow::Owned(text.to_owned())))
}

fn with(attribute: Attribute<'static>) -> Context<'static> {
    Context {
        key: Cow::Borrowed("user"),
        attributes: [(Cow::Borrowed("text"), attribute)].into_iter().collect(),
    }
}

fn answer(env: &Environment, key: &str, context: &Context<'_>) -> (String, Reason) {
    let flag = env.flag(key).unwrap();
    let evaluation = evaluate(env, flag, context, &mut Scratch::new());
    (evaluation.value_json.to_owned(), evaluation.reason)
}

/// A flag for each pattern: `true` for texts that it matches.
fn flags_of(patterns: impl IntoIterator<Item = String>) -> Vec<Flag> {
    let flags = patterns.into_iter().enumerate().map(|(number, pattern)| {
        let rule = rule(vec![condition("regex", vec![pattern])], vec![]);
        flag(&format!("flag-{number:04}"), vec![rule])
    });
    flags.collect()
}

/// What leads from one environment at this version to another.
fn difference(old: &Snapshot, new: &Snapshot, base: u64) -> Delta {
    let head = Head {
        version: base + 1,
        ..new.head.clone()
    };
    let whole = Snapshot {
        head: head.clone(),
        ..new.clone()
    };
    let gone = |flag: &&Flag| new.flags.iter().all(|new| new.key != flag.key);
    let removed = old.flags.iter().filter(gone).map(|flag| RemovedFlag {
        id: flag.id,
        key: flag.key.clone(),
    });
    Delta {
        digest: digest::of(&whole),
        head,
        base,
        flags: new
            .flags
            .iter()
            .filter(|flag| !old.flags.contains(flag))
            .cloned()
            .collect(),
        removed_flags: removed.collect(),
        segments: new.segments.clone(),
        removed_segments: vec!["segment".to_owned(); usize::from(new.segments.is_empty())],
        keys: vec![],
        removed_keys: vec![],
        urgent: false,
    }
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

#[test]
fn the_worst_states_and_contexts_take_bounded_work() {
    let long = "ab".repeat(8_190);
    let numbers = with(Attribute::Array(vec![Attribute::Uint(7); 8_000]));
    let texts = Attribute::Text(Cow::Borrowed("ab"));
    let texts = with(Attribute::Array(vec![texts; 3_000]));
    let many = |operator: &str, value: &str| -> Vec<Rule> {
        let conditions = vec![condition(operator, vec![value.to_owned()]); 100];
        vec![rule(conditions, vec![]); 100]
    };
    let patterns = |pattern: &str| -> Vec<Rule> {
        let patterns = (0..200).map(|number| format!("{pattern}z{number}"));
        vec![rule(vec![condition("regex", patterns.collect())], vec![])]
    };
    let list = |operator: &str| -> Vec<Rule> {
        let values = (0..10_000).map(|number| format!("abab{number}"));
        let condition = condition(operator, values.collect());
        vec![rule(vec![condition; 20], vec![])]
    };
    for (name, rules) in [
        ("patterns of many states", patterns("N_0.{200}")),
        (
            "patterns that are in all states",
            patterns("(a{0,30}){0,30}"),
        ),
        ("patterns of tables", patterns("[a-z]*[a-z]*")),
        ("contains", many("contains", "ababababababababababababc")),
        ("equal", many("eq", "x")),
        ("greater", many("gt", "5")),
        ("newer", many("gt", "1.2.3")),
        ("later", many("gt", "2024-01-01T00:00:00Z")),
        ("a list of parts", list("contains")),
        ("a list of beginnings", list("startsWith")),
        ("a list of ends", list("endsWith")),
    ] {
        let env = Environment::prepare(&snapshot(vec![flag("flag", rules)], vec![])).unwrap();
        let index = env.flag("flag").unwrap();
        let short = with_text("jane.doe@example.com");
        for context in [
            &with_text(&long),
            &with_text(&"N_0".repeat(1_365)),
            &with_text(&"a".repeat(4_096)),
            &with_text(&"9".repeat(16_000)),
            &with_text(&format!("1.2.3-{}b", "a.".repeat(8_000))),
            &numbers,
            &texts,
            &short,
        ] {
            let mut scratch = Scratch::new();
            let mut evaluator = Evaluator::new(&env, context, &mut scratch);
            let reason = evaluator.evaluate(index).reason;
            assert!(evaluator.work() < MOST, "{name}: {}", evaluator.work());
            // With an ordinary context, nearly all of them answer.
            if std::ptr::eq(context, &raw const short) && !name.ends_with("in all states") {
                assert_eq!(reason, Reason::Fallthrough, "{name}");
            }
        }
    }
}

#[test]
fn many_large_segments_take_bounded_work() {
    let conditions: Vec<_> = (0..1_000)
        .map(|number| condition("eq", vec![format!("value-{number}")]))
        .collect();
    let segments: Vec<_> = (0..500)
        .map(|number| segment(format!("segment-{number}"), conditions.clone()))
        .collect();
    let mentions =
        |of: usize| -> Vec<String> { (0..20_000).map(|n| format!("segment-{}", n % of)).collect() };
    let flags = vec![
        flag("many", vec![rule(vec![], mentions(500))]),
        flag("one", vec![rule(vec![], mentions(1))]),
    ];
    let env = Environment::prepare(&snapshot(flags, segments)).unwrap();
    let context = with_text("nobody");
    for key in ["many", "one"] {
        let mut scratch = Scratch::new();
        let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
        let _answer = evaluator.evaluate(env.flag(key).unwrap());
        assert!(evaluator.work() < MOST, "{key}: {}", evaluator.work());
    }
}

/// Flags that take more work than they may, some by segments that are judged for all of them.
fn spent() -> (Snapshot, Context<'static>) {
    let parts = |operator: &str| condition(operator, vec!["ab".repeat(12) + "c"]);
    let half = vec![parts("contains"); 60];
    let segments = vec![
        segment("half".to_owned(), half.clone()),
        segment("other-half".to_owned(), half.clone()),
        segment("too-much".to_owned(), vec![parts("contains"); 400]),
        segment("little".to_owned(), vec![condition("exists", vec![])]),
    ];
    let naming = |key: &str, segments: &[&str]| {
        let segments = segments.iter().map(|key| (*key).to_owned()).collect();
        let mut last = rule(vec![], vec![]);
        last.priority = 1;
        flag(key, vec![rule(vec![], segments), last])
    };
    let mut requiring = naming("requires", &["half"]);
    requiring.prerequisites = vec!["one-half".to_owned()];
    let mut failing = naming("requires-spent", &["little"]);
    failing.prerequisites = vec!["too-much".to_owned()];
    let flags = vec![
        naming("both-halves", &["half", "other-half"]),
        naming("little", &["little"]),
        naming("one-half", &["half"]),
        naming("other-half", &["other-half"]),
        requiring,
        failing,
        naming("too-much", &["too-much"]),
    ];
    (snapshot(flags, segments), with_text(&"ab".repeat(8_190)))
}

#[test]
fn a_flag_that_takes_too_much_work_answers_with_its_default_and_error() {
    let (snapshot, context) = spent();
    let env = Environment::prepare(&snapshot).unwrap();
    let error = ("false".to_owned(), Reason::Error);
    let served = ("true".to_owned(), Reason::Targeted);
    for (key, expected) in [
        ("little", served.clone()),
        ("one-half", served.clone()),
        ("too-much", error.clone()),
        ("both-halves", error),
        // Each flag has its own work to do: what another one did is not counted, although the segment is the same.
        ("requires", served),
        (
            "requires-spent",
            ("false".to_owned(), Reason::PrerequisiteFailed),
        ),
    ] {
        assert_eq!(answer(&env, key, &context), expected, "{key}");
    }
    assert_eq!(
        answer(&env, "too-much", &with_text("ab")),
        ("true".to_owned(), Reason::Targeted)
    );
}

#[test]
fn whether_work_is_too_much_does_not_depend_on_what_was_asked_before() {
    let (snapshot, context) = spent();
    let env = Environment::prepare(&snapshot).unwrap();
    let flags: Vec<_> = env.flags().map(|(flag, _)| flag).collect();
    for first in 0..flags.len() {
        let mut order = flags.clone();
        order.rotate_left(first);
        if first % 2 == 1 {
            order.reverse();
        }
        let mut scratch = Scratch::new();
        let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
        for flag in order {
            let alone = evaluate(&env, flag, &context, &mut Scratch::new());
            assert_eq!(evaluator.evaluate(flag), alone, "{}", env.key(flag));
        }
    }
}

#[test]
fn an_explanation_says_that_the_work_was_too_much() {
    let (snapshot, context) = spent();
    let env = Environment::prepare(&snapshot).unwrap();
    for (flag, key) in env.flags() {
        let evaluation = evaluate(&env, flag, &context, &mut Scratch::new());
        let told = explain(&env, &snapshot, key, &context, &mut Scratch::new());
        assert_eq!(told.result.reason, evaluation.reason, "{key}");
        if evaluation.reason == Reason::Error {
            let last = told.steps.last().unwrap();
            assert_eq!(
                (last.step, last.detail),
                (
                    "rules",
                    "testing the rules takes more work than an evaluation may: the flag's default is served"
                )
            );
        }
    }
}
