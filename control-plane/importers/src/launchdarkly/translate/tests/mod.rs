//! What becomes of each thing that a project can be made of.

mod buckets;
mod clauses;
mod flags;
mod segments;
mod states;
mod subjects;

use serde_json::{Value, json};

use super::{super::wire::Project, translate};
use crate::plan::{
    Buckets, Choices, Fidelity, Flag, Plan, Remarks,
    short::{conditions, on_for, rules},
};

/// A project in the shapes of the API; segments by environment.
fn plan(environments: &[&str], flags: Value, segments: Value) -> Plan {
    plan_with(environments, flags, segments, Buckets::Own)
}

fn plan_with(environments: &[&str], flags: Value, segments: Value, buckets: Buckets) -> Plan {
    let environments = environments.iter().map(|key| json!({"key": key})).collect();
    translate(
        Project {
            environments: serde_json::from_value(environments).unwrap(),
            flags: serde_json::from_value(flags).unwrap(),
            archived: Vec::new(),
            segments: serde_json::from_value(segments).unwrap(),
        },
        &Choices {
            buckets,
            ..Choices::default()
        },
    )
}

/// A boolean flag: variation 0 is `true`, variation 1 is `false`.
fn boolean(key: &str, environments: Value) -> Value {
    json!({
        "key": key,
        "kind": "boolean",
        "variations": [{"value": true}, {"value": false}],
        "environments": environments,
    })
}

/// A configuration that is on and serves `false`, while it is off too, except for what `differing` says.
fn on(differing: Value) -> Value {
    let mut config = json!({"on": true, "offVariation": 1, "fallthrough": {"variation": 1}});
    let fields = config.as_object_mut().unwrap();
    fields.extend(differing.as_object().unwrap().clone());
    config
}

/// A boolean flag in one environment.
fn flag_of(differing: Value) -> Flag {
    only(plan(
        &["production"],
        json!([boolean("f", json!({"production": on(differing)}))]),
        json!({}),
    ))
}

fn only(plan: Plan) -> Flag {
    let [flag] = <[Flag; 1]>::try_from(plan.flags).unwrap();
    flag
}

/// The remarks: `about` is approximated, `lost` is dropped.
fn said(remarks: &Remarks) -> Vec<String> {
    let said = remarks.iter().map(|remark| {
        let fidelity = match remark.fidelity {
            Fidelity::Approximated => "about",
            Fidelity::Dropped => "lost",
        };
        format!("{fidelity}: {}", remark.text)
    });
    said.collect()
}

/// What is left out as a whole: source and reason.
fn left_out(plan: &Plan) -> Vec<(&str, &str)> {
    let said = plan.left_out.iter();
    said.map(|item| (item.source.as_str(), item.reason.as_str()))
        .collect()
}
