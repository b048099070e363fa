//! Values that a draft serves where its rules name none, computed by the engine.

use protocol::{
    eval::{self, Context, Environment, PrepareError, Scratch},
    snapshot::{Flag, FlagState, Head, JsonText, MatchType, Rule, Snapshot},
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{WHOLE, lint};

/// An enabled flag's values apart from those of rules and variants.
#[derive(Serialize)]
pub(super) struct DraftValues {
    fallthrough_value: Box<RawValue>,
    unset_value: Box<RawValue>,
    rule_value: Box<RawValue>,
    last_rule_id: Option<String>,
}

impl DraftValues {
    /// Slow: evaluates three flags, each in an environment of its own.
    pub(super) fn of(head: &Head, flag: &Flag, state: &FlagState) -> Result<Self, PrepareError> {
        let value = |default_value: Option<&JsonText>, percentage: Option<i64>| {
            let state = FlagState {
                enabled: true,
                default_value: default_value.cloned(),
                rules: percentage.map(rule).into_iter().collect(),
                percentage_rollout: state.percentage_rollout.map(|_| WHOLE),
                variants: Vec::new(),
                bucketing: None,
            };
            evaluate(head, flag, state)
        };
        let default_value = state.default_value.as_ref();
        let nobody = (!state.rules.is_empty()).then_some(0);
        Ok(Self {
            fallthrough_value: value(default_value, nobody)?,
            unset_value: value(None, nobody)?,
            rule_value: value(default_value, Some(WHOLE))?,
            last_rule_id: lint::last_rule(state).map(str::to_owned),
        })
    }
}

/// A rule for a percentage of everyone, without a value of its own.
fn rule(percentage: i64) -> Rule {
    Rule {
        id: String::new(),
        priority: 0,
        match_type: MatchType::All,
        conditions: Vec::new(),
        segment_keys: Vec::new(),
        percentage,
        value: None,
    }
}

/// The value of the flag with a state, alone in its environment.
fn evaluate(head: &Head, flag: &Flag, state: FlagState) -> Result<Box<RawValue>, PrepareError> {
    let flag = Flag {
        id: flag.id,
        key: flag.key.clone(),
        flag_type: flag.flag_type,
        default_value: flag.default_value.clone(),
        prerequisites: Vec::new(),
        mutual_exclusion_group: String::new(),
        state: Some(state),
    };
    let snapshot = Snapshot {
        head: head.clone(),
        flags: vec![flag],
        segments: Vec::new(),
        keys: Vec::new(),
    };
    let environment = Environment::prepare(&snapshot)?;
    let key = &snapshot.flags[0].key;
    let context = Context::new("anyone");
    let scratch = &mut Scratch::new();
    let explanation = eval::explain(&environment, &snapshot, key, &context, scratch);
    Ok(explanation.result.value)
}
