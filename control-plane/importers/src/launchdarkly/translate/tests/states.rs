//! Flags in an environment: targets, rules, and what everybody else gets.

use protocol::snapshot::FlagType;
use serde_json::{Value, json};

use super::{boolean, flag_of, on, on_for, only, plan, rules, said};
use crate::plan::Flag;

const OTHER_USERS: &str = "about: which users get which value of a percentage differs from the source; how many do is the same";

/// A flag of the values `a`, `b` and `c` in one environment; `c` is served while it is off.
fn of_texts(mut config: Value) -> Flag {
    config["offVariation"] = json!(2);
    let flag = json!({
        "key": "f",
        "kind": "multivariate",
        "variations": [{"value": "a"}, {"value": "b"}, {"value": "c"}],
        "environments": {"production": on(config)},
    });
    only(plan(&["production"], json!([flag]), json!({})))
}

fn weights(weights: &[u64]) -> Value {
    let variations = (0..)
        .zip(weights)
        .map(|(variation, weight): (i64, _)| json!({"variation": variation, "weight": weight}));
    json!({"variations": variations.collect::<Vec<_>>()})
}

#[test]
fn targets_come_first_with_a_rule_each() {
    let flag = of_texts(json!({
        "targets": [
            {"values": ["k", "l", "k"], "variation": 1},
            {"values": [], "variation": 2},
            {"values": ["m"], "variation": 0},
        ],
        "rules": [{"clauses": [], "variation": 2}],
    }));
    assert_eq!(
        rules(&flag),
        json!([
            ["all", [["key", "in", ["k", "l"]]], [], 10_000, "b"],
            ["all", [["key", "in", ["m"]]], [], 10_000, "a"],
            ["all", [], [], 10_000, "c"],
        ])
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn context_targets_tell_the_order_of_targets() {
    let flag = of_texts(json!({
        "targets": [{"values": ["k"], "variation": 0}, {"values": ["k", "l"], "variation": 1}],
        "contextTargets": [
            {"contextKind": "user", "values": [], "variation": 1},
            {"contextKind": "org", "values": [], "variation": 1},
            {"contextKind": "user", "values": [], "variation": 0},
        ],
    }));
    assert_eq!(
        rules(&flag),
        json!([
            ["all", [["key", "in", ["k", "l"]]], [], 10_000, "b"],
            ["all", [["key", "in", ["k"]]], [], 10_000, "a"],
        ])
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn targets_that_are_not_users_are_left_out() {
    let flag = of_texts(json!({
        "targets": [{"values": ["k"], "variation": 0}, {"values": ["l"], "variation": 3}],
        "contextTargets": [{"contextKind": "org", "values": ["o"], "variation": 0}],
    }));
    assert_eq!(
        rules(&flag),
        json!([["all", [["key", "in", ["k"]]], [], 10_000, "a"]])
    );
    assert_eq!(
        said(&flag.remarks),
        [
            "lost: production, targets: contexts of the kind `org` are left out",
            "lost: production, targets: some are left out: there is no variation 3",
        ]
    );
}

#[test]
fn targets_about_which_the_two_lists_disagree_are_remarked() {
    let targets = json!([{"values": ["k"], "variation": 0}]);
    let user = |values: Value, variation: i64| json!({"contextKind": "user", "values": values, "variation": variation});
    let (a, b) = (
        json!(["all", [["key", "in", ["k"]]], [], 10_000, "a"]),
        json!(["all", [["key", "in", ["l"]]], [], 10_000, "b"]),
    );
    for (contexts, expected) in [
        (json!([user(json!(["l"]), 1)]), json!([b, a])),
        (json!([user(json!(["l"]), 0)]), json!([a])),
    ] {
        let flag = of_texts(json!({"targets": targets, "contextTargets": contexts}));
        assert_eq!(rules(&flag), expected);
        let remark = "about: production, targets: the two lists of the source disagree about users, so some of them may be targeted only there or only here";
        assert_eq!(said(&flag.remarks), [remark]);
    }
}

#[test]
fn disabled_rules_are_left_out_and_others_keep_their_order_and_description() {
    let clause = |value: &str| json!([{"attribute": "x", "op": "in", "values": [value]}]);
    let flag = flag_of(json!({"rules": [
        {"clauses": clause("a"), "variation": 0, "disabled": true},
        {"clauses": clause("b"), "variation": 1},
        {"clauses": clause("c"), "variation": 0, "description": "for c"},
    ]}));
    assert_eq!(
        rules(&flag),
        json!([
            ["all", [["x", "in", ["b"]]], [], 10_000, false],
            ["all", [["x", "in", ["c"]]], [], 10_000, true],
        ])
    );
    assert_eq!(flag.states[0].rules[1].description, "for c");
    assert!(flag.remarks.is_empty());
}

#[test]
fn a_rule_that_serves_nothing_is_left_out() {
    for (served, reason) in [
        (json!({}), "it serves nothing"),
        (json!({"variation": 2}), "there is no variation 2"),
        (json!({"variation": -1}), "there is no variation -1"),
        (json!({"rollout": {}}), "its rollout is empty"),
        (
            json!({"rollout": {"variations": [{"variation": 0, "weight": -1}]}}),
            "its rollout has a negative weight",
        ),
        (
            json!({"rollout": {"variations": [{"variation": 3, "weight": 1}]}}),
            "there is no variation 3",
        ),
    ] {
        let flag = flag_of(json!({"rules": [served]}));
        assert_eq!(rules(&flag), json!([]));
        assert_eq!(
            said(&flag.remarks),
            [format!("lost: production, rule 1: left out: {reason}")]
        );
    }
}

#[test]
fn the_split_of_a_rule_is_cumulative() {
    let flag = of_texts(json!({"rules": [{
        "clauses": [{"attribute": "x", "op": "in", "values": ["v"]}],
        "rollout": weights(&[20_000, 33_335, 46_665]),
    }]}));
    let conditions = json!([["x", "in", ["v"]]]);
    assert_eq!(
        rules(&flag),
        json!([
            ["all", conditions, [], 2_000, "a"],
            ["all", conditions, [], 5_334, "b"],
            ["all", conditions, [], 10_000, "c"],
        ])
    );
    assert_eq!(
        said(&flag.remarks),
        [
            OTHER_USERS,
            "about: production, rule 1: percentages are rounded to hundredths of a percent"
        ]
    );
}

#[test]
fn what_is_left_belongs_to_the_last_variation() {
    for (given, expected) in [
        (
            weights(&[20_000, 0, 30_000]),
            json!([["a", 2_000], ["c", 10_000]]),
        ),
        (
            weights(&[70_000, 70_000, 5]),
            json!([["a", 7_000], ["b", 10_000]]),
        ),
    ] {
        let flag = of_texts(json!({"rules": [{"rollout": given}]}));
        let rules = flag.states[0].rules.iter();
        let served: Value = rules
            .map(|rule| json!([rule.value, rule.percentage]))
            .collect();
        assert_eq!(served, expected);
    }
}

#[test]
fn the_split_of_everybody_else_is_drawn_by_variants_or_the_last_rules() {
    let flag = of_texts(json!({"fallthrough": {"rollout": weights(&[25_000, 75_000])}}));
    assert_eq!(rules(&flag), json!([]));
    assert_eq!(flag.flag_type, FlagType::Ab);
    assert_eq!(
        json!(flag.states[0].variants),
        json!([{"key": "0", "value": "a", "weight": 2_500}, {"key": "1", "value": "b", "weight": 7_500}])
    );
    assert_eq!(flag.states[0].percentage_rollout, None);
    assert_eq!(said(&flag.remarks), [OTHER_USERS]);
    let flag =
        flag_of(json!({"offVariation": 0, "fallthrough": {"rollout": weights(&[25_000, 75_000])}}));
    assert_eq!(
        rules(&flag),
        json!([["all", [], [], 2_500, true], ["all", [], [], 10_000, false]])
    );
}

#[test]
fn variations_keep_their_names_in_the_default_rule_and_lose_them_in_others() {
    let split = weights(&[25_000, 75_000]);
    let of = |config: Value| {
        let variations = json!([{"name": "blue", "value": "B"}, {"name": "green", "value": "G"}]);
        let flag = json!({
            "key": "f", "kind": "multivariate", "variations": variations,
            "environments": {"production": on(config)},
        });
        only(plan(&["production"], json!([flag]), json!({})))
    };
    let flag = of(json!({"fallthrough": {"rollout": split}}));
    assert_eq!(
        json!(flag.states[0].variants),
        json!([{"key": "blue", "value": "B", "weight": 2_500}, {"key": "green", "value": "G", "weight": 7_500}])
    );
    assert_eq!(said(&flag.remarks), [OTHER_USERS]);
    let flag = of(json!({"rules": [{"rollout": split}]}));
    assert_eq!(flag.flag_type, FlagType::String);
    let lost = "lost: production, rule 1: the names of its variations are not kept: rules serve values, and no variant";
    assert_eq!(said(&flag.remarks), [OTHER_USERS, lost]);
}

#[test]
fn a_split_between_true_and_false_is_the_percentage_of_a_flag_that_is_false_while_off() {
    for variations in [
        json!([{"variation": 0, "weight": 30_000}, {"variation": 1, "weight": 70_000}]),
        json!([{"variation": 1, "weight": 70_000}, {"variation": 0, "weight": 30_000}]),
    ] {
        let rollout = json!({"variations": variations});
        let flag = flag_of(json!({"fallthrough": {"rollout": rollout}}));
        assert_eq!(rules(&flag), json!([]));
        assert_eq!(flag.states[0].default_value, Some(json!(true)));
        assert_eq!(flag.states[0].percentage_rollout, Some(3_000));
        assert_eq!(said(&flag.remarks), [OTHER_USERS]);
    }
}

#[test]
fn what_a_split_goes_by_and_experiments_are_remarked_in_their_place() {
    for (field, value, differs) in [
        (
            "bucketBy",
            json!("company"),
            "percentages go by `company` there, and by the key here",
        ),
        (
            "contextKind",
            json!("org"),
            "percentages are of contexts of the kind `org` there, and of keys here",
        ),
        (
            "kind",
            json!("experiment"),
            "an experiment becomes a split of which nothing is measured",
        ),
        (
            "experimentAllocation",
            json!({"defaultVariation": 0}),
            "an experiment becomes a split of which nothing is measured",
        ),
    ] {
        let mut rollout = weights(&[50_000, 50_000]);
        rollout[field] = value;
        let flag = flag_of(json!({"fallthrough": {"rollout": rollout}}));
        assert_eq!(flag.states[0].percentage_rollout, Some(5_000));
        let remarks = said(&flag.remarks);
        assert!(remarks.contains(&OTHER_USERS.to_owned()), "{remarks:?}");
        let differs = format!("about: production, default rule: {differs}");
        assert!(remarks.contains(&differs), "{remarks:?}");
        assert_eq!(remarks.len(), 2);
    }
}

#[test]
fn a_rollout_to_everybody_is_exact() {
    let flag = flag_of(json!({
        "rules": [{"rollout": weights(&[100_000, 0])}],
        "fallthrough": {"rollout": weights(&[0, 100_000])},
    }));
    assert_eq!(rules(&flag), on_for(json!([])));
    assert_eq!(flag.states[0].default_value, Some(json!(false)));
    assert!(flag.remarks.is_empty());
}

#[test]
fn a_default_rule_that_is_missing_is_remarked_where_the_flag_is_on() {
    let flag = flag_of(json!({"fallthrough": null}));
    assert_eq!(flag.states[0].default_value, Some(json!(false)));
    assert_eq!(
        said(&flag.remarks),
        [
            "lost: production, default rule: left out: it is missing; the default of the flag is served instead"
        ]
    );
    assert!(
        flag_of(json!({"on": false, "fallthrough": null}))
            .remarks
            .is_empty()
    );
}

#[test]
fn what_a_user_could_match_and_is_left_out_makes_a_state_incomplete() {
    let rule = |clause: Value| json!({"clauses": [clause], "variation": 1});
    let of = |kind: &str, op: &str, values: Value| json!({"contextKind": kind, "attribute": "x", "op": op, "values": values});
    for (differing, is_incomplete) in [
        (
            json!({"rules": [rule(of("user", "in", json!(["a"])))]}),
            false,
        ),
        (
            json!({"rules": [rule(of("user", "unknown", json!(["a"])))]}),
            true,
        ),
        (
            json!({"rules": [rule(of("user", "before", json!(["yesterday"])))]}),
            true,
        ),
        (json!({"rules": [{"clauses": [], "variation": 7}]}), true),
        (
            json!({"targets": [{"values": ["ada"], "variation": 7}]}),
            true,
        ),
        (json!({"fallthrough": null}), true),
        // No user matches these there.
        (
            json!({"rules": [rule(of("org", "in", json!(["a"])))]}),
            false,
        ),
        (
            json!({"rules": [rule(of("user", "greaterThan", json!(["a"])))]}),
            false,
        ),
        (
            json!({"contextTargets": [{"contextKind": "org", "values": ["a"], "variation": 1}]}),
            false,
        ),
        (
            json!({"rules": [rule(of("", "segmentMatch", json!(["missing"])))]}),
            false,
        ),
    ] {
        let flag = flag_of(differing.clone());
        assert_eq!(flag.states[0].is_incomplete, is_incomplete, "{differing}");
    }
    let segment = json!({"production": [{"key": "big", "unbounded": true}]});
    let config = on(json!({"rules": [rule(of("", "segmentMatch", json!(["big"])))]}));
    let flags = json!([boolean("f", json!({"production": config}))]);
    assert!(only(plan(&["production"], flags, segment)).states[0].is_incomplete);
}
