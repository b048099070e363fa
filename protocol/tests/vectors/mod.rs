//! The vectors of `conformance/`, as everything that evaluates reads them: the engine here, the Rust SDK from its own tests.

#![expect(unreachable_pub, reason = "a module of several tests")]

use std::collections::HashMap;

use protocol::{
    bucketing::Bucketing,
    rule::{Condition, TargetingRule, Variant, compile_rules},
    snapshot::{Flag, FlagState, FlagType, MatchType, Segment, Snapshot},
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

#[derive(Deserialize)]
pub struct Vectors {
    pub environments: HashMap<String, StoredEnvironment>,
    pub cases: Vec<Case>,
}

#[derive(Deserialize)]
pub struct StoredEnvironment {
    flags: Vec<StoredFlag>,
    states: HashMap<String, StoredState>,
    #[serde(default)]
    segments: Vec<StoredSegment>,
}

#[derive(Deserialize)]
pub struct StoredFlag {
    key: String,
    flag_type: String,
    default_value: Option<Value>,
    #[serde(default)]
    prerequisites: Vec<String>,
    #[serde(default)]
    mutual_exclusion_group: String,
}

#[derive(Deserialize)]
pub struct StoredState {
    enabled: bool,
    default_value: Option<Value>,
    #[serde(default)]
    rules: Vec<TargetingRule>,
    percentage_rollout: Option<i64>,
    #[serde(default)]
    variants: Vec<Variant>,
    bucketing: Option<Bucketing>,
}

#[derive(Deserialize)]
pub struct StoredSegment {
    key: String,
    #[serde(default)]
    match_type: String,
    #[serde(default)]
    rules: Vec<Condition>,
}

#[derive(Deserialize)]
pub struct Case {
    pub name: Option<String>,
    pub environment: String,
    pub flag_key: String,
    /// As it would be sent, so that numbers keep their spelling.
    pub context: Box<RawValue>,
    pub expected: Expected,
}

#[derive(Deserialize)]
pub struct Expected {
    pub value: Value,
    pub reason: String,
    pub variant_key: String,
}

/// Compares numbers by value, so that 1 and 1.0 are equal, and everything else exactly.
pub fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| same_json(a, b)))
        }
        (a, b) => a == b,
    }
}

pub fn compile(stored: &StoredEnvironment) -> Snapshot {
    let mut flags: Vec<Flag> = stored
        .flags
        .iter()
        .map(|flag| compile_flag(flag, &stored.states))
        .collect();
    flags.sort_by(|a, b| a.key.cmp(&b.key));
    let mut segments: Vec<Segment> = stored
        .segments
        .iter()
        .map(|segment| Segment {
            key: segment.key.clone(),
            match_type: MatchType::parse(&segment.match_type),
            rules: segment.rules.iter().map(Into::into).collect(),
            ..Segment::default()
        })
        .collect();
    segments.sort_by(|a, b| a.key.cmp(&b.key));
    Snapshot {
        flags,
        segments,
        ..Snapshot::default()
    }
}

fn compile_flag(flag: &StoredFlag, states: &HashMap<String, StoredState>) -> Flag {
    let flag_type = FlagType::parse(&flag.flag_type).unwrap();
    Flag {
        key: flag.key.clone(),
        flag_type,
        default_value: flag
            .default_value
            .clone()
            .unwrap_or_else(|| flag_type.default_value())
            .to_string(),
        prerequisites: flag.prerequisites.clone(),
        mutual_exclusion_group: flag.mutual_exclusion_group.clone(),
        state: states.get(&flag.key).map(|state| FlagState {
            enabled: state.enabled,
            default_value: state.default_value.as_ref().map(Value::to_string),
            rules: compile_rules(&state.rules),
            percentage_rollout: state.percentage_rollout,
            variants: state.variants.iter().map(Into::into).collect(),
            bucketing: state.bucketing.clone(),
        }),
        ..Flag::default()
    }
}
