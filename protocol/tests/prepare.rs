//! What `prepare` refuses, how it treats damaged data, and what it decides in advance.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use protocol::{
    delta::ApplyError,
    digest,
    eval::{Context, Environment, PrepareError, Scratch, evaluate},
    reason::Reason,
    snapshot::{Condition, Delta, Flag, FlagState, FlagType, Head, MatchType, Rule, Snapshot},
};
use sample::snapshot;

/// A boolean flag that is on.
fn toggle(key: &str, prerequisites: &[String]) -> Flag {
    Flag {
        id: uuid::Uuid::nil().into(),
        key: key.to_owned(),
        flag_type: FlagType::Boolean,
        default_value: "false".to_owned(),
        prerequisites: prerequisites.to_vec(),
        mutual_exclusion_group: String::new(),
        state: Some(FlagState {
            enabled: true,
            default_value: None,
            rules: vec![],
            percentage_rollout: None,
            variants: vec![],
        }),
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
        removed_flags: vec![],
        segments: vec![],
        removed_segments: vec![],
        keys: vec![],
        removed_keys: vec![],
        urgent: false,
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
            priority: 0,
            match_type: MatchType::All,
            conditions: vec![condition],
            segment_keys: vec![],
            percentage: 10_000,
            value: None,
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
