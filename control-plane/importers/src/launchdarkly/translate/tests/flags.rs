//! Flags as a whole: types, values while they are off, prerequisites.

use protocol::snapshot::FlagType;
use serde_json::{Value, json};
use time::macros::datetime;

use super::{Project, boolean, flag_of, left_out, on, only, plan, said, translate};
use crate::plan::{Choices, Plan};

/// A flag `f` that requires others, which are on and serve `true`, in two environments.
fn requiring(a: Value, b: Value) -> Plan {
    let both = |config: Value| json!({"a": config, "b": config});
    let texts = json!({"key": "text", "variations": [{"value": "x"}], "environments": {}});
    let blocked = on(json!({"offVariation": 0, "prerequisites": [{"key": "yes", "variation": 0}]}));
    let mut twice = boolean("twice", both(on(json!({}))));
    twice["variations"] = json!([{"value": true}, {"value": true}]);
    let configs = json!({
        "a": on(json!({"prerequisites": a})),
        "b": on(json!({"prerequisites": b})),
    });
    plan(
        &["a", "b"],
        json!([
            boolean("f", configs),
            boolean("yes", both(on(json!({})))),
            boolean("blocked", both(blocked)),
            twice,
            texts,
        ]),
        json!({}),
    )
}

#[test]
fn a_simple_toggle_is_exact() {
    for is_on in [true, false] {
        let flag = flag_of(json!({"on": is_on, "fallthrough": {"variation": 0}}));
        assert_eq!(flag.flag_type, FlagType::Boolean);
        assert_eq!(flag.default_value, json!(false));
        let [state] = flag.states.as_slice() else {
            panic!("one state is expected")
        };
        assert_eq!(state.environment, "production");
        assert_eq!(state.enabled, is_on);
        assert_eq!(state.default_value, Some(json!(true)));
        assert_eq!(state.percentage_rollout, None);
        assert_eq!(state.rules, []);
        assert!(flag.remarks.is_empty());
    }
}

#[test]
fn the_values_tell_the_type_of_a_flag() {
    for (kind, values, expected) in [
        ("boolean", json!([true, false]), "boolean_flags"),
        ("multivariate", json!([true, false]), "boolean_flags"),
        ("multivariate", json!(["a", "b"]), "string_flags"),
        ("multivariate", json!([1, 2.5]), "number_flags"),
        ("multivariate", json!([{}, [1]]), "json_flags"),
    ] {
        let values: Vec<_> = values.as_array().unwrap().iter().collect();
        let variations: Vec<_> = values.iter().map(|value| json!({"value": value})).collect();
        for kind in [json!(kind), Value::Null] {
            let flag = json!({"key": "f", "kind": kind, "variations": variations});
            let plan = plan(&[], json!([flag]), json!({}));
            assert_eq!(plan.flags.len(), 1, "{values:?}");
            let counted: Vec<_> = plan
                .counts
                .iter()
                .filter(|(_, count)| **count > 0)
                .collect();
            assert_eq!(counted, [(&expected, &1)]);
        }
    }
    for (kind, variations) in [
        ("multivariate", json!([{"value": 1}, {"value": "1"}])),
        ("multivariate", json!([{"value": null}])),
        ("multivariate", json!([])),
        ("boolean", json!([{"value": "true"}])),
    ] {
        let flag = json!({"key": "f", "kind": kind, "variations": variations});
        let plan = plan(&[], json!([flag]), json!({}));
        assert_eq!(plan.flags, []);
        let reason = "its values are of several types, or there are none";
        assert_eq!(left_out(&plan), [("f", reason)]);
        assert_eq!(plan.source_flags, 1);
    }
}

#[test]
fn archived_flags_are_left_out_and_not_counted() {
    let mut archived = boolean("old", json!({}));
    archived["archived"] = json!(true);
    let plan = plan(&[], json!([boolean("f", json!({})), archived]), json!({}));
    assert_eq!(left_out(&plan), [("old", "it is archived")]);
    assert_eq!((plan.flags.len(), plan.source_flags), (1, 1));
}

#[test]
fn what_is_known_of_a_flag_is_kept() {
    let mut flag = boolean(
        "f",
        json!({"production": on(json!({"lastModified": 1_704_067_260_000_i64}))}),
    );
    flag["name"] = json!("Flag");
    flag["description"] = json!("What it does");
    flag["tags"] = json!(["a", "b"]);
    flag["creationDate"] = json!(1_704_067_200_000_i64);
    let flag = only(plan(&["production"], json!([flag]), json!({})));
    assert_eq!(flag.name, "Flag");
    assert_eq!(flag.description, "What it does");
    assert_eq!(flag.tags, ["a", "b"]);
    assert_eq!(flag.created_at, Some(datetime!(2024-01-01 00:00 UTC)));
    assert_eq!(flag.updated_at, Some(datetime!(2024-01-01 00:01 UTC)));
}

#[test]
fn environments_have_slugs_and_colors() {
    let environments = json!([
        {"key": "pro_d", "name": "Production", "color": "417505"},
        {"key": "pro-d"},
        {"key": "test", "color": "blue"},
        {"key": "!"},
    ]);
    let plan = translate(
        Project {
            environments: serde_json::from_value(environments).unwrap(),
            ..Project::default()
        },
        &Choices::default(),
    );
    let made: Vec<_> = plan
        .environments
        .iter()
        .map(|one| (one.slug.as_str(), one.name.as_str(), one.color.as_deref()))
        .collect();
    assert_eq!(made, [("pro-d", "pro-d", None), ("test", "test", None)]);
    assert_eq!(
        left_out(&plan),
        [
            ("!", "its name has no letters or digits"),
            ("pro_d", "its slug would be that of `pro-d`")
        ]
    );
}

#[test]
fn the_first_environment_tells_what_is_served_while_a_flag_is_off() {
    let off = |variation: Value| on(json!({"offVariation": variation}));
    let configs = json!({"b": off(json!(0)), "a": off(json!(1)), "c": off(json!(null))});
    let flag = only(plan(
        &["c", "b", "a", "d"],
        json!([boolean("f", configs)]),
        json!({}),
    ));
    assert_eq!(flag.default_value, json!(false));
    assert_eq!(
        said(&flag.remarks),
        [
            "about: b: while it is off, the value is true there, and false here",
            "about: c: while it is off, there is no value there, and false here",
            "lost: d: the source does not return it, so it is off here",
        ]
    );
}

#[test]
fn prerequisites_that_ask_for_true_everywhere_are_exact() {
    let yes = json!([{"key": "yes", "variation": 0}]);
    let plan = requiring(yes.clone(), yes);
    assert_eq!(plan.flags[0].prerequisites, ["yes"]);
    assert!(plan.flags[0].remarks.is_empty());
}

#[test]
fn prerequisites_that_differ_are_remarked() {
    let everywhere = |key: &str, variation: i64| {
        let asked = json!([{"key": key, "variation": variation}]);
        (asked.clone(), asked)
    };
    for ((a, b), key, expected) in [
        (
            (json!([{"key": "yes", "variation": 0}]), json!([])),
            "yes",
            "the prerequisite `yes` is one of a only there, and of every environment here",
        ),
        (
            everywhere("yes", 1),
            "yes",
            "a; b: the prerequisite `yes` has to serve false there, and true here",
        ),
        (
            everywhere("yes", 7),
            "yes",
            "a; b: the prerequisite `yes` has to serve no variation there, and true here",
        ),
        (
            everywhere("text", 0),
            "text",
            "a; b: the prerequisite `text` is met by one variation there, and by any here",
        ),
        (
            everywhere("twice", 0),
            "twice",
            "a; b: the prerequisite `twice` is met by one variation there, and by any that is true here",
        ),
        (
            everywhere("blocked", 0),
            "blocked",
            "a; b: the prerequisite `blocked` is met there also while its own prerequisites are not",
        ),
    ] {
        let plan = requiring(a, b);
        assert_eq!(plan.flags[0].prerequisites, [key]);
        assert_eq!(said(&plan.flags[0].remarks), [format!("about: {expected}")]);
    }
}

#[test]
fn prerequisites_are_united_over_the_environments() {
    let asked = |keys: [&str; 2]| json!(keys.map(|key| json!({"key": key, "variation": 0})));
    let plan = requiring(asked(["yes", "none"]), asked(["none", "gone"]));
    assert_eq!(plan.flags[0].prerequisites, ["yes", "none", "gone"]);
    assert_eq!(
        said(&plan.flags[0].remarks),
        [
            "about: the prerequisite `yes` is one of a only there, and of every environment here",
            "about: the prerequisite `gone` is one of b only there, and of every environment here",
        ]
    );
}
