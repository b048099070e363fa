//! The fields that things may have in files. What is not among them is a mistake: nothing that is written is passed over.

use definition::flags::states::input::StatePatch;
use serde_json::Value;

use crate::{Document, Path, Problem, unknown_fields};

/// Of a flag.
pub const FLAG: [&str; 11] = [
    "key",
    "name",
    "description",
    "flag_type",
    "default_value",
    "tags",
    "prerequisites",
    "mutual_exclusion_group",
    "permanent",
    "archived",
    "environments",
];
/// Of a flag's state in an environment.
pub const STATE: [&str; 8] = StatePatch::FIELDS;
/// Of a rule of a state.
pub const RULE: [&str; 8] = [
    "id",
    "priority",
    "description",
    "conditions",
    "segment_keys",
    "percentage",
    "value",
    "match_type",
];
/// Of a condition of a rule or of a segment.
pub const CONDITION: [&str; 3] = ["attribute", "operator", "values"];
/// Of a variant.
pub const VARIANT: [&str; 3] = ["key", "value", "weight"];
/// Of what says how percentages and variants draw.
pub const BUCKETING: [&str; 4] = ["algorithm", "group_id", "salt", "seed"];
/// Of a segment.
pub const SEGMENT: [&str; 5] = ["key", "name", "description", "match_type", "rules"];
/// Of an environment.
pub const ENVIRONMENT: [&str; 5] = ["slug", "name", "color", "protected", "required_approvals"];
/// Of a file with everything.
pub const PROJECT: [&str; 4] = ["environments", "segments", "flags", "tests"];

/// Unknown fields of a state, and of all that stands in it.
pub(super) fn unknown_in_state(document: &Document, at: &Path, state: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    unknown(document, at, state, &STATE, &mut problems);
    let rules = at.clone().key("rules");
    for (index, rule) in items(state, "rules") {
        let at = rules.clone().index(index);
        unknown(document, &at, rule, &RULE, &mut problems);
        in_conditions(document, &at, rule, "conditions", &mut problems);
    }
    for (index, variant) in items(state, "variants") {
        let at = at.clone().key("variants").index(index);
        unknown(document, &at, variant, &VARIANT, &mut problems);
    }
    if let Some(bucketing) = state.get("bucketing") {
        let at = at.clone().key("bucketing");
        unknown(document, &at, bucketing, &BUCKETING, &mut problems);
    }
    problems
}

/// Unknown fields of a segment and of its conditions.
pub(super) fn unknown_in_segment(document: &Document, at: &Path, segment: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    unknown(document, at, segment, &SEGMENT, &mut problems);
    in_conditions(document, at, segment, "rules", &mut problems);
    problems
}

fn in_conditions(
    document: &Document,
    at: &Path,
    of: &Value,
    field: &str,
    problems: &mut Vec<Problem>,
) {
    for (index, condition) in items(of, field) {
        let is_known = |key: &String| CONDITION.contains(&key.as_str());
        if condition
            .as_object()
            .is_some_and(|fields| !fields.keys().all(is_known))
        {
            let at = at.clone().key(field).index(index);
            problems.extend(unknown_fields(document, &at, &CONDITION));
        }
    }
}

fn unknown(
    document: &Document,
    at: &Path,
    value: &Value,
    known: &[&str],
    problems: &mut Vec<Problem>,
) {
    let is_known = |key: &String| known.contains(&key.as_str());
    if value
        .as_object()
        .is_some_and(|fields| !fields.keys().all(is_known))
    {
        problems.extend(unknown_fields(document, at, known));
    }
}

fn items<'a>(of: &'a Value, field: &str) -> impl Iterator<Item = (usize, &'a Value)> {
    let list = of.get(field).and_then(Value::as_array);
    list.into_iter().flatten().enumerate()
}
