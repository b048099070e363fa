//! What becomes of each thing that a flag can be made of.

mod buckets;
mod constraints;
mod flags;
mod strategies;

use serde_json::{Value, json};

use super::{Source, translate};
use crate::plan::{
    Buckets, Choices, Flag, Plan, Segment,
    short::{on_for, rules},
};

/// A project with one environment, and whatever flags and segments are given.
fn plan(features: Value, segments: Value) -> Plan {
    plan_with(features, segments, Buckets::Own)
}

fn plan_with(features: Value, segments: Value, buckets: Buckets) -> Plan {
    translate(
        Source {
            environments: serde_json::from_value(json!([{"name": "production"}])).unwrap(),
            segments: serde_json::from_value(segments).unwrap(),
            features: serde_json::from_value(features).unwrap(),
        },
        &Choices {
            buckets,
            ..Choices::default()
        },
    )
}

/// A flag with these strategies that is on.
fn flag_of(strategies: Value) -> Flag {
    with_segments(strategies, json!([])).0
}

/// The same where buckets are kept.
fn kept(strategies: Value) -> Flag {
    let state = json!({"name": "production", "enabled": true, "strategies": strategies});
    let features = json!([{"name": "f", "environments": [state]}]);
    plan_with(features, json!([]), Buckets::Keep)
        .flags
        .remove(0)
}

fn with_segments(strategies: Value, segments: Value) -> (Flag, Vec<Segment>) {
    let state = json!({"name": "production", "enabled": true, "strategies": strategies});
    let plan = plan(json!([{"name": "f", "environments": [state]}]), segments);
    (plan.flags.into_iter().next().unwrap(), plan.segments)
}

/// A flag whose only strategy has these constraints.
fn constrained(constraints: Value) -> Flag {
    flag_of(json!([{"name": "default", "constraints": constraints}]))
}

fn said(flag: &Flag) -> Vec<&str> {
    flag.remarks
        .iter()
        .map(|remark| remark.text.as_str())
        .collect()
}
