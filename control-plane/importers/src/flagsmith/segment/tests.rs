use serde_json::{Value, json};

use super::*;

fn segment(rules: Value) -> Result<Segment, String> {
    let sent = json!({"id": 7, "name": "Beta", "feature": null, "rules": rules});
    let mut plan = Plan::default();
    translate(serde_json::from_value(sent).unwrap(), &mut plan);
    let left_out = plan.left_out.pop().map(|left_out| left_out.reason);
    plan.segments.pop().ok_or_else(|| left_out.unwrap())
}

/// A segment as servers write it: everything in a group in a group.
fn group(kind: &str, conditions: &[(&str, &str, &str)]) -> Value {
    let conditions: Vec<_> = conditions
        .iter()
        .map(|(property, operator, value)| {
            json!({"property": property, "operator": operator, "value": value})
        })
        .collect();
    json!({"type": kind, "rules": [], "conditions": conditions})
}

fn all(groups: &[Value]) -> Value {
    json!([{"type": "ALL", "conditions": [], "rules": groups}])
}

fn one(property: &str, operator: &str, value: &str) -> Result<Segment, String> {
    segment(all(&[group("ANY", &[(property, operator, value)])]))
}

/// `attribute operator value…` for each condition, after how they combine.
fn shown(segment: &Segment) -> String {
    let mut text = format!("{:?}", segment.match_type).to_lowercase();
    for rule in &segment.rules {
        text += &format!(
            "; {} {} {}",
            rule.attribute,
            rule.operator,
            rule.values.join(" | ")
        );
    }
    text
}

#[test]
fn the_key_holds_the_id_and_the_name_is_kept() {
    let segment = one("country", "IN", "DE").unwrap();
    assert_eq!(segment.key, "provider_c-segment-7");
    assert_eq!(
        (segment.name.as_str(), segment.source.as_str()),
        ("Beta", "Beta")
    );
}

#[test]
fn operators_become_what_the_table_says() {
    for (operator, value, expected) in [
        ("EQUAL", "DE", "a eq DE"),
        ("==", "DE", "a eq DE"),
        ("NOT_EQUAL", "DE", "a neq DE"),
        ("!=", "DE", "a neq DE"),
        ("GREATER_THAN", "5", "a gt 5"),
        (">", "5", "a gt 5"),
        ("GREATER_THAN_INCLUSIVE", "5", "a gte 5"),
        (">=", "5", "a gte 5"),
        ("LESS_THAN", "5", "a lt 5"),
        ("<", "5", "a lt 5"),
        ("LESS_THAN_INCLUSIVE", "5", "a lte 5"),
        ("<=", "5", "a lte 5"),
        ("CONTAINS", "x y", "a contains x y"),
        ("NOT_CONTAINS", "x", "a notIn x"),
        ("REGEX", "b", "a regex ^(?:b)"),
        ("IN", "DE,AT", "a in DE | AT"),
        ("NOT_IN", "DE,AT", "a notIn DE | AT"),
        ("STARTS_WITH", "x", "a startsWith x"),
        ("ENDS_WITH", "x", "a endsWith x"),
        ("IS_SET", "", "a exists "),
        ("IS_NOT_SET", "", "a neq "),
        ("PERCENTAGE_SPLIT", "30", "a in 30"),
        ("GREATER_THAN", "1.2.3:semver", "a gt 1.2.3"),
        ("EQUAL", "1.2.3:semver", "a eq 1.2.3"),
    ] {
        let segment = one("a", operator, value).unwrap();
        assert_eq!(
            shown(&segment),
            format!("all; {expected}"),
            "{operator} {value}"
        );
    }
}

#[test]
fn what_is_exact_has_no_remark_and_everything_else_has_one() {
    for (operator, value, is_exact) in [
        ("IN", "DE,AT", true),
        ("IN", " DE, AT ", true),
        ("IN", "[\"DE\", \"AT\"]", true),
        ("IN", "DE,true", false),
        ("IN", "DE,5", false),
        ("IN", "DE,+5", false),
        ("EQUAL", "true", true),
        ("EQUAL", "false", true),
        ("EQUAL", "True", false),
        ("EQUAL", "DE", false),
        ("EQUAL", "5", false),
        ("NOT_EQUAL", "DE", false),
        ("GREATER_THAN", "5", false),
        ("GREATER_THAN", "2024-01-01", false),
        ("GREATER_THAN", "1.2.3:semver", true),
        ("LESS_THAN", "1.2.3:semver", false),
        ("GREATER_THAN", "1.2:semver", false),
        ("CONTAINS", "@example.com", true),
        ("CONTAINS", "ru", false),
        ("NOT_CONTAINS", "@", false),
        ("REGEX", ".*@example\\.com$", true),
        ("REGEX", "\\w+@", false),
        ("REGEX", "(DE|a)", false),
        ("IS_SET", "", true),
        ("IS_NOT_SET", "", true),
        ("NOT_IN", "DE", false),
        ("STARTS_WITH", "D", false),
        ("PERCENTAGE_SPLIT", "30", false),
        ("PERCENTAGE_SPLIT", "100", true),
    ] {
        let segment = one("a", operator, value).unwrap();
        assert_eq!(segment.remarks.is_empty(), is_exact, "{operator} {value}");
    }
}

#[test]
fn the_key_is_always_a_text_so_more_is_exact() {
    for (operator, value, expected) in [
        ("EQUAL", "alice", "all; key eq alice"),
        ("IN", "alice,true", "all; key in alice | true"),
        ("LESS_THAN", "1.2.3:semver", "all; key lt 1.2.3"),
        ("EQUAL", "1.2.3:semver", "all; key gte 1.2.3; key lte 1.2.3"),
        ("IS_SET", "", "all; key exists "),
        ("IS_NOT_SET", "", "all"),
    ] {
        let segment = one("$.identity.identifier", operator, value).unwrap();
        assert_eq!(shown(&segment), expected);
        assert!(segment.remarks.is_empty(), "{operator} {value}");
    }
    assert!(
        !one("$.identity.identifier", "EQUAL", "5")
            .unwrap()
            .remarks
            .is_empty()
    );
}

#[test]
fn what_numbers_contain_is_looked_for_in_texts_only() {
    let segment = one("a", "CONTAINS", "20").unwrap();
    assert_eq!(segment.rules.len(), 2);
    assert_eq!(segment.rules[1].operator, "regex");
    assert!(segment.remarks.is_empty());
}

#[test]
fn conditions_that_mean_nothing_here_leave_the_segment_out() {
    for (property, operator, value, reason) in [
        (
            "a",
            "MODULO",
            "2|0",
            "the operator MODULO is not known here",
        ),
        (
            "key",
            "EQUAL",
            "x",
            "`key` is the context key here, and a trait there",
        ),
        (
            "$.environment.name",
            "EQUAL",
            "x",
            "the property $.environment.name is a path that is not known here",
        ),
        ("", "EQUAL", "x", "EQUAL has no property"),
        (
            "a",
            "REGEX",
            "(?=x)",
            "the pattern is too large, or has a syntax that is not known here",
        ),
        ("a", "CONTAINS", "1:semver", "a version contains nothing"),
    ] {
        assert_eq!(one(property, operator, value).unwrap_err(), reason);
    }
    let without = json!([{"type": "ALL", "conditions": [{"property": "a", "operator": "EQUAL", "value": null}]}]);
    assert_eq!(segment(without).unwrap_err(), "EQUAL has no operand");
}

#[test]
fn an_empty_property_is_the_key() {
    let split = json!([{"type": "ALL", "conditions": [{"property": null, "operator": "PERCENTAGE_SPLIT", "value": "30"}]}]);
    assert_eq!(shown(&segment(split).unwrap()), "all; key in 30");
}

#[test]
fn groups_fit_into_one_list_where_one_level_is_enough() {
    let de = ("country", "IN", "DE");
    let at = ("country", "IN", "AT");
    let beta = ("beta", "EQUAL", "true");
    for (groups, expected) in [
        (
            vec![group("ALL", &[de, beta])],
            "all; country in DE; beta eq true",
        ),
        (
            vec![group("ANY", &[de, beta])],
            "any; country in DE; beta eq true",
        ),
        (
            vec![group("ANY", &[de, at])],
            "any; country in DE; country in AT",
        ),
        (
            vec![group("ANY", &[de]), group("ANY", &[beta])],
            "all; country in DE; beta eq true",
        ),
        (
            vec![group("ANY", &[de, at]), group("ALL", &[beta])],
            "all; country in DE | AT; beta eq true",
        ),
        (
            vec![group("NONE", &[de])],
            "any; country notIn DE; country neq ",
        ),
        (
            vec![group("NONE", &[de, at])],
            "any; country notIn DE | AT; country neq ",
        ),
        (vec![group("NONE", &[("a", "IS_SET", "")])], "all; a neq "),
        (
            vec![group("NONE", &[("a", "IS_NOT_SET", "")])],
            "all; a exists ",
        ),
        (
            vec![
                group("NONE", &[("$.identity.identifier", "IN", "alice")]),
                group("ALL", &[beta]),
            ],
            "all; key notIn alice; beta eq true",
        ),
        (vec![group("ANY", &[])], "all; key exists "),
        (vec![], "all; key exists "),
    ] {
        let segment = segment(all(&groups)).unwrap();
        assert_eq!(shown(&segment), expected);
        assert!(segment.remarks.is_empty());
    }
}

#[test]
fn a_segment_without_rules_has_nobody_in_it() {
    let segment = segment(json!([])).unwrap();
    assert!(segment.rules.is_empty() && segment.remarks.is_empty());
}

#[test]
fn deeper_groups_become_one_list_with_a_remark() {
    let any = group("ANY", &[("country", "IN", "DE"), ("plan", "IN", "pro")]);
    let segment = segment(all(&[any, group("ALL", &[("beta", "EQUAL", "true")])])).unwrap();
    assert_eq!(
        shown(&segment),
        "all; country in DE; plan in pro; beta eq true"
    );
    assert_eq!(segment.remarks.iter().count(), 1);
}

#[test]
fn a_group_none_that_needs_another_level_leaves_the_segment_out() {
    let none = group("NONE", &[("country", "IN", "DE")]);
    let groups = [none, group("ALL", &[("beta", "EQUAL", "true")])];
    assert_eq!(
        segment(all(&groups)).unwrap_err(),
        "a group NONE cannot be said in one list of conditions"
    );
    assert!(segment(all(&[group("NONE", &[("a", "CONTAINS", "@")])])).is_err());
}

#[test]
fn conditions_and_groups_of_one_group_count_by_themselves() {
    let inner = group("ALL", &[("beta", "EQUAL", "true")]);
    let both = json!([{
        "type": "ANY",
        "conditions": [{"property": "country", "operator": "IN", "value": "DE"}],
        "rules": [inner],
    }]);
    assert_eq!(
        shown(&segment(both).unwrap()),
        "all; country in DE; beta eq true"
    );
}

#[test]
fn there_is_one_remark_for_all_conditions_with_one_reason() {
    let conditions = [("country", "EQUAL", "DE"), ("age", "GREATER_THAN", "5")];
    let segment = segment(all(&[group("ALL", &conditions)])).unwrap();
    let said: Vec<_> = segment.remarks.iter().map(|remark| &remark.text).collect();
    assert_eq!(said.len(), 1);
    assert!(said[0].starts_with("country EQUAL; age GREATER_THAN: "));
}

#[test]
fn a_segment_with_too_many_patterns_is_left_out() {
    let conditions = vec![("a", "REGEX", "@"); 201];
    assert_eq!(
        segment(all(&[group("ALL", &conditions)])).unwrap_err(),
        "it has more than 200 regular expressions"
    );
    assert!(segment(all(&[group("ALL", &conditions[..200])])).is_ok());
}
