use protocol::snapshot::FlagType;
use serde_json::{Value, json};

use crate::{
    flagsmith::{
        translate::{EnvironmentRead, Override, Project, translate},
        wire::State as Sent,
    },
    plan::{Choices, Flag, Plan, State},
};

fn state(enabled: bool, value: Value) -> Value {
    json!({"feature": 1, "enabled": enabled, "feature_state_value": value})
}

fn plan(feature: Value, states: Value, overrides: &[(&str, Value)]) -> Plan {
    let overrides = overrides.iter().map(|(identifier, state)| Override {
        identifier: (*identifier).to_owned(),
        state: read(state.clone()),
    });
    let environment = EnvironmentRead {
        environment: read(json!({"id": 31, "name": "QA Europe", "api_key": "k"})),
        states: read(states),
        overrides: overrides.collect(),
        are_overrides_known: true,
    };
    translate(
        Project {
            environments: vec![environment],
            features: vec![read(feature)],
            tags: read(json!([{"id": 3, "label": "team x"}])),
            segments: Vec::new(),
        },
        &Choices::default(),
    )
}

fn read<T: serde::de::DeserializeOwned>(sent: Value) -> T {
    serde_json::from_value(sent).unwrap()
}

fn feature(kind: &str, initial: Value) -> Value {
    json!({"id": 1, "name": "f", "type": kind, "initial_value": initial})
}

fn flag(feature: Value, state: Value) -> Flag {
    plan(feature, json!([state]), &[]).flags.remove(0)
}

/// The flag's state, and whether there are remarks.
fn overridden(feature: Value, own: Value, of_alice: Value) -> (State, bool) {
    let mut plan = plan(feature, json!([own]), &[("alice", of_alice)]);
    let mut flag = plan.flags.remove(0);
    (flag.states.remove(0), flag.remarks.is_empty())
}

fn served(state: &State) -> Vec<(Vec<String>, i64, Value)> {
    let rules = state.rules.iter();
    rules
        .map(|rule| {
            let keys = rule.conditions.iter().flat_map(|condition| {
                assert_eq!(
                    (condition.attribute.as_str(), condition.operator.as_str()),
                    ("key", "in")
                );
                condition.values.clone()
            });
            (keys.collect(), rule.percentage, rule.value.clone().unwrap())
        })
        .collect()
}

fn to_alice(value: Value) -> Vec<(Vec<String>, i64, Value)> {
    vec![(vec!["alice".to_owned()], 10_000, value)]
}

#[test]
fn a_flag_without_a_value_is_boolean_and_exact() {
    for kind in ["FLAG", "STANDARD"] {
        for enabled in [true, false] {
            let flag = flag(feature(kind, json!(null)), state(enabled, json!(null)));
            assert_eq!(flag.flag_type, FlagType::Boolean);
            assert_eq!(flag.default_value, json!(false));
            let own = &flag.states[0];
            assert_eq!(own.environment, "qa-europe");
            assert_eq!(
                (own.enabled, &own.default_value),
                (enabled, &Some(json!(true)))
            );
            assert!(flag.remarks.is_empty());
        }
    }
}

#[test]
fn a_flag_with_a_value_is_a_text_and_exact_where_it_is_on() {
    for kind in ["CONFIG", "STANDARD", "MULTIVARIATE"] {
        let flag = flag(feature(kind, json!("a")), state(true, json!("b")));
        assert_eq!(flag.flag_type, FlagType::String);
        assert_eq!(flag.default_value, json!("a"));
        assert_eq!(flag.states[0].default_value, Some(json!("b")));
        assert!(flag.remarks.is_empty());
    }
    let later = flag(feature("STANDARD", json!("")), state(true, json!("b")));
    assert_eq!(later.flag_type, FlagType::String);
    let never = flag(feature("STANDARD", json!("")), state(true, json!("")));
    assert_eq!(never.flag_type, FlagType::Boolean);
    let off = flag(feature("CONFIG", json!("a")), state(false, json!("b")));
    assert!(!off.states[0].enabled && !off.remarks.is_empty());
}

#[test]
fn a_flag_whose_values_are_all_numbers_is_a_number() {
    let typed = json!({"type": "int", "string_value": "everyone", "integer_value": 5});
    let flag = flag(feature("STANDARD", json!("42")), state(true, typed));
    assert_eq!(flag.flag_type, FlagType::Number);
    assert_eq!(flag.default_value, json!(42));
    assert_eq!(flag.states[0].default_value, Some(json!(5)));
    assert!(flag.remarks.is_empty());
}

#[test]
fn mixed_values_are_texts_with_a_remark() {
    let flag = flag(feature("CONFIG", json!("a")), state(true, json!(5)));
    assert_eq!(flag.flag_type, FlagType::String);
    assert_eq!(flag.states[0].default_value, Some(json!("5")));
    assert_eq!(flag.remarks.iter().count(), 1);
    let boolean = self::flag(feature("CONFIG", json!("True")), state(true, json!(true)));
    assert_eq!(boolean.states[0].default_value, Some(json!("true")));
    assert_eq!(boolean.remarks.iter().count(), 1);
}

#[test]
fn no_value_is_an_empty_text_with_a_remark() {
    let nothing = flag(feature("CONFIG", json!(null)), state(true, json!(null)));
    assert_eq!(nothing.default_value, json!(""));
    assert_eq!(nothing.states[0].default_value, Some(json!("")));
    assert!(!nothing.remarks.is_empty());
    let empty = flag(feature("CONFIG", json!("a")), state(true, json!("")));
    assert_eq!(empty.states[0].default_value, Some(json!("")));
    assert!(empty.remarks.is_empty());
}

#[test]
fn a_value_of_a_toggle_is_dropped_with_a_remark() {
    let flag = flag(feature("FLAG", json!(null)), state(true, json!("x")));
    assert_eq!(flag.flag_type, FlagType::Boolean);
    assert!(!flag.remarks.is_empty());
}

#[test]
fn choices_are_a_cumulative_split_and_the_rest_has_the_own_value() {
    let mut multivariate = feature("MULTIVARIATE", json!("control"));
    multivariate["multivariate_options"] = json!([
        {"id": 1, "type": "unicode", "string_value": "a", "default_percentage_allocation": 0},
        {"id": 2, "type": "unicode", "string_value": "b", "default_percentage_allocation": 100},
    ]);
    let of = |shares: [f64; 2]| {
        let mut state = state(true, json!("control"));
        state["multivariate_feature_state_values"] = json!([
            {"multivariate_feature_option": 1, "percentage_allocation": shares[0]},
            {"multivariate_feature_option": {"id": 2, "value": "b"}, "percentage_allocation": shares[1]},
        ]);
        flag(multivariate.clone(), state)
    };
    let split = of([33.3, 12.5]);
    let everybody = Vec::new;
    assert_eq!(
        served(&split.states[0]),
        [
            (everybody(), 3_330, json!("a")),
            (everybody(), 4_580, json!("b"))
        ]
    );
    assert_eq!(split.states[0].default_value, Some(json!("control")));
    assert_eq!(split.remarks.iter().count(), 1);
    assert!(of([0.0, 0.0]).remarks.is_empty());
    let whole = of([0.0, 100.0]);
    assert_eq!(
        served(&whole.states[0]),
        [(everybody(), 10_000, json!("b"))]
    );
    assert!(whole.remarks.is_empty());
    assert!(!of([130.0, 0.0]).remarks.is_empty());
    // Without allocations of its own, a state has those of the feature.
    let state = state(true, json!("control"));
    assert_eq!(
        served(&flag(multivariate, state).states[0]),
        served(&whole.states[0])
    );
}

#[test]
fn identities_override_toggles_by_a_rule_each() {
    let toggle = feature("STANDARD", json!(null));
    let (state_on, is_exact) = overridden(
        toggle.clone(),
        state(true, json!(null)),
        state(false, json!(null)),
    );
    assert_eq!(served(&state_on), to_alice(json!(false)));
    assert!(is_exact);
    let (_, is_exact) = overridden(
        toggle.clone(),
        state(false, json!(null)),
        state(false, json!(null)),
    );
    assert!(is_exact, "off in both");
    let (_, is_exact) = overridden(toggle, state(false, json!(null)), state(true, json!(null)));
    assert!(!is_exact, "it has no effect in a state that is off");
}

#[test]
fn identities_override_values_before_all_splits() {
    let mut multivariate = feature("MULTIVARIATE", json!("control"));
    multivariate["multivariate_options"] = json!([
        {"id": 1, "type": "unicode", "string_value": "a", "default_percentage_allocation": 100},
    ]);
    let own = state(true, json!("control"));
    let (split, is_exact) = overridden(multivariate.clone(), own.clone(), state(true, json!("x")));
    let everybody = (Vec::new(), 10_000, json!("a"));
    assert_eq!(
        served(&split),
        [to_alice(json!("x")), vec![everybody]].concat()
    );
    assert!(is_exact);
    let mut chosen = state(true, json!("x"));
    chosen["multivariate_feature_state_values"] =
        json!([{"multivariate_feature_option": 1, "percentage_allocation": 100}]);
    let (split, is_exact) = overridden(multivariate.clone(), own.clone(), chosen.clone());
    assert_eq!(served(&split)[..1], to_alice(json!("a")));
    assert!(is_exact);
    chosen["multivariate_feature_state_values"][0]["percentage_allocation"] = json!(40);
    assert!(!overridden(multivariate.clone(), own.clone(), chosen).1);
    assert!(
        !overridden(multivariate.clone(), own, state(false, json!("x"))).1,
        "switched off"
    );
    assert!(
        !overridden(
            multivariate,
            state(false, json!("c")),
            state(true, json!("x"))
        )
        .1
    );
}

#[test]
fn what_segments_override_is_a_remark() {
    let mut row = state(false, json!(null));
    row["feature_segment"] = json!(12);
    let toggle = feature("STANDARD", json!(null));
    let states = json!([row, state(true, json!(null))]);
    let with_row = plan(toggle.clone(), states, &[]).flags.remove(0);
    assert!(
        with_row.states[0].enabled,
        "rows for segments are not states"
    );
    assert_eq!(with_row.remarks.iter().count(), 1);
    let mut counted = toggle;
    counted["num_segment_overrides"] = json!(1);
    let flag = flag(counted, state(true, json!(null)));
    assert_eq!(flag.remarks.iter().count(), 1);
}

#[test]
fn identity_overrides_that_were_not_found_are_a_remark() {
    let mut counted = feature("STANDARD", json!(null));
    counted["num_identity_overrides"] = json!(2);
    let flag = flag(counted, state(true, json!(null)));
    assert_eq!(flag.remarks.iter().count(), 1);
}

#[test]
fn tags_are_labels_and_unknown_ones_a_remark() {
    let mut tagged = feature("STANDARD", json!(null));
    tagged["tags"] = json!([3]);
    let known = flag(tagged.clone(), state(true, json!(null)));
    assert_eq!(
        (known.tags, known.remarks.is_empty()),
        (vec!["team x".to_owned()], true)
    );
    tagged["tags"] = json!([4, "plain"]);
    let unknown = flag(tagged, state(true, json!(null)));
    assert_eq!(
        (unknown.tags, unknown.remarks.is_empty()),
        (vec!["plain".to_owned()], false)
    );
}

#[test]
fn archived_and_unknown_flags_are_left_out_and_not_counted() {
    let mut archived = feature("STANDARD", json!("x"));
    archived["is_archived"] = json!(true);
    for (feature, reason) in [
        (archived, "it is archived"),
        (
            feature("HOLOGRAM", json!(null)),
            "its type is not known here",
        ),
    ] {
        let plan = plan(feature, json!([]), &[]);
        assert!(plan.flags.is_empty());
        assert_eq!(plan.left_out[0].reason, reason);
        assert_eq!(
            (plan.counts["boolean_flags"], plan.counts["config_flags"]),
            (0, 0)
        );
    }
    let plan = plan(feature("STANDARD", json!(null)), json!([]), &[]);
    assert_eq!(
        (plan.counts["boolean_flags"], plan.counts["config_flags"]),
        (1, 0)
    );
    assert!(!plan.flags[0].remarks.is_empty(), "there is no state");
}

#[test]
fn environments_that_share_a_slug_are_imported_once() {
    let environment = |name: &str| EnvironmentRead {
        environment: read(json!({"id": 31, "name": name})),
        states: Vec::<Sent>::new(),
        overrides: Vec::new(),
        are_overrides_known: true,
    };
    let plan = translate(
        Project {
            environments: vec![
                environment("QA 1"),
                environment("qa-1"),
                environment("生产"),
            ],
            ..Project::default()
        },
        &Choices::default(),
    );
    let slugs: Vec<_> = plan
        .environments
        .iter()
        .map(|made| made.slug.as_str())
        .collect();
    assert_eq!(slugs, ["qa-1", "environment-31"]);
    assert_eq!(plan.left_out.len(), 1);
}

#[test]
fn a_state_without_its_overrides_is_incomplete() {
    let own = state(true, json!(null));
    let of_segment = json!({"feature": 1, "enabled": false, "feature_segment": 5});
    let counted = |name: &str| {
        let mut feature = feature("FLAG", json!(null));
        feature[name] = json!(1);
        feature
    };
    for (feature, states, is_incomplete) in [
        (feature("FLAG", json!(null)), json!([own]), false),
        (feature("FLAG", json!(null)), json!([own, of_segment]), true),
        (counted("num_segment_overrides"), json!([own]), true),
        (counted("num_identity_overrides"), json!([own]), true),
    ] {
        let plan = plan(feature.clone(), states, &[]);
        assert_eq!(
            plan.flags[0].states[0].is_incomplete, is_incomplete,
            "{feature}"
        );
    }
    let found = plan(
        counted("num_identity_overrides"),
        json!([own]),
        &[("alice", own)],
    );
    assert!(!found.flags[0].states[0].is_incomplete);
}
