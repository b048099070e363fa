//! The words of differences; the dashboard has the same.

use crate::content::{Flag, State};
use serde_json::{Value, json};

use super::{Sentence, of_flag, of_state, rules::moved};

fn state(fields: Value) -> State {
    let mut state: State = serde_json::from_value(fields).unwrap();
    state.complete();
    state
}

fn plain(told: &[Sentence]) -> Vec<String> {
    let told = told.iter();
    told.map(|one| format!("{} {}", one.mark.sign(), one.words))
        .collect()
}

fn states(before: Value, after: Value) -> Vec<String> {
    plain(&of_state(&state(before), &state(after)))
}

#[test]
fn a_state_is_told_field_by_field() {
    let told = states(
        json!({"percentage_rollout": 1000, "variants": [{"key": "a", "weight": 10_000}]}),
        json!({"enabled": true, "default_value": {"a": 1}, "percentage_rollout": 2525,
            "variants": [{"key": "b", "weight": 2500, "value": 1}, {"key": "a", "weight": 7500}],
            "scheduled_disable_at": "2026-01-02T03:04:05Z"}),
    );
    assert_eq!(
        told,
        [
            "~ Switched on",
            r#"~ Default value in this environment: not set → {"a":1}"#,
            "~ Rollout: 10% → 25.25%",
            "+ Variant b added: 25%, value 1",
            "~ Variant a 100% → 75%",
            "~ Switches off at: not set → 2026-01-02T03:04:05Z",
        ]
    );
    assert_eq!(
        states(
            json!({"percentage_rollout": 0, "default_value": 1}),
            json!({"default_value": 1.0})
        ),
        ["~ Rollout: 0% (no users) → not set"]
    );
}

#[test]
fn rules_are_known_by_their_ids_and_named_by_their_descriptions() {
    let country =
        |values: &[&str]| json!({"attribute": "country", "operator": "in", "values": values});
    let told = states(
        json!({"rules": [
            {"id": "a", "conditions": [country(&["NL", "DE"])]},
            {"id": "b", "description": "staff", "value": 1},
            {"id": "c", "segment_keys": ["beta"]},
        ]}),
        json!({"rules": [
            {"id": "b", "description": "people", "value": 2},
            {"id": "a", "conditions": [country(&["DE", "FR"])], "percentage": 500},
            {"id": "d", "match_type": "any", "segment_keys": ["x", "y"], "value": true, "percentage": 50},
        ]}),
    );
    assert_eq!(
        told,
        [
            "- Rule 3 removed: in the segment beta; serves the default",
            "~ Rule staff renamed people",
            "~ Rule staff: serves 1 → 2",
            "~ Rule 2 (country is one of NL, DE) moved from place 1 to 2",
            "- Rule 2, country is one of: removed NL",
            "+ Rule 2, country is one of: added FR",
            "~ Rule 2 (country is one of NL, DE): 100% → 5%",
            "+ Rule 3 added at place 3: in any of x, y; serves true to 0.5%",
        ]
    );
}

#[test]
fn rules_that_only_stand_elsewhere_are_told_as_that() {
    let two = |one: i64, other: i64| json!({"rules": [{"id": "a", "priority": one}, {"id": "b", "priority": other}]});
    assert_eq!(
        states(two(0, 1), two(5, 9)),
        ["~ Priorities of rules are numbered anew; their order stays the same"]
    );
    let turned = json!({"rules": [{"id": "b", "priority": 1}, {"id": "a", "priority": 0}]});
    assert_eq!(
        states(two(0, 1), turned),
        ["~ Rules are stored in another order; the order in which they are tried stays the same"]
    );
}

#[test]
fn as_few_as_possible_move() {
    let ids = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    let told = |before: &str, after: &str| {
        let (before, after) = (ids(before), ids(after));
        let mut moved: Vec<_> = moved(&before, &after)
            .into_iter()
            .map(str::to_owned)
            .collect();
        moved.sort();
        moved.concat()
    };
    assert_eq!(told("abcd", "abcd"), "");
    assert_eq!(told("abcd", "dabc"), "d");
    assert_eq!(told("abcd", "bcda"), "a");
    assert_eq!(told("abcd", "axbd"), "");
}

#[test]
fn long_values_are_shown_from_where_they_differ() {
    let long = |end: &str| json!({"default_value": format!("{}{end}", "x".repeat(200))});
    let told = states(long("one"), long("two"));
    assert!(
        told[0].ends_with("xxxone\" → …xxxxxxxxxxxxxxxxxxxxtwo\""),
        "{told:?}"
    );
}

#[test]
fn a_flag_is_told_field_by_field() {
    let flag = |more: Value| -> Flag {
        let mut fields =
            json!({"key": "a", "name": "A", "flag_type": "boolean", "default_value": false});
        let more = more.as_object().unwrap().clone();
        fields.as_object_mut().unwrap().extend(more);
        serde_json::from_value(fields).unwrap()
    };
    let told = of_flag(
        &flag(json!({"tags": ["x", "y"], "prerequisites": ["p"], "description": "old"})),
        &flag(
            json!({"tags": ["y", "x"], "prerequisites": ["q"], "name": "B", "permanent": true,
            "mutual_exclusion_group": "g", "archived": true, "default_value": true}),
        ),
    );
    assert_eq!(
        plain(&told),
        [
            "~ Name: A → B",
            "~ Description removed: old",
            "~ Default value of the flag: false → true",
            "~ Tags are written in another order",
            "- Removed the prerequisite p",
            "+ Added the prerequisite q",
            "~ Mutual exclusion group: none → g",
            "~ Is to stay for ever",
            "~ Archived: it is served no more",
        ]
    );
}
