//! The API document and what it promises: each answer that a test sees is held against it, with its status and its whole body.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Registry, Validator};
use reqwest::Method;
use serde_json::{Value, json};

use control_plane::standalone;

/// An operation of the document.
#[derive(Clone, Debug)]
pub struct Operation {
    pub method: String,
    /// As the document writes it.
    pub path: String,
    /// What the document says of it.
    pub says: Value,
}

impl Operation {
    /// How complaints name it.
    #[must_use]
    pub fn name(&self) -> String {
        let id = self.says["operationId"].as_str().unwrap_or_default();
        format!("{id} ({} {})", self.method, self.path)
    }

    /// Whether it has one of these tags.
    #[must_use]
    pub fn is_tagged(&self, tags: &[&str]) -> bool {
        let own = self.says["tags"].as_array().into_iter().flatten();
        own.filter_map(Value::as_str).any(|tag| tags.contains(&tag))
    }

    /// Whether an API key, or nothing, is asked for: what edges answer, and what the service says of itself.
    #[must_use]
    pub fn is_outside_management(&self) -> bool {
        self.is_tagged(&["evaluation", "ofrep", "service"])
    }

    /// The place of a part of it in the document.
    #[must_use]
    pub fn pointer(&self, within: &[&str]) -> String {
        let method = self.method.to_lowercase();
        let mut pointer = String::from("/paths");
        for step in [self.path.as_str(), &method].iter().chain(within) {
            pointer.push('/');
            pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
        }
        pointer
    }

    /// The number of segments that are the same, none of them a parameter; `None` for another path.
    fn matches(&self, path: &[&str]) -> Option<usize> {
        let own: Vec<_> = self.path.split('/').collect();
        let is_parameter = |part: &str| part.starts_with('{');
        let mut pairs = own.iter().zip(path);
        let fits = own.len() == path.len()
            && pairs.all(|(part, given)| is_parameter(part) || part == given);
        fits.then(|| own.iter().filter(|part| !is_parameter(part)).count())
    }
}

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::to_value(standalone::document()).expect("the document has text keys")
});

static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(|| {
    let mut operations = Vec::new();
    for (path, methods) in DOCUMENT["paths"].as_object().expect("paths") {
        for (method, says) in methods.as_object().expect("methods") {
            operations.push(Operation {
                method: method.to_uppercase(),
                path: path.clone(),
                says: says.clone(),
            });
        }
    }
    operations
});

/// The same document, but objects have no members that it does not name.
static STRICT: LazyLock<Value> = LazyLock::new(|| {
    let mut strict = DOCUMENT.clone();
    let mut parts = BTreeSet::new();
    note_parts(&strict, &mut parts);
    let schemas = strict["components"]["schemas"].as_object_mut();
    for (name, schema) in schemas.expect("schemas") {
        if !parts.contains(name) {
            close(schema);
        }
    }
    strict
});

static SCHEMAS: LazyLock<Registry<'static>> = LazyLock::new(|| {
    let builder = Registry::new().add(ADDRESS, &*STRICT);
    builder.expect("an address").prepare().expect("schemas")
});

const ADDRESS: &str = "urn:halyard:api";

/// Notes which schemas are parts of others, so that they alone do not know all members.
fn note_parts(value: &Value, parts: &mut BTreeSet<String>) {
    if let Some(all) = value["allOf"].as_array() {
        for part in all {
            let name = part["$ref"].as_str().and_then(|at| at.rsplit('/').next());
            parts.extend(name.map(str::to_owned));
        }
    }
    match value {
        Value::Object(members) => members.values().for_each(|one| note_parts(one, parts)),
        Value::Array(items) => items.iter().for_each(|one| note_parts(one, parts)),
        _ => {}
    }
}

fn close(schema: &mut Value) {
    if schema.get("allOf").is_some() {
        return;
    }
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema["additionalProperties"] = json!(false);
    }
    for within in ["properties", "items", "oneOf", "anyOf"] {
        match schema.get_mut(within) {
            Some(Value::Object(parts)) if within == "properties" => {
                parts.values_mut().for_each(close);
            }
            Some(Value::Array(parts)) => parts.iter_mut().for_each(close),
            Some(part @ Value::Object(_)) => close(part),
            _ => {}
        }
    }
}

/// The API document of the whole service.
#[must_use]
pub fn document() -> &'static Value {
    &DOCUMENT
}

/// All its operations.
#[must_use]
pub fn operations() -> &'static [Operation] {
    &OPERATIONS
}

/// What is wrong with a value that should be as the schema at this place of the document says.
///
/// # Panics
/// When there is no schema that can be used.
#[must_use]
pub fn differences(pointer: &str, value: &Value) -> Vec<String> {
    let validator = validator(pointer);
    let wrong = validator.iter_errors(value);
    wrong
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Kept, since a test sees the same few kinds of answers again and again.
fn validator(pointer: &str) -> Arc<Validator> {
    static MADE: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let make = || {
        let schema = json!({"$ref": format!("{ADDRESS}#{}", escaped(pointer))});
        let validator = jsonschema::options()
            .with_registry(&SCHEMAS)
            .should_validate_formats(true)
            .build(&schema)
            .unwrap_or_else(|error| panic!("the schema at {pointer}: {error}"));
        Arc::new(validator)
    };
    Arc::clone(made.entry(pointer.to_owned()).or_insert_with(make))
}

/// A pointer as the fragment of an address.
fn escaped(pointer: &str) -> String {
    pointer
        .replace('%', "%25")
        .replace(' ', "%20")
        .replace('{', "%7B")
        .replace('}', "%7D")
}

/// The operation that answers a request.
fn operation(method: &Method, path: &str) -> Option<&'static Operation> {
    let method = match *method {
        Method::HEAD => &Method::GET,
        _ => method,
    };
    let parts: Vec<_> = path.split('/').collect();
    let of_method = OPERATIONS
        .iter()
        .filter(|operation| operation.method == method.as_str());
    let closest = of_method
        .filter_map(|operation| Some((operation.matches(&parts)?, operation)))
        .max_by_key(|(same, _)| *same);
    closest.map(|(_, operation)| operation)
}

/// What is asked for in ways that the document leaves to the protocol: SCIM searches by POST, and preflights.
fn is_no_operation(method: &Method, path: &str) -> bool {
    *method == Method::OPTIONS
        || path.ends_with("/.search")
        || !(path.starts_with("/v1/") || path.starts_with("/ofrep/") || path.starts_with("/docs"))
}

/// Checks an answer with its body, if that is JSON. Faults (5xx) are no part of an API.
///
/// # Panics
/// When the document does not name the operation or the status, or when the body is another than it says.
pub(crate) fn check(method: &Method, url: &reqwest::Url, status: u16, body: &Value) {
    let path = url.path();
    let Some(operation) = operation(method, path) else {
        assert!(
            status >= 500 || [404, 405].contains(&status) || is_no_operation(method, path),
            "{method} {path} answered {status}, and the API document does not name it"
        );
        return;
    };
    let answers = &operation.says["responses"];
    let Some(answer) = answers.get(status.to_string()) else {
        assert!(
            status >= 500,
            "{method} {path} answered {status}, which the API document does not name"
        );
        return;
    };
    // What the client asked to leave out is not there, whatever the schema says.
    let is_partial = url
        .query()
        .is_some_and(|query| query.contains("ttributes="));
    if body.is_null() || body.is_string() || is_partial {
        return;
    }
    let contents = answer["content"].as_object();
    let json = contents.and_then(|all| all.keys().find(|kind| kind.contains("json")));
    let Some(media_type) = json else {
        return;
    };
    let is_dry_run = status == 200 && body["dry_run"] == true;
    let status = status.to_string();
    let place = ["responses", &status, "content", media_type, "schema"];
    let pointer = if is_dry_run {
        "/components/schemas/DryRun".to_owned()
    } else {
        operation.pointer(&place)
    };
    if DOCUMENT.pointer(&pointer).is_none() {
        return;
    }
    let mut wrong = differences(&pointer, body);
    if !wrong.is_empty() && *method != Method::GET {
        wrong = differences(&pointer, &without_warnings(body));
    }
    assert!(
        wrong.is_empty(),
        "{method} {path} answered {status} otherwise than the API document says:\n{}\n{body:#}",
        wrong.join("\n")
    );
}

/// The body without the `warnings` that the body of every write may have, whatever its own schema.
fn without_warnings(body: &Value) -> Value {
    let mut rest = body.clone();
    let warnings = rest
        .as_object_mut()
        .and_then(|members| members.remove("warnings"));
    for warning in warnings
        .iter()
        .flat_map(|all| all.as_array().expect("a list"))
    {
        let wrong = differences("/components/schemas/Warning", warning);
        assert!(wrong.is_empty(), "{warning}:\n{}", wrong.join("\n"));
    }
    rest
}

/// The operations by method and path, as tables write them.
#[must_use]
pub fn by_endpoint() -> BTreeMap<String, &'static Operation> {
    let all = OPERATIONS.iter();
    all.map(|one| (format!("{} {}", one.method, one.path), one))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> reqwest::Url {
        format!("http://127.0.0.1{path}").parse().expect("a URL")
    }

    const FLAG: &str = "/v1/projects/some-id/flags/some-key";

    #[test]
    #[should_panic(expected = "answered 418")]
    fn a_status_that_is_not_named_is_found() {
        check(
            &Method::GET,
            &at(FLAG),
            404,
            &json!({"error": "flag not found"}),
        );
        check(&Method::GET, &at("/v1/no/such/path"), 404, &Value::Null);
        check(&Method::GET, &at(FLAG), 418, &Value::Null);
    }

    #[test]
    #[should_panic(expected = "does not name it")]
    fn an_operation_that_is_not_named_is_found() {
        check(&Method::GET, &at("/v1/no/such/path"), 200, &Value::Null);
    }

    #[test]
    #[should_panic(expected = "otherwise than the API document says")]
    fn a_body_that_is_not_as_documented_is_found() {
        check(&Method::GET, &at(FLAG), 404, &json!({"error": 5}));
    }

    #[test]
    #[should_panic(expected = "otherwise than the API document says")]
    fn a_member_that_is_not_documented_is_found() {
        let body = json!({"error": "flag not found", "more": true});
        check(&Method::GET, &at(FLAG), 404, &body);
    }
}
