//! Constraints, and the rules that they become.

use serde_json::json;

use super::{constrained, flag_of, on_for, rules, said};

#[test]
fn each_operator_has_its_counterpart() {
    for (operator, operand, expected) in [
        ("IN", json!(["DE", "5"]), json!([["x", "in", ["DE", "5"]]])),
        (
            "STR_CONTAINS",
            json!(["a"]),
            json!([["x", "contains", ["a"]]]),
        ),
        (
            "STR_STARTS_WITH",
            json!(["a", "b"]),
            json!([["x", "startsWith", ["a", "b"]]]),
        ),
        (
            "STR_ENDS_WITH",
            json!(["a"]),
            json!([["x", "endsWith", ["a"]]]),
        ),
        (
            "NUM_EQ",
            json!("5"),
            json!([["x", "gte", ["5"]], ["x", "lte", ["5"]]]),
        ),
        ("NUM_GT", json!("5"), json!([["x", "gt", ["5"]]])),
        ("NUM_GTE", json!("5"), json!([["x", "gte", ["5"]]])),
        ("NUM_LT", json!(" 5 "), json!([["x", "lt", ["5"]]])),
        ("NUM_LTE", json!("-1e3"), json!([["x", "lte", ["-1e3"]]])),
        (
            "SEMVER_EQ",
            json!("1.2.3"),
            json!([["x", "gte", ["1.2.3"]], ["x", "lte", ["1.2.3"]]]),
        ),
        ("SEMVER_GT", json!("1.2.3"), json!([["x", "gt", ["1.2.3"]]])),
        (
            "SEMVER_GTE",
            json!("1.2.3"),
            json!([["x", "gte", ["1.2.3"]]]),
        ),
        (
            "SEMVER_LT",
            json!("1.2.3-rc.1"),
            json!([["x", "lt", ["1.2.3-rc.1"]]]),
        ),
        (
            "SEMVER_LTE",
            json!("1.2.3"),
            json!([["x", "lte", ["1.2.3"]]]),
        ),
        ("REGEX", json!("^a"), json!([["x", "regex", ["^a"]]])),
    ] {
        let field = if operand.is_array() {
            "values"
        } else {
            "value"
        };
        let flag = constrained(json!([{"contextName": "x", "operator": operator, field: operand}]));
        assert_eq!(rules(&flag), on_for(expected), "{operator}");
        assert!(flag.remarks.is_empty(), "{operator}: {:?}", said(&flag));
    }
}

#[test]
fn dates_are_compared_with_a_warning() {
    let value = "2024-01-01T00:00:00Z";
    for (operator, expected) in [("DATE_AFTER", "gt"), ("DATE_BEFORE", "lt")] {
        let flag = constrained(json!([{"contextName": "x", "operator": operator, "value": value}]));
        assert_eq!(rules(&flag), on_for(json!([["x", expected, [value]]])));
        assert_eq!(
            said(&flag),
            [
                "production, strategy 1 (default): x has to be a date-time of RFC 3339 here; there other forms are read too"
            ]
        );
    }
}

#[test]
fn a_list_that_excludes_also_holds_for_whoever_lacks_the_attribute() {
    let not_in = json!([{"contextName": "x", "operator": "NOT_IN", "values": ["a"]}]);
    let inverted =
        json!([{"contextName": "x", "operator": "IN", "values": ["a"], "inverted": true}]);
    for constraints in [not_in, inverted] {
        let flag = constrained(constraints);
        let expected = json!([[
            "any",
            [["x", "notIn", ["a"]], ["x", "neq", []]],
            [],
            10_000,
            true
        ]]);
        assert_eq!(rules(&flag), expected);
        assert!(flag.remarks.is_empty());
    }
    let twice = constrained(
        json!([{"contextName": "x", "operator": "NOT_IN", "values": ["a"], "inverted": true}]),
    );
    assert_eq!(rules(&twice), on_for(json!([["x", "in", ["a"]]])));
}

#[test]
fn the_user_id_is_the_key_which_nobody_lacks() {
    let flag = constrained(json!([
        {"contextName": "userId", "operator": "NOT_IN", "values": ["a", "1.0"]},
        {"contextName": "x", "operator": "IN", "values": ["b"]},
    ]));
    assert_eq!(
        rules(&flag),
        on_for(json!([["key", "notIn", ["a", "1.0"]], ["x", "in", ["b"]]]))
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn beside_other_constraints_a_list_that_excludes_is_a_rule_more() {
    let constraints = json!([
        {"contextName": "x", "operator": "NOT_IN", "values": ["a"]},
        {"contextName": "x", "operator": "NOT_IN", "values": ["b"]},
        {"contextName": "y", "operator": "IN", "values": ["c"]},
    ]);
    let rollout = json!({"rollout": "50", "groupId": "f"});
    let flag = flag_of(
        json!([{"name": "flexibleRollout", "parameters": rollout, "constraints": constraints}]),
    );
    let present = json!([
        ["x", "notIn", ["a"]],
        ["x", "notIn", ["b"]],
        ["y", "in", ["c"]]
    ]);
    let missing = json!([["x", "neq", []], ["y", "in", ["c"]]]);
    assert_eq!(
        rules(&flag),
        json!([
            ["all", present, [], 5_000, true],
            ["all", missing, [], 5_000, true]
        ])
    );
    assert_eq!(said(&flag).len(), 1, "which users a percentage reaches");
}

#[test]
fn a_negated_comparison_is_the_opposite_with_a_remark() {
    for (operator, opposite) in [
        ("NUM_GT", "lte"),
        ("NUM_GTE", "lt"),
        ("NUM_LT", "gte"),
        ("NUM_LTE", "gt"),
        ("NUM_EQ", "neq"),
    ] {
        let flag = constrained(
            json!([{"contextName": "x", "operator": operator, "value": "5", "inverted": true}]),
        );
        let conditions = json!([["x", opposite, ["5"]], ["x", "neq", []]]);
        assert_eq!(rules(&flag), json!([["any", conditions, [], 10_000, true]]));
        assert_eq!(
            said(&flag),
            [format!(
                "production, strategy 1 (default): x is compared the other way round ({opposite}): values that cannot be compared match there, and not here"
            )]
        );
    }
}

#[test]
fn case_is_ignored_by_patterns() {
    for (operator, expected) in [
        ("STR_CONTAINS", "(?i-u)a\\.b"),
        ("STR_STARTS_WITH", "(?i-u)^a\\.b"),
        ("STR_ENDS_WITH", "(?i-u)a\\.b$"),
    ] {
        let flag = constrained(
            json!([{"contextName": "x", "operator": operator, "values": ["a.b"], "caseInsensitive": true}]),
        );
        assert_eq!(rules(&flag), on_for(json!([["x", "regex", [expected]]])));
        assert!(flag.remarks.is_empty());
    }
    let flag = constrained(
        json!([{"contextName": "x", "operator": "REGEX", "value": "a.b", "caseInsensitive": true}]),
    );
    assert_eq!(rules(&flag), on_for(json!([["x", "regex", ["(?i)a.b"]]])));
}

#[test]
fn letters_with_another_lower_case_are_remarked() {
    for (text, is_exact) in [
        ("users", true),
        ("kiosk", false),
        ("hi", false),
        ("ä", false),
    ] {
        let flag = constrained(
            json!([{"contextName": "x", "operator": "STR_CONTAINS", "values": [text], "caseInsensitive": true}]),
        );
        assert_eq!(flag.remarks.is_empty(), is_exact, "{text}");
    }
}

#[test]
fn texts_that_a_number_would_equal_are_remarked() {
    let flag = constrained(json!([{"contextName": "x", "operator": "IN", "values": ["1.0", "b"]}]));
    assert_eq!(rules(&flag), on_for(json!([["x", "in", ["1.0", "b"]]])));
    assert_eq!(said(&flag).len(), 1);
}

#[test]
fn constraints_that_nothing_stands_for_leave_the_strategy_out() {
    for (constraint, why) in [
        (
            json!({"contextName": "x", "operator": "FOO"}),
            "the operator \"FOO\" is not known",
        ),
        (
            json!({"contextName": "x", "operator": "NUM_EQ", "value": "five"}),
            "x is compared with \"five\", which cannot be read as a number",
        ),
        (
            json!({"contextName": "x", "operator": "SEMVER_EQ", "value": "1.2"}),
            "x is compared with \"1.2\", which cannot be read as a version of three parts",
        ),
        (
            json!({"contextName": "x", "operator": "DATE_AFTER", "value": "2024-01-01"}),
            "x is compared with \"2024-01-01\", which cannot be read as a date-time of RFC 3339",
        ),
        (
            json!({"contextName": "x", "operator": "STR_CONTAINS", "values": []}),
            "the list of values for x is empty",
        ),
        (
            json!({"contextName": "x", "operator": "REGEX", "value": "("}),
            "the pattern for x cannot be used here",
        ),
        (
            json!({"contextName": "x", "operator": "STR_CONTAINS", "values": ["a"], "inverted": true}),
            "a negated `contains` has no counterpart",
        ),
        (
            json!({"contextName": "key", "operator": "IN", "values": ["a"]}),
            "an attribute called key cannot be told from the key of the context",
        ),
    ] {
        let flag = constrained(json!([constraint]));
        assert_eq!(rules(&flag), json!([]));
        assert_eq!(
            said(&flag),
            [format!(
                "production, strategy 1 (default): {why}; the strategy is left out"
            )]
        );
        assert_eq!(flag.states[0].default_value, Some(json!(false)));
    }
}

#[test]
fn what_sdks_set_by_themselves_is_warned_about() {
    for name in ["environment", "appName", "currentTime"] {
        let flag = constrained(json!([{"contextName": name, "operator": "IN", "values": ["a"]}]));
        assert_eq!(rules(&flag), on_for(json!([[name, "in", ["a"]]])));
        assert_eq!(said(&flag).len(), 1, "{name}");
    }
}
