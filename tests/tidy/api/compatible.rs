//! Clients of the previous release go on working: what its API document promises is promised still.
//!
//! Answers may have more members and values of enumerations, bodies and parameters more that may be sent. The rest breaks a client.

use std::collections::BTreeSet;

use harness::documented;
use serde_json::{Value, json};

use super::{items, members, referred_to};
use crate::{assert_none, previous};

const SERIES: &str =
    "only series of a `by` that does not name it, which earlier clients do not send";
const PERMISSIONS: &str = "those of permissions were lists before, too, against the document";

/// Differences that are agreed upon, each with its reason.
const AGREED: [(&str, &str); 6] = [
    (
        r#"get /v1/audit 200.data[].after_state has another type: {}, before {"null", "object"}"#,
        PERMISSIONS,
    ),
    (
        r#"get /v1/audit 200.data[].before_state has another type: {}, before {"null", "object"}"#,
        PERMISSIONS,
    ),
    (
        r#"get /v1/metrics/series 200.series[].env_id has another type: {"null", "string"}, before {"string"}"#,
        SERIES,
    ),
    (
        r#"get /v1/metrics/series 200.series[].flag_key has another type: {"null", "string"}, before {"string"}"#,
        SERIES,
    ),
    (
        r#"get /v1/metrics/series 200.series[].reason has another type: {"null", "string"}, before {"string"}"#,
        SERIES,
    ),
    (
        r#"get /v1/metrics/series 200.series[].variant_key has another type: {"null", "string"}, before {"string"}"#,
        SERIES,
    ),
];

/// Limits of what is sent, and whether a larger number permits more.
const LIMITS: [(&str, bool); 6] = [
    ("maxItems", true),
    ("maxLength", true),
    ("maximum", true),
    ("minItems", false),
    ("minLength", false),
    ("minimum", false),
];

/// Two documents.
struct Comparison<'a> {
    before: &'a Value,
    now: &'a Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Sent,
    Answered,
}

impl Comparison<'_> {
    fn complaints(&self) -> Vec<String> {
        let mut complaints = Vec::new();
        for (path, methods) in members(&self.before["paths"]) {
            for (method, before) in members(methods) {
                let name = format!("{method} {path}");
                let now = &self.now["paths"][path][method];
                if now.is_null() {
                    complaints.push(format!("{name} is gone"));
                } else {
                    self.parameters(&name, before, now, &mut complaints);
                    self.bodies(&name, before, now, &mut complaints);
                }
            }
        }
        complaints
    }

    fn parameters(&self, name: &str, before: &Value, now: &Value, complaints: &mut Vec<String>) {
        let same =
            |one: &Value, other: &Value| one["name"] == other["name"] && one["in"] == other["in"];
        for one in items(&before["parameters"]) {
            let place = format!("{name} {}", one["name"].as_str().unwrap_or_default());
            match items(&now["parameters"]).find(|other| same(one, other)) {
                None => complaints.push(format!("{place} is gone")),
                Some(other) => {
                    let (before, now) = (&one["schema"], &other["schema"]);
                    complaints.extend(self.schemas(
                        Way::Sent,
                        &place,
                        before,
                        now,
                        &mut Vec::new(),
                    ));
                }
            }
        }
        for other in items(&now["parameters"]).filter(|one| one["required"] == true) {
            let mut all = items(&before["parameters"]);
            if !all.any(|one| same(one, other) && one["required"] == true) {
                let parameter = other["name"].as_str().unwrap_or_default();
                complaints.push(format!("{name} {parameter} is required"));
            }
        }
    }

    fn bodies(&self, name: &str, before: &Value, now: &Value, complaints: &mut Vec<String>) {
        if now["requestBody"]["required"] == true && before["requestBody"]["required"] != true {
            complaints.push(format!("{name} needs a body"));
        }
        let sent = (
            Way::Sent,
            format!("{name} body"),
            &before["requestBody"],
            &now["requestBody"],
        );
        let answered = members(&before["responses"]).map(|(status, answer)| {
            let other = &now["responses"][status];
            (Way::Answered, format!("{name} {status}"), answer, other)
        });
        for (way, place, before, now) in answered.chain([sent]) {
            if !before.is_null() && now.is_null() {
                complaints.push(format!("{place} is gone"));
            }
            for (kind, content) in members(&before["content"]) {
                match now["content"].get(kind) {
                    None => complaints.push(format!("{place} is no {kind}")),
                    Some(other) => {
                        let (before, now) = (&content["schema"], &other["schema"]);
                        complaints.extend(self.schemas(way, &place, before, now, &mut Vec::new()));
                    }
                }
            }
        }
    }

    /// `within` has the pairs of named schemas that this one is part of.
    fn schemas(
        &self,
        way: Way,
        place: &str,
        before: &Value,
        now: &Value,
        within: &mut Vec<(String, String)>,
    ) -> Vec<String> {
        let pair = referred_to(before).zip(referred_to(now));
        let pair = pair.map(|(before, now)| (before.to_owned(), now.to_owned()));
        if pair.as_ref().is_some_and(|pair| within.contains(pair)) {
            return Vec::new();
        }
        let depth = within.len();
        within.extend(pair);
        let (before, now) = (resolve(self.before, before), resolve(self.now, now));

        let found = differences(way, &before, &now).into_iter();
        let mut complaints: Vec<_> = found.map(|one| format!("{place}{one}")).collect();
        for (name, field) in members(&before["properties"]) {
            let place = format!("{place}.{name}");
            match now["properties"].get(name) {
                None => complaints.push(format!("{place} is gone")),
                Some(other) => complaints.extend(self.schemas(way, &place, field, other, within)),
            }
        }
        for (part, end) in [("items", "[]"), ("additionalProperties", ".*")] {
            if before[part].is_object() && now[part].is_object() {
                let place = format!("{place}{end}");
                complaints.extend(self.schemas(way, &place, &before[part], &now[part], within));
            }
        }
        if [&before, &now]
            .iter()
            .any(|schema| schema["oneOf"].is_array())
        {
            for form in forms(&before) {
                let others = forms(&now).into_iter();
                let each = others.map(|other| self.schemas(way, place, form, other, within));
                // The one that it resembles most.
                complaints.extend(each.min_by_key(Vec::len).unwrap_or_default());
            }
        }
        within.truncate(depth);
        complaints
    }
}

/// The schema that is referred to, with all that it consists of. A form that may also be `null` is that form with one more type.
fn resolve(document: &Value, schema: &Value) -> Value {
    if let Some(name) = referred_to(schema) {
        return resolve(document, &document["components"]["schemas"][name]);
    }
    let mut whole = schema.clone();
    for part in items(&schema["allOf"]) {
        let part = resolve(document, part);
        for (name, value) in members(&part) {
            match &mut whole[name] {
                Value::Object(all) => {
                    all.extend(members(value).map(|(name, one)| (name.clone(), one.clone())));
                }
                Value::Array(all) => all.extend(items(value).cloned()),
                absent if absent.is_null() => *absent = value.clone(),
                _ => {}
            }
        }
    }
    let is_null = |form: &&Value| form["type"] == "null";
    let (nulls, others): (Vec<_>, Vec<_>) = items(&schema["oneOf"]).partition(is_null);
    if let ([_], [form]) = (&nulls[..], &others[..]) {
        whole = resolve(document, form);
        let mut types = types(&whole);
        types.insert("null");
        whole["type"] = json!(types);
    }
    whole
}

fn forms(schema: &Value) -> Vec<&Value> {
    match &schema["oneOf"] {
        Value::Array(forms) => forms.iter().collect(),
        _ => vec![schema],
    }
}

/// None where there is any.
fn types(schema: &Value) -> BTreeSet<&str> {
    let one = schema["type"].as_str();
    let several = items(&schema["type"]).filter_map(Value::as_str);
    several.chain(one).collect()
}

fn required(schema: &Value) -> BTreeSet<&str> {
    items(&schema["required"])
        .filter_map(Value::as_str)
        .collect()
}

/// What differs of two schemas themselves, without their parts.
fn differences(way: Way, before: &Value, now: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let (given, taken) = match way {
        Way::Sent => (types(before), types(now)),
        Way::Answered => (types(now), types(before)),
    };
    let is_union = [before, now]
        .iter()
        .any(|schema| schema["oneOf"].is_array());
    if !taken.is_empty() && !is_union && (given.is_empty() || !given.is_subset(&taken)) {
        found.push(format!(
            " has another type: {:?}, before {:?}",
            types(now),
            types(before)
        ));
    }
    let (earlier, later) = (required(before), required(now));
    if way == Way::Answered {
        let absent = earlier.difference(&later);
        let absent = absent.filter(|name| now["properties"].get(**name).is_some());
        found.extend(absent.map(|name| format!(".{name} may be absent")));
        return found;
    }
    let more = later.difference(&earlier);
    found.extend(more.map(|name| format!(".{name} is required")));
    if now["enum"].is_array() {
        let mut values = items(&before["enum"]);
        let is_gone = |one: &Value| !items(&now["enum"]).any(|other| other == one);
        if before["enum"].is_null() || values.any(is_gone) {
            found.push(" takes fewer values".to_owned());
        }
    }
    for (limit, is_upper) in LIMITS {
        if let Some(now) = now[limit].as_f64() {
            let before = before[limit].as_f64();
            if before.is_none_or(|before| if is_upper { now < before } else { now > before }) {
                found.push(format!(" has a stricter {limit}"));
            }
        }
    }
    found
}

fn complaints(before: &Value, now: &Value) -> Vec<String> {
    let mut complaints = Comparison { before, now }.complaints();
    complaints.sort_unstable();
    complaints.dedup();
    complaints
}

#[test]
fn clients_of_the_previous_release_go_on_working() {
    let Some(before) = previous::file("docs/openapi.json") else {
        return;
    };
    let before = serde_json::from_str(&before).expect("a document");
    let found = complaints(&before, documented::document());
    previous::assert_agreed(&found, &AGREED);
}

#[test]
fn each_difference_that_breaks_a_client_is_found() {
    let document = |body: Value, answer: Value| {
        let content = |schema: &Value| json!({"content": {"application/json": {"schema": schema}}});
        let operation = json!({"parameters": [], "requestBody": content(&body), "responses": {"200": content(&answer)}});
        json!({"paths": {"/a": {"post": operation}}, "components": {"schemas": {"Id": {"type": "string"}}}})
    };
    let object = |properties: Value, required: Value| json!({"properties": properties, "required": required});
    let id = json!({"$ref": "#/components/schemas/Id"});
    let before = document(
        object(
            json!({"b": {"type": "string", "enum": ["x", "y"]}, "c": id, "d": {"type": "array", "items": {"maxLength": 9}}}),
            json!([]),
        ),
        object(
            json!({"e": id, "f": {"type": "string"}, "g": {"type": "integer"}}),
            json!(["e", "f", "g"]),
        ),
    );
    assert_none(&complaints(&before, &before));
    let same_and_more = document(
        object(
            json!({"b": {"type": "string", "enum": ["x", "y", "z"]}, "c": {"type": ["string", "null"]}, "d": {"type": "array", "items": {}}, "h": {}}),
            json!([]),
        ),
        object(
            json!({"e": {"type": "string"}, "f": {"type": "string"}, "g": {"type": "integer"}, "i": id}),
            json!(["e", "f", "g", "i"]),
        ),
    );
    assert_none(&complaints(&before, &same_and_more));

    let mut now = document(
        object(
            json!({"b": {"type": "string", "enum": ["x"]}, "d": {"type": "array", "items": {"maxLength": 8}}, "h": {}}),
            json!(["h"]),
        ),
        object(
            json!({"e": {"oneOf": [id, {"type": "null"}]}, "f": {"type": "string"}}),
            json!(["e"]),
        ),
    );
    now["paths"]["/a"]["post"]["parameters"] =
        json!([{"name": "j", "in": "query", "required": true}]);
    let expected = [
        "post /a 200.e has another type: {\"null\", \"string\"}, before {\"string\"}",
        "post /a 200.f may be absent",
        "post /a 200.g is gone",
        "post /a body.b takes fewer values",
        "post /a body.c is gone",
        "post /a body.d[] has a stricter maxLength",
        "post /a body.h is required",
        "post /a j is required",
    ];
    assert_eq!(complaints(&before, &now), expected);
    let gone = complaints(&before, &json!({"paths": {"/a": {"get": {}}}}));
    assert_eq!(gone, ["post /a is gone"]);
}
