//! An example of each body, which is as its schema says.

use harness::documented::{self, Operation};
use serde_json::Value;

use super::{assert_each, members};

/// Each body of an operation: where it is, and what the document says of it.
fn bodies(operation: &Operation) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (kind, content) in members(&operation.says["requestBody"]["content"]) {
        let at = operation.pointer(&["requestBody", "content", kind, "schema"]);
        found.push((at, content));
    }
    for (status, answer) in members(&operation.says["responses"]) {
        for (kind, content) in members(&answer["content"]) {
            let at = operation.pointer(&["responses", status, "content", kind, "schema"]);
            found.push((at, content));
        }
    }
    found
}

#[test]
fn every_body_has_an_example() {
    assert_each(|operation| {
        let mut without = bodies(operation).into_iter();
        let without = without.find(|(_, content)| content.get("example").is_none());
        without.map(|(at, _)| format!("no example: {at}"))
    });
}

#[test]
fn every_successful_body_has_a_schema() {
    assert_each(|operation| {
        let mut without = bodies(operation).into_iter();
        let without = without.find(|(_, content)| content.get("schema").is_none());
        without.map(|(at, _)| format!("no schema: {at}"))
    });
}

/// Fields for which nobody wrote an example.
fn unwritten(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => text.strip_prefix('?').into_iter().collect(),
        Value::Array(items) => items.iter().flat_map(unwritten).collect(),
        Value::Object(fields) => fields.values().flat_map(unwritten).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_field_of_an_example_has_a_value_that_somebody_wrote() {
    assert_each(|operation| {
        let bodies = bodies(operation);
        let missing: Vec<_> = bodies
            .iter()
            .flat_map(|(_, content)| unwritten(&content["example"]))
            .collect();
        (!missing.is_empty()).then(|| {
            format!(
                "write examples of {missing:?} in control-plane/api/src/http/openapi/examples.json"
            )
        })
    });
}

#[test]
fn every_example_is_as_its_schema_says() {
    assert_each(|operation| {
        let wrong = bodies(operation).into_iter().filter(|(at, _)| {
            // Only JSON has a schema that says more than that it is text.
            documented::document().pointer(at).is_some()
        });
        let wrong = wrong.flat_map(|(at, content)| {
            let wrong = documented::differences(&at, &content["example"]);
            wrong.into_iter().map(move |what| format!("{at}: {what}"))
        });
        let wrong: Vec<_> = wrong.collect();
        (!wrong.is_empty()).then(|| wrong.join("\n  "))
    });
}

#[test]
fn an_example_that_is_not_as_its_schema_says_is_found() {
    let create = documented::operations()
        .iter()
        .find(|one| one.says["operationId"] == "createFlag")
        .unwrap();
    let at = create.pointer(&["requestBody", "content", "application/json", "schema"]);
    let wrong = |example: Value| documented::differences(&at, &example).len();
    assert_eq!(wrong(serde_json::json!({"key": "a", "name": "A"})), 0);
    assert_eq!(wrong(serde_json::json!({"key": "a"})), 1);
    assert_eq!(wrong(serde_json::json!({"key": "a", "name": 5})), 1);
    assert_eq!(
        wrong(serde_json::json!({"key": "a", "name": "A", "nmae": "A"})),
        1
    );
}
