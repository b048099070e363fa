//! The shape of an explanation is the one that the management API promises.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use protocol::{
    eval::{Context, Environment, Scratch, explain},
    snapshot::{Condition, Flag, FlagType, MatchType, Snapshot},
};
use serde_json::{Value, json};

fn explained(snapshot: &Snapshot, flag: &str, context: &str) -> Value {
    let context: Context<'_> = serde_json::from_str(context).unwrap();
    let env = Environment::prepare(snapshot).unwrap();
    serde_json::to_value(explain(&env, snapshot, flag, &context, &mut Scratch::new())).unwrap()
}

/// A boolean flag with a prerequisite, in a group of its own, whose only rule requires a plan and a segment.
fn snapshot() -> Snapshot {
    let mut snapshot = sample::snapshot();
    snapshot.flags[0].key = "base".to_owned();
    snapshot.flags[0].mutual_exclusion_group.clear();
    snapshot.flags[0].prerequisites.clear();
    snapshot.flags[1] = Flag {
        key: "checkout".to_owned(),
        flag_type: FlagType::Boolean,
        default_value: "false".to_owned(),
        prerequisites: vec!["base".to_owned()],
        mutual_exclusion_group: "group".to_owned(),
        ..snapshot.flags[0].clone()
    };
    let state = snapshot.flags[1].state.as_mut().unwrap();
    state.default_value = None;
    state.rules[0].match_type = MatchType::All;
    state.rules[0].segment_keys.push("gone".to_owned());
    state.rules[0].value = Some("true".to_owned());
    state.rules[0].percentage = 10_000;
    snapshot
}

#[test]
fn a_rule_that_serves_is_explained_with_everything_that_led_to_it() {
    let context = r#"{"key": "user-1", "attributes": {"plan": "pro"}}"#;
    let mut told = explained(&snapshot(), "checkout", context);
    for step in told["steps"].as_array_mut().unwrap() {
        assert!(step["detail"].take().is_string());
    }
    let step =
        |name: &str, outcome: &str| json!({"step": name, "outcome": outcome, "detail": null});
    assert_eq!(
        told,
        json!({
            "result": {"flag_key": "checkout", "value": true, "reason": "TARGETED", "variant_key": ""},
            "decided_by": "rules",
            "rule_id": "r1",
            "steps": [
                step("enabled", "passed"),
                step("mutual_exclusion", "passed"),
                step("prerequisites", "passed"),
                step("rules", "decided"),
            ],
            "buckets": {"rollout": 3298, "mutex": 421, "variant": null},
            "prerequisites": [{"flag_key": "base", "met": true, "reason": "VARIANT", "value": 1}],
            "mutex": {"group": "group", "winner": "checkout", "members": ["checkout"]},
            "rules": [{
                "id": "r1",
                "matched": true,
                "admitted": true,
                "conditions": [{
                    "attribute": "plan",
                    "operator": "in",
                    "values": ["pro", "team"],
                    "attribute_value": "pro",
                    "missing": false,
                    "matched": true,
                }],
                "segments": [
                    {"key": "beta", "exists": true, "matched": true},
                    {"key": "gone", "exists": false, "matched": false},
                ],
            }],
        })
    );
}

#[test]
fn missing_attributes_are_shown_and_the_rollout_decides() {
    let mut snapshot = snapshot();
    snapshot.flags[1].prerequisites.clear();
    snapshot.flags[1].state.as_mut().unwrap().percentage_rollout = Some(0);
    let told = explained(
        &snapshot,
        "checkout",
        r#"{"key": "user-1", "attributes": {"plan": null}}"#,
    );
    assert_eq!(told["decided_by"], "percentage_rollout");
    assert_eq!(told["rule_id"], Value::Null);
    assert_eq!(told["rules"][0]["matched"], false);
    assert_eq!(told["rules"][0]["admitted"], Value::Null);
    let condition = &told["rules"][0]["conditions"][0];
    assert_eq!(
        (&condition["attribute_value"], &condition["missing"]),
        (&Value::Null, &Value::Bool(true))
    );
}

#[test]
fn a_value_of_the_wrong_type_is_explained() {
    let mut snapshot = snapshot();
    snapshot.flags[1].state.as_mut().unwrap().rules[0].value = Some("7".to_owned());
    let told = explained(
        &snapshot,
        "checkout",
        r#"{"key": "user-1", "attributes": {"plan": "pro"}}"#,
    );
    assert_eq!(
        told["result"],
        json!({"flag_key": "checkout", "value": false, "reason": "ERROR", "variant_key": ""})
    );
    assert_eq!(told["rule_id"], "r1");
    assert!(
        told["steps"][3]["detail"]
            .as_str()
            .unwrap()
            .contains("type")
    );
}

#[test]
fn an_unknown_flag_is_a_result() {
    let told = explained(&snapshot(), "nope", r#"{"key": "user-1"}"#);
    assert_eq!(
        told["result"],
        json!({"flag_key": "nope", "value": null, "reason": "NOT_FOUND", "variant_key": ""})
    );
    assert_eq!(
        (&told["decided_by"], &told["rules"]),
        (&json!("flag_exists"), &json!([]))
    );
}

#[test]
fn a_pattern_that_never_matches_is_told() {
    let detail = |pattern: &str| {
        let mut snapshot = snapshot();
        let state = snapshot.flags[1].state.as_mut().unwrap();
        state.rules[0].conditions = vec![Condition {
            attribute: "plan".to_owned(),
            operator: "regex".to_owned(),
            values: vec![pattern.to_owned()],
        }];
        let context = r#"{"key": "user-1", "attributes": {"plan": "pro"}}"#;
        explained(&snapshot, "checkout", context)["steps"][3]["detail"].clone()
    };
    assert_eq!(detail("^x"), "no rule both matches and admits the context");
    assert_eq!(
        detail("\\w{1000}"),
        "no rule both matches and admits the context, but a pattern among them is too large or beyond what an \
         environment may hold, and never matches"
    );
}

#[test]
fn what_was_not_tested_is_not_called_unmatched() {
    let condition = |operator: &str, values: Vec<String>| Condition {
        attribute: "plan".to_owned(),
        operator: operator.to_owned(),
        values,
    };
    let mut snapshot = snapshot();
    let state = snapshot.flags[1].state.as_mut().unwrap();
    state.rules[0].match_type = MatchType::Any;
    state.rules[0].segment_keys.clear();
    // The first decides. The others are tested for the explanation alone, until there is no work left for it.
    let costly = (0..300).map(|number| {
        let values = (0..100).map(|other| format!("ab{number}-{other}"));
        condition("contains", values.collect())
    });
    state.rules[0].conditions = std::iter::once(condition("exists", Vec::new()))
        .chain(costly)
        .chain([condition("startsWith", vec!["ab".to_owned()])])
        .collect();
    let text = "ab".repeat(4_000);
    let context = json!({"key": "user-1", "attributes": {"plan": text}}).to_string();
    let told = explained(&snapshot, "checkout", &context);
    assert_eq!(told["result"]["reason"], "TARGETED");
    let conditions = told["rules"][0]["conditions"].as_array().unwrap();
    assert!(conditions.len() > 2, "some were tested");
    assert!(
        conditions.len() < 302,
        "the last one was not, and is left out"
    );
    assert_eq!(conditions[0]["matched"], true);
    assert!(
        conditions[1..]
            .iter()
            .all(|condition| condition["matched"] == false)
    );
}
