//! Required means required, in bodies and in answers.

use std::collections::BTreeSet;

use harness::documented::{self, Operation};
use serde_json::Value;

use super::{items, members, referred_to, schemas};
use crate::assert_none;

/// Members of answers that are sometimes absent.
const ABSENT: [&str; 44] = [
    "AnalysisDetails.mapped_environments",
    "ConflictsErrorBody.conflicts",
    "ConflictsErrorBody.current_version",
    "ContentState.bucketing",
    "Explanation.draft",
    "Flag.archived_at",
    "FlagBulkResult.error",
    "FlagBulkResult.version",
    "FlagBulkResult.warnings",
    "FlagItem.archived_at",
    "FlagState.bucketing",
    "FlagVersionItem.comment",
    "FleetEdge.evaluations_per_minute",
    "FleetEdge.lag",
    "FleetEdge.via",
    "GuardedErrorBody.approval",
    "GuardedErrorBody.environments",
    "GuardedErrorBody.grants",
    "GuardedErrorBody.message",
    "LaterChange.env_slug",
    "Me.access_token",
    "Member.custom_role_id",
    "MigrationError.environment",
    "MigrationError.flag",
    "MigrationError.segment",
    "MovedErrorBody.conflicts",
    "MovedErrorBody.current_version",
    "OfrepEvaluation.metadata",
    "OfrepEvaluations.eventStreams",
    "OfrepFailure.key",
    "OutdatedErrorBody.changes",
    "OutdatedErrorBody.version",
    "PlanOffer.billing_period",
    "PlanOffer.limits",
    "ProblemsErrorBody.problems",
    "ScimEmail.type",
    "ScimErrorBody.scimType",
    "ScimName.familyName",
    "ScimName.formatted",
    "ScimName.givenName",
    "ScimUserState.externalId",
    "ScimUserState.name",
    "SuggestedApprovalBody.payload",
    "TargetingRule.value",
];

type Part = &'static Value;

/// The schemas that are reached from one part of all operations.
fn reached(from: impl Fn(&'static Operation) -> Vec<Part>) -> BTreeSet<&'static str> {
    fn note(value: Part, names: &mut BTreeSet<&'static str>) {
        match value {
            Value::Object(fields) => {
                if let Some(name) = referred_to(value)
                    && let Some((name, schema)) = schemas().get_key_value(name)
                    && names.insert(name)
                {
                    note(schema, names);
                }
                fields.values().for_each(|field| note(field, names));
            }
            Value::Array(all) => all.iter().for_each(|one| note(one, names)),
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    let parts = documented::operations().iter().flat_map(from);
    parts.for_each(|part| note(part, &mut names));
    names
}

/// Whether a member is `null` in some answers or may be sent as such.
fn may_be_null(schema: &Value) -> bool {
    let of_type = |kind: &Value| match kind {
        Value::String(one) => one == "null",
        Value::Array(all) => all.iter().any(|one| one == "null"),
        _ => false,
    };
    of_type(&schema["type"]) || items(&schema["oneOf"]).any(may_be_null)
}

#[test]
fn what_a_body_must_have_is_required_and_not_null() {
    let mut complaints = Vec::new();
    for (name, schema) in schemas() {
        for (field, says) in members(&schema["properties"]) {
            let words = says["description"].as_str().unwrap_or_default();
            let is_said = [
                "Required.",
                "Required;",
                "Required:",
                "Required,",
                "Required ",
            ]
            .iter()
            .any(|word| words.starts_with(word))
                && !words.starts_with("Required for");
            let is_required = items(&schema["required"]).any(|one| one == field.as_str());
            if is_said && (!is_required || may_be_null(says)) {
                complaints.push(format!(
                    "{name}.{field}: give it #[schema(value_type = …)] with a type that is no Option"
                ));
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn what_an_answer_always_has_is_required() {
    let answers = reached(|operation| {
        members(&operation.says["responses"])
            .map(|(_, one)| one)
            .collect()
    });
    let bodies = reached(|operation| vec![&operation.says["requestBody"]]);
    let mut absent = BTreeSet::new();
    for name in answers.difference(&bodies) {
        let schema = &schemas()[*name];
        for (field, _) in members(&schema["properties"]) {
            if !items(&schema["required"]).any(|one| one == field.as_str()) {
                absent.insert(format!("{name}.{field}"));
            }
        }
    }
    let complaints = absent
        .iter()
        .filter(|name| !ABSENT.contains(&name.as_str()))
        .map(|name| {
            format!("{name}: give it #[schema(required)], or a row in this test if it is sometimes absent")
        });
    assert_none(&complaints.collect::<Vec<_>>());
}

#[test]
fn no_row_of_absent_members_is_stale() {
    let complaints = ABSENT.iter().filter_map(|row| {
        let (name, field) = row.split_once('.').expect("a schema and a field");
        let schema = schemas().get(name).unwrap_or(&Value::Null);
        let is_there = schema["properties"].get(field).is_some();
        let is_required = items(&schema["required"]).any(|one| one == field);
        (!is_there || is_required).then(|| format!("{row} is always there, or never"))
    });
    assert_none(&complaints.collect::<Vec<_>>());
}

#[test]
fn bodies_are_required_where_one_is_read() {
    let complaints = documented::operations().iter().filter_map(|operation| {
        let body = operation.says.get("requestBody")?;
        // Those of payment gateways may be empty, and a rotation has nothing that it must be told.
        let may_be_empty = operation.is_tagged(&["billing"]) || body["required"] == false;
        (body["required"] != true && !may_be_empty).then(|| operation.name())
    });
    assert_none(&complaints.collect::<Vec<_>>());
}
