//! Parts of environments, with nothing in them but what a test is about.

use std::borrow::Cow;

use protocol::{
    eval::{Attribute, Context, Environment, Scratch, evaluate},
    reason::Reason,
    snapshot::{Condition, Flag, FlagState, FlagType, MatchType, Rule, Segment, Snapshot},
};

use crate::sample;

pub(crate) fn condition(operator: &str, values: Vec<String>) -> Condition {
    Condition {
        attribute: "text".to_owned(),
        operator: operator.to_owned(),
        values,
    }
}

pub(crate) fn rule(conditions: Vec<Condition>, segment_keys: Vec<String>) -> Rule {
    Rule {
        id: "rule".to_owned(),
        priority: 0,
        match_type: MatchType::Any,
        conditions,
        segment_keys,
        percentage: 10_000,
        value: None,
    }
}

pub(crate) fn flag(key: &str, rules: Vec<Rule>) -> Flag {
    Flag {
        id: uuid::Uuid::nil().into(),
        key: key.to_owned(),
        flag_type: FlagType::Boolean,
        default_value: "false".to_owned(),
        prerequisites: vec![],
        mutual_exclusion_group: String::new(),
        state: Some(FlagState {
            enabled: true,
            default_value: None,
            rules,
            percentage_rollout: None,
            variants: vec![],
        }),
    }
}

pub(crate) fn segment(key: String, rules: Vec<Condition>) -> Segment {
    Segment {
        id: uuid::Uuid::nil().into(),
        key,
        match_type: MatchType::Any,
        rules,
    }
}

pub(crate) fn snapshot(flags: Vec<Flag>, segments: Vec<Segment>) -> Snapshot {
    Snapshot {
        flags,
        segments,
        keys: vec![],
        ..sample::snapshot()
    }
}

pub(crate) fn with_text(text: &str) -> Context<'static> {
    with(Attribute::Text(Cow::Owned(text.to_owned())))
}

pub(crate) fn with(attribute: Attribute<'static>) -> Context<'static> {
    Context {
        key: Cow::Borrowed("user"),
        attributes: [(Cow::Borrowed("text"), attribute)].into_iter().collect(),
    }
}

pub(crate) fn answer(env: &Environment, key: &str, context: &Context<'_>) -> (String, Reason) {
    let flag = env.flag(key).unwrap();
    let evaluation = evaluate(env, flag, context, &mut Scratch::new());
    (evaluation.value_json.to_owned(), evaluation.reason)
}
