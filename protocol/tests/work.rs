//! The work of evaluations is in proportion to what an environment holds, however its items refer to each other. It is
//! counted rather than timed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use protocol::{
    eval::{Context, Environment, Evaluator, Scratch},
    reason::Reason,
    snapshot::{Condition, Flag, FlagState, Rule, Segment, Snapshot},
};

/// A boolean flag that is on.
fn toggle(key: String) -> Flag {
    Flag {
        key,
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled: true,
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

fn prepare(flags: Vec<Flag>, segments: Vec<Segment>) -> Environment {
    let snapshot = Snapshot {
        flags,
        segments,
        keys: vec![],
        ..sample::snapshot()
    };
    Environment::prepare(&snapshot).unwrap()
}

/// Levels of flags, each of which requires the first twenty of the level below. The first level is the lowest.
fn levels(levels: usize, flags: usize) -> Vec<Flag> {
    let key = |level: usize, number: usize| format!("level-{level:02}-{number:03}");
    let flag = |level: usize, number: usize| {
        let mut flag = toggle(key(level, number));
        if level > 0 {
            flag.prerequisites = (0..20).map(|below| key(level - 1, below)).collect();
        }
        flag
    };
    (0..levels)
        .flat_map(|level| (0..flags).map(move |number| flag(level, number)))
        .collect()
}

/// A segment that matches nobody, which only its last condition tells.
fn large_segment() -> Segment {
    let condition = |number: usize| Condition {
        attribute: "plan".to_owned(),
        operator: "neq".to_owned(),
        values: vec![format!("plan-{number}")],
    };
    let mut rules: Vec<_> = (0..999).map(condition).collect();
    rules.push(Condition {
        attribute: "absent".to_owned(),
        ..condition(0)
    });
    Segment {
        key: "large".to_owned(),
        rules,
        ..Segment::default()
    }
}

fn rule_for(segment: &str, times: usize) -> Rule {
    Rule {
        id: "rule".to_owned(),
        segment_keys: vec![segment.to_owned(); times],
        percentage: 10_000,
        ..Rule::default()
    }
}

fn context() -> Context<'static> {
    serde_json::from_str(r#"{"key": "user-1", "attributes": {"plan": "pro"}}"#).unwrap()
}

/// The work for one answer about every flag, in units of what the environment holds, and how often each reason came up.
fn work_for_all(env: &Environment) -> (u64, Vec<(Reason, usize)>) {
    let (context, mut scratch) = (context(), Scratch::new());
    let mut evaluator = Evaluator::new(env, &context, &mut scratch);
    let mut reasons: Vec<(Reason, usize)> = Vec::new();
    for (flag, _) in env.flags() {
        let reason = evaluator.evaluate(flag).reason;
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += 1,
            None => reasons.push((reason, 1)),
        }
    }
    (evaluator.work() / env.held_bytes(), reasons)
}

/// The same for the flag with this key.
fn work_for_one(env: &Environment, key: &str) -> (u64, Reason) {
    let (context, mut scratch) = (context(), Scratch::new());
    let mut evaluator = Evaluator::new(env, &context, &mut scratch);
    let reason = evaluator.evaluate(env.flag(key).unwrap()).reason;
    (evaluator.work() / env.held_bytes(), reason)
}

#[test]
fn a_contest_is_held_once_for_all_members() {
    let mut flags: Vec<_> = (0..2_000).map(|n| toggle(format!("flag-{n}"))).collect();
    for flag in &mut flags {
        flag.mutual_exclusion_group = "group".to_owned();
    }
    let mut top = toggle("top".to_owned());
    top.prerequisites = (0..20).map(|n| format!("flag-{n}")).collect();
    flags.push(top);
    let env = prepare(flags, vec![]);

    let (work, mut reasons) = work_for_all(&env);
    reasons.sort_unstable_by_key(|(_, count)| *count);
    let reasons: Vec<_> = reasons.into_iter().map(|(_, count)| count).collect();
    assert_eq!(reasons, [1, 1, 1_999], "the winner, the top, the losers");
    assert!(work <= 2, "{work} times the environment");
    assert_eq!(work_for_one(&env, "top"), (0, Reason::PrerequisiteFailed));
}

#[test]
fn a_prerequisite_is_evaluated_once_for_all_that_require_it() {
    let env = prepare(levels(31, 33), vec![]);
    let (work, reasons) = work_for_all(&env);
    assert_eq!(reasons, [(Reason::Fallthrough, 31 * 33)]);
    assert!(work <= 2, "{work} times the environment");

    let (work, reason) = work_for_one(&env, "level-30-000");
    assert_eq!(reason, Reason::Fallthrough);
    assert!(work <= 1, "{work} times the environment");
}

#[test]
fn a_segment_is_judged_once_for_all_that_mention_it() {
    let mut flags: Vec<_> = (0..400).map(|n| toggle(format!("flag-{n}"))).collect();
    for flag in &mut flags {
        flag.state.as_mut().unwrap().rules = vec![rule_for("large", 1)];
    }
    flags[0].state.as_mut().unwrap().rules = vec![rule_for("large", 200)];
    let env = prepare(flags, vec![large_segment()]);

    let (work, reasons) = work_for_all(&env);
    assert_eq!(reasons, [(Reason::Fallthrough, 400)]);
    assert!(work <= 2, "{work} times the environment");
    assert_eq!(work_for_one(&env, "flag-0"), (0, Reason::Fallthrough));
}

#[test]
fn with_all_prerequisites_settled_in_their_order_no_flag_is_left_with_the_work_of_others() {
    let mut flags = levels(31, 33);
    // Keys in reverse, so that the order of keys is the worst: each flag comes before those that it requires.
    for flag in &mut flags {
        let reversed = |key: &str| {
            let level: usize = key[6..8].parse().unwrap();
            format!("level-{:02}{}", 30 - level, &key[8..])
        };
        flag.key = reversed(&flag.key);
        flag.prerequisites
            .iter_mut()
            .for_each(|key| *key = reversed(key));
    }
    let env = prepare(flags, vec![]);
    assert_eq!(env.required().len(), 30 * 20);

    let (context, mut scratch) = (context(), Scratch::new());
    let mut evaluator = Evaluator::new(&env, &context, &mut scratch);
    let mut most = 0;
    let mut before = 0;
    let mut step = |work: u64| {
        most = most.max(work - before);
        before = work;
    };
    for flag in env.required() {
        evaluator.settle(flag);
        step(evaluator.work());
    }
    for (flag, _) in env.flags() {
        assert_eq!(evaluator.evaluate(flag).reason, Reason::Fallthrough);
        step(evaluator.work());
    }
    let flag = 2 * env.held_bytes() / env.len() as u64;
    assert!(most <= flag, "{most} of at most {flag}");
    assert!(evaluator.work() <= 2 * env.held_bytes());
}
