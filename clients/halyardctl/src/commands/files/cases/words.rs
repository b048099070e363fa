//! Answers and their reasons in a line or two.

use protocol::eval::{Evaluation, ExplainedRule, Explanation};

/// How many rules are told of that did not match.
const MOST_RULES: usize = 3;

/// Some of several parts.
pub(super) fn list<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// An answer.
pub(super) fn answer(got: &Evaluation<'_>) -> String {
    match got.variant_key() {
        "" => format!("{} ({})", got.value_json, got.reason),
        variant => format!("{} ({}, variant {variant:?})", got.value_json, got.reason),
    }
}

/// What decided, and which rules did not.
pub(super) fn because(why: &Explanation) -> Vec<String> {
    let decided = why.steps.last().map_or("", |step| step.detail);
    let mut decided = decided.to_owned();
    let mut steps = why.steps.iter();
    if why.decided_by == "served_value"
        && let Some(rollout) = steps.find(|step| step.step == "percentage_rollout")
    {
        rollout.detail.clone_into(&mut decided);
    }
    if let Some(id) = &why.rule_id {
        decided.push_str(&format!(": rule {id}"));
    }
    let bucket = match why.decided_by {
        "rules" | "percentage_rollout" | "served_value" => why.buckets.rollout,
        "variants" => why.buckets.variant,
        _ => None,
    };
    if let Some(bucket) = bucket {
        decided.push_str(&format!(" (bucket {bucket} of 10000)"));
    }
    if why.decided_by == "prerequisites"
        && let Some(unmet) = why.prerequisites.iter().rev().find(|one| !one.met)
    {
        let (key, value) = (&unmet.flag_key, &unmet.value);
        decided.push_str(&format!(": {key} is {value} ({})", unmet.reason));
    }
    if let Some(winner) = why
        .mutex
        .as_ref()
        .and_then(|contest| contest.winner.as_ref())
        && why.decided_by == "mutual_exclusion"
    {
        decided.push_str(&format!(": {winner}"));
    }
    let is_last = |rule: &&ExplainedRule| Some(&rule.id) != why.rule_id.as_ref();
    let others = why.rules.iter().filter(is_last);
    let mut lines: Vec<_> = others.take(MOST_RULES).map(not_served).collect();
    lines.insert(0, decided);
    lines
}

/// Why a rule did not serve.
fn not_served(rule: &ExplainedRule) -> String {
    let id = &rule.id;
    if rule.matched {
        return format!("rule {id} matches, and its percentage does not admit the key");
    }
    let condition = rule.conditions.iter().find(|condition| !condition.matched);
    if let Some(condition) = condition {
        let attribute = &condition.attribute;
        let got = match &condition.attribute_value {
            Some(value) => value.to_string(),
            None => "missing".to_owned(),
        };
        let operator = &condition.operator;
        let values = condition.values.join(", ");
        return format!(
            "rule {id} does not match: {attribute} is {got}, not {operator} [{values}]"
        );
    }
    let segment = rule.segments.iter().find(|segment| !segment.matched);
    match segment {
        Some(segment) => format!("rule {id} does not match: not in segment {}", segment.key),
        None => format!("rule {id} does not match"),
    }
}
