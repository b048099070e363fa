//! Which operations of the API this client uses, as data: a test compares each of them with the API document, so that the client
//! cannot ask for what there is not.

mod change_sets;
mod content;
mod flags;
mod organization;
mod projects;
mod references;
mod segments;
mod what_if;

pub use change_sets::*;
pub use content::*;
pub use flags::*;
pub use organization::*;
pub use projects::*;
pub use references::*;
pub use segments::*;
pub use what_if::*;

/// One operation of the API.
#[derive(Debug)]
pub struct Operation {
    /// The method, in capitals.
    pub method: &'static str,
    /// The path as the API document has it, with the names of its parts in braces.
    pub path: &'static str,
    /// The parameters of the query that can be sent.
    pub query: &'static [&'static str],
    /// The fields of the body that can be sent.
    pub body: &'static [&'static str],
    /// Whether it takes `If-Match`.
    pub if_match: bool,
    /// Whether its answer may take minutes.
    pub is_slow: bool,
}

impl Operation {
    /// An operation without query and body.
    #[must_use]
    pub const fn new(method: &'static str, path: &'static str) -> Self {
        Self {
            method,
            path,
            query: &[],
            body: &[],
            if_match: false,
            is_slow: false,
        }
    }

    /// The same with parameters of the query.
    #[must_use]
    pub const fn query(mut self, names: &'static [&'static str]) -> Self {
        self.query = names;
        self
    }

    /// The same with fields of the body.
    #[must_use]
    pub const fn body(mut self, names: &'static [&'static str]) -> Self {
        self.body = names;
        self
    }

    /// The same with `If-Match`.
    #[must_use]
    pub const fn if_match(mut self) -> Self {
        self.if_match = true;
        self
    }

    /// The same, whose answer may take minutes.
    #[must_use]
    pub const fn slow(mut self) -> Self {
        self.is_slow = true;
        self
    }
}

/// How a page of a list is chosen.
pub(crate) const PAGE: &[&str] = &["limit", "offset"];
/// What changes of what edges serve take.
const CHANGE: &[&str] = &["wait", "comment"];
/// The same where a change can be tried.
const TRIED_CHANGE: &[&str] = &["wait", "comment", "dry_run"];

/// All operations.
pub const ALL: &[&[&Operation]] = &[
    USED_OF_CHANGE_SETS,
    USED_OF_CONTENT,
    USED_OF_FLAGS,
    USED_OF_ORGANIZATION,
    USED_OF_PROJECTS,
    USED_OF_REFERENCES,
    USED_OF_SEGMENTS,
    USED_OF_WHAT_IF,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    fn document() -> Value {
        let text = include_str!("../../../../../docs/openapi.json");
        serde_json::from_str(text).unwrap()
    }

    /// What a reference stands for.
    fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => {
                let target = document.pointer(reference.trim_start_matches('#'));
                resolved(document, target.unwrap())
            }
            None => value,
        }
    }

    /// The names of the fields of a schema.
    fn fields(document: &Value, schema: &Value) -> BTreeSet<String> {
        let schema = resolved(document, schema);
        let own = schema["properties"].as_object().into_iter().flatten();
        let mut names: BTreeSet<_> = own.map(|(name, _)| name.clone()).collect();
        for part in ["allOf", "oneOf", "anyOf"] {
            for other in schema[part].as_array().into_iter().flatten() {
                names.extend(fields(document, other));
            }
        }
        names
    }

    /// What the document does not have of an operation.
    fn missing(document: &Value, operation: &Operation) -> Vec<String> {
        let Operation { method, path, .. } = operation;
        let found = &document["paths"][path][method.to_lowercase()];
        if found.is_null() {
            return vec![format!("{method} {path}")];
        }
        let given: Vec<_> = found["parameters"]
            .as_array()
            .into_iter()
            .flatten()
            .collect();
        let has = |place: &str, name: &str| {
            given.iter().any(|parameter| {
                let parameter = resolved(document, parameter);
                parameter["in"] == place && parameter["name"] == name
            })
        };
        let body = &found["requestBody"]["content"]["application/json"]["schema"];
        let body = fields(document, body);
        let mut missing = Vec::new();
        for name in operation.query.iter().filter(|name| !has("query", name)) {
            missing.push(format!("{method} {path}?{name}"));
        }
        for name in operation.body.iter().filter(|name| !body.contains(**name)) {
            missing.push(format!("{method} {path} {{{name}}}"));
        }
        if operation.if_match && !has("header", "If-Match") {
            missing.push(format!("{method} {path} If-Match"));
        }
        missing
    }

    #[test]
    fn the_api_has_every_operation_parameter_and_field_that_is_used() {
        let document = document();
        let used = ALL.iter().copied().flatten();
        let missing: Vec<_> = used.flat_map(|used| missing(&document, used)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
        assert!(ALL.iter().map(|used| used.len()).sum::<usize>() > 40);
    }

    #[test]
    fn what_the_api_does_not_have_is_found() {
        const WRONG: Operation = Operation::new("POST", "/v1/projects")
            .query(&["colour"])
            .body(&["name", "shape"])
            .if_match();
        let document = document();
        assert_eq!(
            missing(&document, &WRONG),
            [
                "POST /v1/projects?colour",
                "POST /v1/projects {shape}",
                "POST /v1/projects If-Match"
            ]
        );
        let none = Operation::new("GET", "/v1/nothing");
        assert_eq!(missing(&document, &none), ["GET /v1/nothing"]);
    }
}
