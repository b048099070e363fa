//! Clauses, and the rules that they become.

use serde_json::{Value, json};

use super::{flag_of, on_for, rules, said};
use crate::plan::Flag;

const NUMBERS: &str = "numbers that are given as text are compared here, and not there (`x`)";
const NOT_COMPARED: &str = "values that cannot be compared match a negated comparison there, and not here, and of a list one element is enough here (`x`)";
const DATES: &str = "a number of milliseconds that is given as text is compared here and not there, and a date in another form than that of RFC 3339 there and not here (`x`)";
const VERSIONS: &str = "versions of fewer than three parts are compared there, and not here (`x`)";
const BETWEEN: &str = "of a list, a lower and a higher version together equal one in between here, and not there (`x`)";
const NOT_ALIKE: &str = "versions that are equal but not written alike match a negated `semVerEqual` here, and not there (`x`)";
const OBJECTS: &str = "an attribute that is an object is not in the list of a negated clause there, and matches nothing here (`x`)";
const READ_LIKE_THEM: &str =
    "numbers and booleans equal the texts that read like them here, and not there (`x`)";
const READ_AS_TEXT: &str =
    "numbers and booleans are read as text here, and never match there (`x`)";
const DIALECTS: &str = "SDKs of the source read such a regular expression in different ways, and numbers and booleans are read as text here (`x`)";

/// A clause about the attribute `x` of users.
pub(super) fn clause(op: &str, values: Value) -> Value {
    json!({"contextKind": "user", "attribute": "x", "op": op, "values": values})
}

pub(super) fn negated(op: &str, values: Value) -> Value {
    let mut clause = clause(op, values);
    clause["negate"] = json!(true);
    clause
}

pub(super) fn about(attribute: &str, mut clause: Value) -> Value {
    clause["attribute"] = json!(attribute);
    clause
}

/// A flag whose only rule serves `true` to whoever matches all clauses.
pub(super) fn ruled(clauses: Value) -> Flag {
    flag_of(json!({"rules": [{"clauses": clauses, "variation": 0}]}))
}

/// These differences of the first rule.
pub(super) fn differences(texts: &[&str]) -> Vec<String> {
    let said = texts
        .iter()
        .map(|text| format!("about: production, rule 1: {text}"));
    said.collect()
}

/// Asserts that a single clause is left out with its rule for this reason.
pub(super) fn assert_left_out(clause: Value, reason: &str) {
    let flag = ruled(json!([clause]));
    assert_eq!(rules(&flag), json!([]), "{clause}");
    let expected = format!("lost: production, rule 1: left out: {reason}");
    assert_eq!(said(&flag.remarks), [expected], "{clause}");
}

#[test]
fn texts_and_keys_are_exact() {
    for (clause, expected) in [
        (
            clause("in", json!(["DE", "AT", "DE"])),
            json!(["x", "in", ["DE", "AT"]]),
        ),
        (
            clause("in", json!(["5", 5, true, "true"])),
            json!(["x", "in", ["5", "true"]]),
        ),
        (
            clause("startsWith", json!(["ab", "x-"])),
            json!(["x", "startsWith", ["ab", "x-"]]),
        ),
        (
            clause("endsWith", json!(["@acme.com"])),
            json!(["x", "endsWith", ["@acme.com"]]),
        ),
        (
            clause("contains", json!(["admin"])),
            json!(["x", "contains", ["admin"]]),
        ),
        (
            clause("matches", json!(["^admin-.*", r"@acme\.com"])),
            json!(["x", "regex", ["^admin-.*", r"@acme\.com"]]),
        ),
        (
            about("key", clause("in", json!(["5", "true"]))),
            json!(["key", "in", ["5", "true"]]),
        ),
        (
            about("key", negated("in", json!(["a", "5"]))),
            json!(["key", "notIn", ["a", "5"]]),
        ),
        (
            about("key", clause("contains", json!(["1"]))),
            json!(["key", "contains", ["1"]]),
        ),
    ] {
        let flag = ruled(json!([clause]));
        assert_eq!(rules(&flag), on_for(json!([expected])), "{clause}");
        assert!(flag.remarks.is_empty(), "{:?}", said(&flag.remarks));
    }
}

#[test]
fn operands_that_another_type_would_match_here_are_remarked() {
    for (clause, expected, differs) in [
        (
            clause("in", json!([5, 5.0])),
            json!(["x", "in", ["5"]]),
            READ_LIKE_THEM,
        ),
        (
            clause("in", json!([true])),
            json!(["x", "in", ["true"]]),
            READ_LIKE_THEM,
        ),
        (
            clause("in", json!(["20"])),
            json!(["x", "in", ["20"]]),
            READ_LIKE_THEM,
        ),
        (
            negated("in", json!(["a"])),
            json!(["x", "notIn", ["a"]]),
            OBJECTS,
        ),
        (
            clause("startsWith", json!(["1."])),
            json!(["x", "startsWith", ["1."]]),
            READ_AS_TEXT,
        ),
        (
            clause("endsWith", json!(["e"])),
            json!(["x", "endsWith", ["e"]]),
            READ_AS_TEXT,
        ),
        (
            clause("contains", json!(["als"])),
            json!(["x", "contains", ["als"]]),
            READ_AS_TEXT,
        ),
        (
            clause("matches", json!(["[0-9]"])),
            json!(["x", "regex", ["[0-9]"]]),
            DIALECTS,
        ),
        (
            clause("matches", json!(["@acme$"])),
            json!(["x", "regex", ["@acme$"]]),
            DIALECTS,
        ),
    ] {
        let flag = ruled(json!([clause]));
        assert_eq!(rules(&flag), on_for(json!([expected])), "{clause}");
        assert_eq!(said(&flag.remarks), differences(&[differs]), "{clause}");
    }
}

#[test]
fn each_comparison_has_its_counterpart_and_its_inverse() {
    for (op, value, written, expected, inverse, differs) in [
        ("greaterThan", json!(5), "5", "gt", "lte", NUMBERS),
        (
            "greaterThanOrEqual",
            json!(5.5),
            "5.5",
            "gte",
            "lt",
            NUMBERS,
        ),
        ("greaterOrEqual", json!(5), "5", "gte", "lt", NUMBERS),
        ("lessThan", json!(-5), "-5", "lt", "gte", NUMBERS),
        ("lessThanOrEqual", json!(5.0), "5", "lte", "gt", NUMBERS),
        ("lessOrEqual", json!(5), "5", "lte", "gt", NUMBERS),
        (
            "semVerGreaterThan",
            json!("1.2"),
            "1.2.0",
            "gt",
            "lte",
            VERSIONS,
        ),
        (
            "semVerLessThan",
            json!("1.2.3-rc.1"),
            "1.2.3-rc.1",
            "lt",
            "gte",
            VERSIONS,
        ),
    ] {
        let flag = ruled(json!([clause(op, json!([value]))]));
        assert_eq!(
            rules(&flag),
            on_for(json!([["x", expected, [written]]])),
            "{op}"
        );
        assert_eq!(said(&flag.remarks), differences(&[differs]), "{op}");
        let flag = ruled(json!([negated(op, json!([value]))]));
        assert_eq!(
            rules(&flag),
            on_for(json!([["x", inverse, [written]]])),
            "{op}"
        );
        assert_eq!(
            said(&flag.remarks),
            differences(&[differs, NOT_COMPARED]),
            "{op}"
        );
    }
}

/// An attribute is a number of milliseconds or a text there, whatever the operand is.
#[test]
fn dates_are_compared_in_milliseconds_and_as_texts() {
    let (date, millis) = ("2024-01-01T00:00:00Z", 1_704_067_200_000_i64);
    let either = |operator: &str| {
        let conditions = json!([
            ["x", operator, [date]],
            ["x", operator, [millis.to_string()]]
        ]);
        json!([["any", conditions, [], 10_000, true]])
    };
    for (op, value, expected, inverse) in [
        ("after", json!(date), "gt", "lte"),
        ("after", json!(millis), "gt", "lte"),
        ("before", json!(millis), "lt", "gte"),
    ] {
        let flag = ruled(json!([clause(op, json!([value]))]));
        assert_eq!(rules(&flag), either(expected), "{op}");
        assert_eq!(said(&flag.remarks), differences(&[DATES]), "{op}");
        let flag = ruled(json!([negated(op, json!([value]))]));
        assert_eq!(rules(&flag), either(inverse), "{op}");
        assert_eq!(
            said(&flag.remarks),
            differences(&[DATES, NOT_COMPARED]),
            "{op}"
        );
    }
}

#[test]
fn versions_are_equal_between_two_bounds() {
    let flag = ruled(json!([clause("semVerEqual", json!(["2"]))]));
    let bounds = json!([["x", "gte", ["2.0.0"]], ["x", "lte", ["2.0.0"]]]);
    assert_eq!(rules(&flag), on_for(bounds));
    assert_eq!(said(&flag.remarks), differences(&[VERSIONS, BETWEEN]));
    let flag = ruled(json!([negated("semVerEqual", json!(["2.0.1"]))]));
    assert_eq!(rules(&flag), on_for(json!([["x", "neq", ["2.0.1"]]])));
    assert_eq!(said(&flag.remarks), differences(&[VERSIONS, NOT_ALIKE]));
}

#[test]
fn what_has_no_counterpart_is_left_out_with_its_rule() {
    for op in ["startsWith", "endsWith", "contains", "matches"] {
        let reason = format!("a negated `{op}` has no counterpart");
        assert_left_out(negated(op, json!(["a"])), &reason);
    }
    for (op, values) in [
        ("greaterThan", json!([1, 2])),
        ("before", json!([1, 2])),
        ("semVerEqual", json!(["1.0.0", "2.0.0"])),
    ] {
        let reason = format!("`{op}` has several operands");
        assert_left_out(clause(op, values.clone()), &reason);
        assert_left_out(negated(op, values), &reason);
    }
    for (clause, reason) in [
        (
            clause("sounds", json!(["a"])),
            "the operator `sounds` is not known",
        ),
        (
            negated("segmentMatch", json!(["s"])),
            "it asks who is not in a segment",
        ),
        (
            clause("matches", json!(["(?=a)"])),
            "it has a regular expression that cannot be read here",
        ),
        (
            clause("after", json!(["yesterday"])),
            "\"yesterday\" is no date here",
        ),
        (
            about("/address/city", clause("in", json!(["Rome"]))),
            "`/address/city` is a part of an attribute",
        ),
        (
            about("", clause("in", json!(["a"]))),
            "`` names no attribute",
        ),
        (
            about("kind", clause("matches", json!(["^u"]))),
            "it tests the kind of the context by `matches`",
        ),
    ] {
        assert_left_out(clause, reason);
    }
}

#[test]
fn a_rule_that_nobody_can_match_is_left_out_and_says_why() {
    for (op, values) in [
        ("in", json!([])),
        ("in", json!([null, [1], {}])),
        ("startsWith", json!([5])),
        ("matches", json!([true])),
        ("greaterThan", json!(["5"])),
        ("lessThan", json!([])),
        ("after", json!([true])),
        ("semVerEqual", json!([1])),
        ("semVerLessThan", json!(["1.2.3.4"])),
    ] {
        let flag = ruled(json!([clause(op, values.clone())]));
        assert_eq!(rules(&flag), json!([]), "{op} {values}");
        let reason =
            format!("lost: production, rule 1: no operand of `{op}` can match any value of `x`");
        let left_out = "lost: production, rule 1: left out: no user can match it";
        assert_eq!(
            said(&flag.remarks),
            [reason.as_str(), left_out],
            "{op} {values}"
        );
    }
}

#[test]
fn a_negated_comparison_that_can_never_hold_asks_for_the_attribute() {
    for (op, values) in [("in", json!([null])), ("greaterThan", json!(["5"]))] {
        let flag = ruled(json!([negated(op, values.clone())]));
        assert_eq!(rules(&flag), on_for(json!([["x", "exists", []]])), "{op}");
        let of_key = ruled(json!([about("key", negated(op, values))]));
        assert_eq!(rules(&of_key), on_for(json!([])), "{op}");
        for (flag, attribute) in [(flag, "x"), (of_key, "key")] {
            let reason = format!(
                "lost: production, rule 1: no operand of `{op}` can match any value of `{attribute}`"
            );
            assert_eq!(said(&flag.remarks), [reason]);
        }
    }
}

#[test]
fn operands_of_a_type_that_never_matches_are_left_out() {
    for (clause, expected) in [
        (clause("in", json!(["a", null])), json!(["x", "in", ["a"]])),
        (
            clause("contains", json!(["ab", 5])),
            json!(["x", "contains", ["ab"]]),
        ),
        (
            clause("matches", json!(["^ab", false])),
            json!(["x", "regex", ["^ab"]]),
        ),
        (
            about("key", clause("in", json!(["a", 5]))),
            json!(["key", "in", ["a"]]),
        ),
    ] {
        let flag = ruled(json!([clause]));
        assert_eq!(rules(&flag), on_for(json!([expected])), "{clause}");
        let reason = format!(
            "lost: production, rule 1: operands of {} that can match no value of `{}` are left out",
            clause["op"].to_string().replace('"', "`"),
            clause["attribute"].as_str().unwrap()
        );
        assert_eq!(said(&flag.remarks), [reason], "{clause}");
    }
}
