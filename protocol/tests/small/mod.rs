//! Parts of environments, with nothing in them but what a test is about.

use std::borrow::Cow;

use protocol::{
    eval::{Attribute, Context, Environment, Scratch, evaluate},
    reason::Reason,
    snapshot::{Condition, Flag, FlagState, MatchType, Rule, Segment, Snapshot},
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
        match_type: MatchType::Any,
        conditions,
        segment_keys,
        percentage: 10_000,
        ..Rule::default()
    }
}

pub(crate) fn flag(key: &str, rules: Vec<Rule>) -> Flag {
    Flag {
        key: key.to_owned(),
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled: true,
            rules,
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

pub(crate) fn segment(key: String, rules: Vec<Condition>) -> Segment {
    Segment {
        key,
        match_type: MatchType::Any,
        rules,
        ..Segment::default()
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
