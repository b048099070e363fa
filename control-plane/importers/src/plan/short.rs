//! Rules in short, for tests.

use serde_json::{Value, json};

use super::Flag;

/// Rules of the first state: how conditions combine, the conditions, the segments, the percentage, the value.
pub(crate) fn rules(flag: &Flag) -> Value {
    let short = flag.states[0].rules.iter().map(|rule| {
        let conditions = conditions(&rule.conditions);
        json!([
            rule.match_type,
            conditions,
            rule.segment_keys,
            rule.percentage,
            rule.value
        ])
    });
    short.collect()
}

pub(crate) fn conditions(conditions: &[protocol::rule::Condition]) -> Value {
    let short = conditions
        .iter()
        .map(|condition| json!([condition.attribute, condition.operator, condition.values]));
    short.collect()
}

/// One rule that serves `true` to everybody who meets all of these.
pub(crate) fn on_for(conditions: Value) -> Value {
    json!([["all", conditions, [], 10_000, true]])
}
