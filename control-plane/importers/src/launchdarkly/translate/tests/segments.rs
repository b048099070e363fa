//! Segments, and the rules that refer to them.

use protocol::snapshot::MatchType;
use serde_json::{Value, json};

use super::{boolean, conditions, flag_of, left_out, on, only, plan, rules, said};
use crate::plan::{Flag, Plan};

fn clause(attribute: &str, values: Value) -> Value {
    json!({"contextKind": "user", "attribute": attribute, "op": "in", "values": values})
}

fn members_of(segments: Value) -> Value {
    json!({"attribute": "", "op": "segmentMatch", "values": segments})
}

fn plan_of(segments: Value) -> Plan {
    plan(&["production"], json!([]), json!({"production": segments}))
}

/// Segments in short: the key, how conditions combine, the conditions.
fn short(plan: &Plan) -> Value {
    let short = plan.segments.iter().map(|segment| {
        let match_type = match segment.match_type {
            MatchType::All => "all",
            MatchType::Any => "any",
        };
        json!([segment.key, match_type, conditions(&segment.rules)])
    });
    short.collect()
}

/// Asserts that a segment becomes these and is exact.
fn assert_exact(mut segment: Value, expected: Value) {
    segment["key"] = json!("s");
    let plan = plan_of(json!([segment]));
    assert_eq!(short(&plan), expected, "{segment}");
    assert!(plan.segments.iter().all(|part| part.remarks.is_empty()));
    assert_eq!(plan.left_out, []);
}

/// A flag that is `true` for whoever matches these clauses.
fn flag_with(clauses: Value, segments: Value) -> Flag {
    let config = on(json!({"rules": [{"clauses": clauses, "variation": 0}]}));
    only(plan(
        &["production"],
        json!([boolean("f", json!({"production": config}))]),
        json!({"production": segments}),
    ))
}

#[test]
fn one_rule_becomes_its_clauses_joined_by_all() {
    let (a, b) = (clause("x", json!(["a"])), clause("y", json!(["b"])));
    assert_exact(
        json!({"rules": [{"clauses": [a, b]}]}),
        json!([["s", "all", [["x", "in", ["a"]], ["y", "in", ["b"]]]]]),
    );
    assert_exact(
        json!({"rules": [{"clauses": [a]}], "excluded": ["k", "l", "k"]}),
        json!([[
            "s",
            "all",
            [["x", "in", ["a"]], ["key", "notIn", ["k", "l"]]]
        ]]),
    );
}

#[test]
fn rules_of_one_clause_and_included_keys_are_joined_by_any() {
    let (a, b) = (clause("x", json!(["a"])), clause("y", json!(["b"])));
    assert_exact(
        json!({"included": ["k", "l"], "rules": [{"clauses": [a]}, {"clauses": [b]}]}),
        json!([[
            "s",
            "any",
            [
                ["key", "in", ["k", "l"]],
                ["x", "in", ["a"]],
                ["y", "in", ["b"]]
            ]
        ]]),
    );
    assert_exact(
        json!({"included": ["k"], "includedContexts": [{"contextKind": "user", "values": ["l", "k"]}]}),
        json!([["s", "any", [["key", "in", ["k", "l"]]]]]),
    );
}

#[test]
fn included_keys_win_over_excluded_ones() {
    assert_exact(
        json!({"included": ["k"], "excluded": ["k"]}),
        json!([["s", "any", [["key", "in", ["k"]]]]]),
    );
}

#[test]
fn a_segment_of_nobody_has_no_conditions() {
    for segment in [
        json!({"key": "s"}),
        json!({"key": "s", "excluded": ["k"]}),
        json!({"key": "s", "rules": [{"clauses": [clause("x", json!(["a"]))], "weight": 0}]}),
    ] {
        let plan = plan_of(json!([segment]));
        assert_eq!(plan.segments[0].rules, []);
        assert!(plan.segments[0].remarks.is_empty());
    }
}

#[test]
fn a_rule_without_clauses_has_everybody() {
    assert_exact(
        json!({"rules": [{"clauses": [], "weight": 100_000}]}),
        json!([["s", "all", [["key", "exists", []]]]]),
    );
}

#[test]
fn what_one_flat_segment_cannot_hold_becomes_several() {
    let (a, b) = (clause("x", json!(["a"])), clause("y", json!(["b"])));
    let segment = json!({
        "included": ["k"],
        "excluded": ["l"],
        "rules": [{"clauses": [a, b]}, {"clauses": [b]}],
    });
    assert_exact(
        segment.clone(),
        json!([
            ["s", "any", [["key", "in", ["k"]]]],
            [
                "s-rule-1",
                "all",
                [
                    ["x", "in", ["a"]],
                    ["y", "in", ["b"]],
                    ["key", "notIn", ["l"]]
                ]
            ],
            [
                "s-rule-2",
                "all",
                [["y", "in", ["b"]], ["key", "notIn", ["l"]]]
            ],
        ]),
    );
    let mut named = segment;
    named["key"] = json!("s");
    let taken = json!({"key": "s-rule-1", "included": ["z"]});
    let flag = flag_with(json!([members_of(json!(["s"]))]), json!([named, taken]));
    assert_eq!(
        rules(&flag),
        json!([["all", [], ["s", "s-rule-1-2", "s-rule-2"], 10_000, true]])
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn segments_that_cannot_be_expressed_are_left_out() {
    let a = clause("x", json!(["a"]));
    let negated = json!({"attribute": "x", "op": "contains", "values": ["a"], "negate": true});
    let mut not_in = members_of(json!(["other"]));
    not_in["negate"] = json!(true);
    for (mut segment, reason) in [
        (
            json!({"unbounded": true}),
            "it is a big segment, whose members the source does not return",
        ),
        (
            json!({"rules": [{"clauses": [a]}, {"clauses": [a], "weight": 50_000}]}),
            "rule 2: it takes a percentage of those who match",
        ),
        (
            json!({"rules": [{"clauses": [negated]}]}),
            "rule 1: a negated `contains` has no counterpart",
        ),
        (
            json!({"rules": [{"clauses": [not_in]}]}),
            "rule 1: it asks who is not in a segment",
        ),
        (
            json!({"rules": [{"clauses": [members_of(json!(["s"]))]}]}),
            "rule 1: it refers to the segment `s`: it refers to itself",
        ),
    ] {
        segment["key"] = json!("s");
        let plan = plan_of(json!([segment]));
        assert_eq!(plan.segments, []);
        let reason = format!("production: {reason}");
        assert_eq!(left_out(&plan), [("s", reason.as_str())]);
    }
}

#[test]
fn segments_that_would_become_too_many_are_left_out() {
    let (a, b) = (clause("x", json!(["a"])), clause("y", json!(["b"])));
    let segment = |rules: usize| {
        let rules = vec![json!({"clauses": [a, b]}); rules];
        plan_of(json!([{"key": "s", "rules": rules}]))
    };
    assert_eq!(segment(100).segments.len(), 100);
    let reason = "production: it takes too many combinations here";
    assert_eq!(left_out(&segment(101)), [("s", reason)]);
}

#[test]
fn what_differs_in_a_segment_names_its_rule() {
    let number = json!({"contextKind": "user", "attribute": "x", "op": "in", "values": [5]});
    let of_organizations =
        json!({"contextKind": "org", "attribute": "x", "op": "in", "values": [5]});
    let plan = plan_of(json!([{
        "key": "s",
        "includedContexts": [{"contextKind": "org", "values": ["o"]}],
        "rules": [{"clauses": [of_organizations]}, {"clauses": [number]}],
    }]));
    assert_eq!(short(&plan), json!([["s", "all", [["x", "in", ["5"]]]]]));
    assert_eq!(
        said(&plan.segments[0].remarks),
        [
            "lost: contexts of the kind `org` are left out",
            "lost: rule 1: it asks for contexts of the kind `org`",
            "about: rule 2: numbers and booleans equal the texts that read like them here, and not there (`x`)",
        ]
    );
}

#[test]
fn a_segment_in_a_segment_is_written_out() {
    let inner = json!({"key": "inner", "included": ["k"], "rules": [{"clauses": [clause("x", json!(["a"]))]}]});
    let outer = json!({"key": "outer", "rules": [
        {"clauses": [members_of(json!(["inner"])), clause("y", json!(["b"]))]},
    ]});
    let plan = plan_of(json!([outer, inner]));
    assert_eq!(
        short(&plan),
        json!([
            ["outer", "all", [["key", "in", ["k"]], ["y", "in", ["b"]]]],
            [
                "outer-rule-1",
                "all",
                [["x", "in", ["a"]], ["y", "in", ["b"]]]
            ],
            ["inner", "any", [["key", "in", ["k"]], ["x", "in", ["a"]]]],
        ])
    );
    assert!(plan.segments.iter().all(|part| part.remarks.is_empty()));
}

#[test]
fn the_same_segment_is_imported_once_and_each_other_definition_once_more() {
    let segment = |key: &str| json!([{"key": "s", "name": "S", "included": [key]}]);
    let members = on(json!({"rules": [{"clauses": [members_of(json!(["s"]))], "variation": 0}]}));
    let environments = ["d_ev", "a", "c", "b"];
    let configs = json!({"a": members, "b": members, "c": members, "d_ev": members});
    let plan = plan(
        &environments,
        json!([boolean("f", configs)]),
        json!({"a": segment("k"), "b": segment("k"), "c": segment("l"), "d_ev": segment("l")}),
    );
    assert_eq!(plan.source_segments, 1);
    assert_eq!(
        short(&plan),
        json!([
            ["s", "any", [["key", "in", ["k"]]]],
            ["s-c", "any", [["key", "in", ["l"]]]],
        ])
    );
    let used = |state: usize| &plan.flags[0].states[state].rules[0].segment_keys;
    let used: Vec<_> = (0..4).map(|state| used(state).as_slice()).collect();
    assert_eq!(used, [["s"], ["s"], ["s-c"], ["s-c"]]);
    assert!(plan.flags[0].remarks.is_empty());
}

#[test]
fn rules_refer_to_any_of_several_segments_beside_their_conditions() {
    let segments = json!([{"key": "s", "included": ["k"]}, {"key": "t", "included": ["l"]}]);
    let flag = flag_with(
        json!([members_of(json!(["s", "t"])), clause("x", json!(["a"]))]),
        segments,
    );
    assert_eq!(
        rules(&flag),
        json!([["all", [["x", "in", ["a"]]], ["s", "t"], 10_000, true]])
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn two_questions_about_segments_leave_the_rule_out() {
    let clauses = json!([members_of(json!(["s"])), members_of(json!(["s"]))]);
    let flag = flag_with(clauses, json!([{"key": "s", "included": ["k"]}]));
    assert_eq!(rules(&flag), json!([]));
    assert_eq!(
        said(&flag.remarks),
        ["lost: production, rule 1: left out: it asks for members of several segments at once"]
    );
}

#[test]
fn segments_that_are_missing_are_named_in_every_rule_that_asks_for_them() {
    let segments = json!([{"key": "s", "included": ["k"]}, {"key": "big", "unbounded": true}]);
    let flag = flag_with(json!([members_of(json!(["s", "big", "none"]))]), segments);
    assert_eq!(rules(&flag), json!([["all", [], ["s"], 10_000, true]]));
    let missing = [
        "lost: production, rule 1: the segment `big` is not imported",
        "lost: production, rule 1: the segment `none` does not exist",
    ];
    assert_eq!(said(&flag.remarks), missing);
    let none =
        flag_of(json!({"rules": [{"clauses": [members_of(json!(["none"]))], "variation": 0}]}));
    assert_eq!(rules(&none), json!([]));
    assert_eq!(
        said(&none.remarks),
        [
            missing[1],
            "lost: production, rule 1: left out: no user can match it"
        ]
    );
}
