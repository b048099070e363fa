//! What `prepare` refuses, how it treats damaged data, and what it decides in advance.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use protocol::{
    delta::ApplyError,
    digest,
    eval::{Context, Environment, FlagIndex, PrepareError, Scratch, evaluate},
    reason::Reason,
    snapshot::{Condition, Delta, Flag, FlagState, Head, Rule, Snapshot},
};
use sample::snapshot;

/// A boolean flag that is on.
fn toggle(key: &str, prerequisites: &[String]) -> Flag {
    Flag {
        key: key.to_owned(),
        default_value: "false".to_owned(),
        prerequisites: prerequisites.to_vec(),
        state: Some(FlagState {
            enabled: true,
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

fn environment(flags: Vec<Flag>) -> Snapshot {
    Snapshot {
        flags,
        segments: vec![],
        keys: vec![],
        ..snapshot()
    }
}

fn reason(env: &Environment, key: &str) -> Reason {
    evaluate(
        env,
        env.flag(key).unwrap(),
        &Context::new("user"),
        &mut Scratch::new(),
    )
    .reason
}

#[test]
fn a_key_that_occurs_twice_is_refused() {
    let flags = environment(vec![toggle("a", &[]), toggle("b", &[]), toggle("a", &[])]);
    assert_eq!(
        Environment::prepare(&flags).unwrap_err(),
        PrepareError::DuplicateFlag("a".to_owned())
    );

    let mut segments = snapshot();
    segments.segments.push(segments.segments[0].clone());
    assert_eq!(
        Environment::prepare(&segments).unwrap_err(),
        PrepareError::DuplicateSegment("beta".to_owned())
    );
}

#[test]
fn a_value_that_is_not_json_is_refused_even_in_a_state_that_is_off() {
    for damaged in ["", "{", "tru", "1 2", "'a'", "nan"] {
        let mut flag = toggle("a", &[]);
        flag.default_value = damaged.to_owned();
        let error = Environment::prepare(&environment(vec![flag])).unwrap_err();
        assert_eq!(error, PrepareError::Value("a".to_owned()));

        let mut flag = toggle("a", &[]);
        let state = flag.state.as_mut().unwrap();
        state.enabled = false;
        state.default_value = Some(damaged.to_owned());
        assert!(Environment::prepare(&environment(vec![flag])).is_err());
    }
}

#[test]
fn a_delta_with_a_value_that_is_not_json_is_refused() {
    let before = environment(vec![]);
    let mut flag = toggle("a", &[]);
    flag.default_value = "{".to_owned();
    let delta = Delta {
        head: Head {
            version: 42,
            ..before.head.clone()
        },
        base: 41,
        digest: digest::of(&environment(vec![flag.clone()])),
        flags: vec![flag],
        ..Delta::default()
    };
    let refused = Environment::prepare(&before)
        .unwrap()
        .apply(&delta)
        .unwrap_err();
    assert_eq!(
        refused,
        ApplyError::Contents(PrepareError::Value("a".to_owned()))
    );
}

#[test]
fn conditions_that_cannot_be_understood_never_match() {
    let too_large = "\\w{200}{200}".to_owned();
    for (operator, value) in [
        ("regex", "(".to_owned()),
        ("regex", too_large),
        ("isLike", "user".to_owned()),
    ] {
        let condition = Condition {
            attribute: "key".to_owned(),
            operator: operator.to_owned(),
            values: vec![value.clone()],
        };
        let mut flag = toggle("a", &[]);
        flag.state.as_mut().unwrap().rules.push(Rule {
            id: "r".to_owned(),
            conditions: vec![condition],
            percentage: 10_000,
            ..Rule::default()
        });
        let env = Environment::prepare(&environment(vec![flag])).unwrap();
        assert_eq!(reason(&env, "a"), Reason::Fallthrough, "{operator} {value}");
    }
}

#[test]
fn thirty_two_links_pass_and_thirty_three_do_not() {
    let key = |number: usize| format!("link-{number:02}");
    let flags = (0..34)
        .map(|number| {
            let prerequisites = if number < 33 {
                vec![key(number + 1)]
            } else {
                vec![]
            };
            toggle(&key(number), &prerequisites)
        })
        .collect();
    let env = Environment::prepare(&environment(flags)).unwrap();
    assert_eq!(reason(&env, &key(0)), Reason::PrerequisiteFailed);
    assert_eq!(reason(&env, &key(1)), Reason::Fallthrough);
}

#[test]
fn flags_that_come_unsorted_are_found_in_key_order() {
    let env = Environment::prepare(&environment(vec![
        toggle("b", &[]),
        toggle("c", &[]),
        toggle("a", &[]),
    ]))
    .unwrap();
    let keys: Vec<&str> = env.flags().map(|(_, key)| key).collect();
    assert_eq!(keys, ["a", "b", "c"]);
    assert!(
        keys.iter()
            .all(|key| env.flag(key).is_some_and(|flag| env.key(flag) == *key))
    );
    assert_eq!(env.flag("d"), None);
}

#[test]
fn an_index_from_another_version_does_no_harm() {
    let many =
        Environment::prepare(&environment(vec![toggle("a", &[]), toggle("b", &[])])).unwrap();
    let none = Environment::prepare(&environment(vec![])).unwrap();
    let beyond = many.flag("b").unwrap();
    assert_eq!(
        evaluate(&none, beyond, &Context::new("user"), &mut Scratch::new()).reason,
        Reason::NotFound
    );
    assert_eq!(none.flag("b"), None);
}

#[test]
fn what_an_evaluation_comes_to_is_known_in_advance() {
    let flag = |key: &str, prerequisites: &[&str]| {
        let prerequisites: Vec<_> = prerequisites.iter().map(|&key| key.to_owned()).collect();
        toggle(key, &prerequisites)
    };
    let env = Environment::prepare(&environment(vec![
        flag("a-top", &["b-left", "c-right"]),
        flag("b-left", &["d-bottom"]),
        flag("c-right", &["d-bottom", "gone"]),
        flag("d-bottom", &[]),
        flag("e-cycle", &["f-cycle"]),
        flag("f-cycle", &["e-cycle"]),
        flag("g-alone", &[]),
    ]))
    .unwrap();
    let keys =
        |flags: Vec<FlagIndex>| -> Vec<_> { flags.into_iter().map(|flag| env.key(flag)).collect() };
    let comes_to = |key: &str| {
        let flag = env.flag(key).unwrap();
        (keys(env.required_by([flag])), env.reach(flag))
    };
    assert_eq!(
        keys(env.required().collect()),
        ["d-bottom", "b-left", "c-right", "e-cycle", "f-cycle"]
    );
    // Two paths lead to the bottom.
    assert_eq!(
        comes_to("a-top"),
        (vec!["d-bottom", "b-left", "c-right"], 4)
    );
    assert_eq!(comes_to("c-right"), (vec!["d-bottom"], 1));
    assert_eq!(comes_to("d-bottom"), (vec![], 0));
    assert_eq!(comes_to("e-cycle"), (vec![], 0));
    assert_eq!(comes_to("g-alone"), (vec![], 0));
    let both = ["b-left", "c-right"].map(|key| env.flag(key).unwrap());
    assert_eq!(keys(env.required_by(both)), ["d-bottom"]);
}

#[test]
fn the_paths_below_a_flag_are_counted_up_to_a_bound() {
    let key = |level: usize, number: usize| format!("level-{level:02}-{number:02}");
    let flags = (0..33).flat_map(|level| {
        (0..20).map(move |number| {
            let below = (0..20).map(|number| key(level + 1, number));
            let below: Vec<_> = below.filter(|_| level < 32).collect();
            toggle(&key(level, number), &below)
        })
    });
    let env = Environment::prepare(&environment(flags.collect())).unwrap();
    let reach = |level| env.reach(env.flag(&key(level, 0)).unwrap());
    assert_eq!(
        [reach(32), reach(31), reach(30), reach(0)],
        [0, 20, 420, u32::MAX]
    );
    assert_eq!(env.required_by(env.flag(&key(0, 0))).len(), 32 * 20);
}
