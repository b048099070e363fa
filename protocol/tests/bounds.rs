//! What an environment may cost others on its machine: work, which is counted and not timed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;
mod small;

use std::borrow::Cow;

use protocol::{
    eval::{Attribute, Context, Environment, Evaluator, Scratch, evaluate, explain},
    reason::Reason,
    snapshot::{Rule, Snapshot},
};
use small::{answer, condition, flag, rule, segment, snapshot, with, with_text};

/// The steps that the rules of a flag may take and those that judging a segment may take, together.
const STEPS: u64 = 400_000;
/// The steps of the longest single test, which is begun while any steps are left.
const LONGEST: u64 = 16_500;
/// The most work that one evaluation may come to, in the units of [`Evaluator::work`]: some milliseconds.
const MOST: u64 = (STEPS + 2 * LONGEST) * 8;

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
fn rules_nearly_spent_and_then_a_segment_nearly_spent_take_bounded_work() {
    let parts = || condition("contains", vec!["ab".repeat(12) + "c"]);
    let context = with_text(&"ab".repeat(8_190));
    let mut most = 0;
    // Each takes some four thousand steps: a few less and a few more than what is there.
    for of_rules in 65..80 {
        for of_segment in [20, 24, 25, 200] {
            let mut rules = rule(vec![parts(); of_rules], vec![]);
            rules.priority = -1;
            let naming = rule(vec![], vec!["segment".to_owned()]);
            let segments = vec![segment("segment".to_owned(), vec![parts(); of_segment])];
            let flags = vec![flag("flag", vec![rules, naming])];
            let env = Environment::prepare(&snapshot(flags, segments)).unwrap();
            let mut scratch = Scratch::new();
            let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
            let _answer = evaluator.evaluate(env.flag("flag").unwrap());
            most = most.max(evaluator.work());
        }
    }
    assert!(most < MOST, "{most}");
    assert!(most > STEPS * 8 * 9 / 10, "these are not the worst");
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
    let mut segments = vec![
        segment("little".to_owned(), vec![condition("exists", vec![])]),
        segment("too-much".to_owned(), vec![parts("contains"); 30]),
    ];
    // Four of these take more than the rules of a flag may.
    let large = ["large-1", "large-2", "large-3", "large-4"];
    segments.extend(large.map(|key| segment(key.to_owned(), vec![parts("contains"); 20])));
    let naming = |key: &str, segments: &[&str]| {
        let segments = segments.iter().map(|key| (*key).to_owned()).collect();
        let mut last = rule(vec![], vec![]);
        last.priority = 1;
        flag(key, vec![rule(vec![], segments), last])
    };
    let mut requiring = naming("requires", &large[1..]);
    requiring.prerequisites = vec!["three".to_owned()];
    let mut failing = naming("requires-spent", &["little"]);
    failing.prerequisites = vec!["too-much".to_owned()];
    let flags = vec![
        naming("four", &large),
        naming("little", &["little"]),
        naming("one", &large[..1]),
        naming("three", &large[..3]),
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
        ("one", served.clone()),
        ("three", served.clone()),
        ("too-much", error.clone()),
        ("four", error),
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
fn an_evaluation_that_gives_up_takes_little_work_and_leaves_no_trace() {
    let (snapshot, context) = spent();
    let env = Environment::prepare(&snapshot).unwrap();
    let mut given_up = 0;
    for (flag, key) in env.flags() {
        let alone = evaluate(&env, flag, &context, &mut Scratch::new());
        let mut scratch = Scratch::new();
        let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
        for required in env.required_by([flag]) {
            let before = evaluator.work();
            let is_settled = evaluator.settle_briefly(required);
            assert!(evaluator.work() - before < MOST / 10, "{key}");
            if !is_settled {
                evaluator.settle(required);
            }
        }
        let before = evaluator.work();
        let briefly = evaluator.evaluate_briefly(flag, |evaluation| *evaluation);
        assert!(evaluator.work() - before < MOST / 10, "{key}");
        match briefly {
            Some(evaluation) => assert_eq!(evaluation, alone, "{key}"),
            None => given_up += 1,
        }
        assert_eq!(evaluator.evaluate(flag), alone, "{key}");
    }
    assert_eq!(given_up, 5);

    // Also where a flag that is required gives up within another.
    let flag = env.flag("requires").unwrap();
    let mut scratch = Scratch::new();
    let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
    assert_eq!(
        evaluator.evaluate_briefly(flag, |evaluation| *evaluation),
        None
    );
    let alone = evaluate(&env, flag, &context, &mut Scratch::new());
    assert_eq!(evaluator.evaluate(flag), alone);
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
