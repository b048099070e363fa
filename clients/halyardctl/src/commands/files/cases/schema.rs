//! What a file with cases may hold, as JSON Schema.

use protocol::reason::Reason;
use serde_json::{Map, Value, json};

use super::super::schema::object;

/// The schema of a file, or of what is under `tests`. It refers to the definitions.
pub(in crate::commands::files) fn file() -> Value {
    let list = json!({"type": "array", "items": {"$ref": "#/$defs/Case"}});
    let mut fields = setting();
    fields["tests"] = list.clone();
    json!({"anyOf": [list, object(&fields, &["tests"]), {"type": "null"}]})
}

/// The parts of cases, by name.
pub(in crate::commands::files) fn definitions() -> Map<String, Value> {
    let parts = json!({
        "Case": case(),
        "Context": context(&json!({})),
        "ContextWithAnswer": context(&json!({"expect": {"$ref": "#/$defs/Expect"}})),
        "Expect": any_of_answer(object(&answer(), &[])),
        "Share": share(),
    });
    match parts {
        Value::Object(parts) => parts,
        _ => Map::new(),
    }
}

/// What cases are about.
fn setting() -> Value {
    json!({
        "flag": {"type": "string", "description": "The key of the flag."},
        "environment": {
            "type": "string",
            "description": "The slug of the environment; need not be given where there is one.",
        },
        "at": {
            "type": "string",
            "description": "The time of the question (RFC 3339), for schedules; now when absent.",
        },
    })
}

fn case() -> Value {
    let mut fields = setting();
    fields["name"] = json!({"type": "string", "description": "Shown when it fails."});
    fields["context"] = json!({"$ref": "#/$defs/Context", "description": "Who asks."});
    fields["contexts"] = json!({
        "type": "array",
        "minItems": 1,
        "items": {"$ref": "#/$defs/ContextWithAnswer"},
        "description": "Several who ask; each may expect another answer than the case.",
    });
    fields["expect"] = json!({"$ref": "#/$defs/Expect"});
    fields["share"] = json!({"$ref": "#/$defs/Share"});
    let mut case = object(&fields, &[]);
    case["oneOf"] = json!([
        {"required": ["context"]},
        {"required": ["contexts"]},
        {"required": ["share"], "properties": {"expect": false}},
    ]);
    case["dependentRequired"] = json!({"context": ["expect"]});
    case
}

fn context(more: &Value) -> Value {
    let mut fields = json!({
        "key": {"type": "string", "description": "Decides about percentages."},
        "attributes": {"type": ["object", "null"], "description": "What conditions test."},
    });
    if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
        fields.extend(more.clone());
    }
    json!({"anyOf": [{"type": "string", "description": "A key alone."}, object(&fields, &["key"])]})
}

fn answer() -> Value {
    json!({
        "value": {"description": "The value; of the flag's type."},
        "reason": {"enum": Reason::ALL.map(Reason::as_str), "description": "Why."},
        "variant": {"type": "string", "description": "The key of the variant; empty for none."},
    })
}

fn any_of_answer(mut schema: Value) -> Value {
    schema["anyOf"] = json!([
        {"required": ["value"]},
        {"required": ["reason"]},
        {"required": ["variant"]},
    ]);
    schema
}

fn share() -> Value {
    let percent =
        |words: &str| json!({"type": "number", "minimum": 0, "maximum": 100, "description": words});
    let mut fields = setting();
    if let (Value::Object(fields), Value::Object(answer)) = (&mut fields, answer()) {
        fields.extend(answer);
    }
    fields["contexts"] = json!({
        "type": "integer",
        "minimum": 1,
        "maximum": 1_000_000,
        "description": "How many ask; 10000 when absent.",
    });
    fields["keys"] = json!({
        "type": "string",
        "description": "What their keys begin with, before a number; `user-` when absent.",
    });
    fields["attributes"] = json!({
        "type": ["object", "null"],
        "description": "The attributes that all of them have.",
    });
    fields["percent"] = percent("How many of a hundred get the answer.");
    fields["within"] =
        percent("How far from it the share may be, in percentage points; 2 when absent.");
    any_of_answer(object(&fields, &["percent"]))
}
