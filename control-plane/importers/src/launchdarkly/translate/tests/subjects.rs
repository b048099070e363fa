//! What clauses look at, and how they combine.

use serde_json::json;

use super::{
    clauses::{about, assert_left_out, clause, differences, negated, ruled},
    on_for, rules, said,
};

#[test]
fn an_attribute_is_a_path_only_where_the_clause_names_a_kind() {
    let named = about("/a~1b~0c", clause("in", json!(["v"])));
    let mut unnamed = about("/a/b", clause("in", json!(["v"])));
    unnamed["contextKind"] = json!("");
    for (clause, attribute) in [(named, "a/b~c"), (unnamed, "/a/b")] {
        let flag = ruled(json!([clause]));
        assert_eq!(rules(&flag), on_for(json!([[attribute, "in", ["v"]]])));
        assert!(flag.remarks.is_empty());
    }
}

#[test]
fn whether_somebody_is_anonymous_is_a_boolean_that_may_be_missing() {
    let differs = differences(&["`anonymous` is always a boolean there, and may be anything here"]);
    let is = |value: bool| about("anonymous", clause("in", json!([value])));
    let flag = ruled(json!([is(true)]));
    assert_eq!(rules(&flag), on_for(json!([["anonymous", "in", ["true"]]])));
    assert_eq!(said(&flag.remarks), differs);
    let (no, missing) = (
        json!(["anonymous", "in", ["false"]]),
        json!(["anonymous", "neq", []]),
    );
    let is_not = about("anonymous", negated("in", json!([true])));
    for clause in [is(false), is_not] {
        let flag = ruled(json!([clause]));
        assert_eq!(
            rules(&flag),
            json!([["any", [no, missing], [], 10_000, true]])
        );
        assert_eq!(said(&flag.remarks), differs);
    }
    let beside = json!(["x", "in", ["a"]]);
    let flag = ruled(json!([clause("in", json!(["a"])), is(false)]));
    assert_eq!(
        rules(&flag),
        json!([
            ["all", [beside, no], [], 10_000, true],
            ["all", [beside, missing], [], 10_000, true],
        ])
    );
}

#[test]
fn everybody_is_a_user() {
    let differs = "the kind of the context is not looked at, because here every context is a user";
    for (op, value) in [
        ("in", "user"),
        ("startsWith", "us"),
        ("endsWith", "er"),
        ("contains", "se"),
    ] {
        let flag = ruled(json!([about("kind", clause(op, json!([value])))]));
        assert_eq!(rules(&flag), on_for(json!([])), "{op}");
        assert_eq!(said(&flag.remarks), differences(&[differs]), "{op}");
        assert_left_out(
            about("kind", negated(op, json!([value]))),
            "no user can match it",
        );
        assert_left_out(
            about("kind", clause(op, json!(["organization"]))),
            "no user can match it",
        );
    }
}

#[test]
fn no_user_matches_a_clause_about_another_kind() {
    let mut clause = clause("in", json!(["a"]));
    clause["contextKind"] = json!("organization");
    let flag = ruled(json!([clause]));
    assert_eq!(rules(&flag), json!([]));
    assert_eq!(
        said(&flag.remarks),
        [
            "lost: production, rule 1: it asks for contexts of the kind `organization`",
            "lost: production, rule 1: left out: no user can match it",
        ]
    );
}

#[test]
fn all_clauses_of_a_rule_have_to_hold() {
    let flag = ruled(json!([
        clause("in", json!(["a"])),
        about("y", clause("endsWith", json!(["@b"]))),
    ]));
    assert_eq!(
        rules(&flag),
        on_for(json!([["x", "in", ["a"]], ["y", "endsWith", ["@b"]]]))
    );
    assert_eq!(rules(&ruled(json!([]))), on_for(json!([])));
}

#[test]
fn a_rule_of_too_many_combinations_is_left_out() {
    let date = |number: usize| about(&format!("at{number}"), clause("after", json!([0])));
    let clauses: Vec<_> = (0..7).map(date).collect();
    let flag = ruled(json!(clauses));
    assert_eq!(rules(&flag), json!([]));
    assert_eq!(
        said(&flag.remarks),
        ["lost: production, rule 1: left out: it takes too many combinations here"]
    );
}
