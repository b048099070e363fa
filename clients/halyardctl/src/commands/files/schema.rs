//! The JSON Schemas of the files, made of the types that check them.

use std::fs;

use definition::{
    environments::input::NewEnvironment,
    flags::{input::NewFlag, states::input::StatePatch},
    segments::input::NewSegment,
};
use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{RefOr, schema::Schema},
};

use super::cases;
use crate::{
    api::Error,
    arguments::{Kind, SchemaOf},
    exit::Exit,
    output::{message, write},
};

/// Prints a schema, or writes all of them to a folder.
///
/// # Errors
/// When they cannot be written.
pub(in crate::commands) fn schema(wanted: &SchemaOf) -> Result<Exit, Error> {
    if let Some(kind) = wanted.kind {
        write(&text(kind))?;
    } else if let Some(folder) = &wanted.out {
        let failed = |why| Error::while_doing(&folder.display().to_string(), why);
        fs::create_dir_all(folder).map_err(failed)?;
        for kind in Kind::ALL {
            fs::write(folder.join(format!("{}.json", kind.name())), text(kind)).map_err(failed)?;
        }
        message(&format!("the schemas are in {}", folder.display()));
    }
    Ok(Exit::Done)
}

/// A schema as it is published.
pub(super) fn text(kind: Kind) -> String {
    format!("{:#}\n", of(kind))
}

/// The schema of a kind of file.
pub(super) fn of(kind: Kind) -> Value {
    let mut parts = Parts::default();
    let (title, mut schema) = match kind {
        Kind::Flag => ("A flag with its states", parts.flag()),
        Kind::Segment => ("A segment", parts.segment()),
        Kind::Environments => {
            let list = parts.environments();
            let named = object(&json!({"environments": list}), &["environments"]);
            ("Environments", json!({"anyOf": [list, named]}))
        }
        Kind::Tests => ("Tests of flags", parts.tests()),
        Kind::Project => ("Environments, segments, flags and tests", parts.project()),
    };
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = title.into();
    if !parts.definitions.is_empty() {
        schema["$defs"] = Value::Object(parts.definitions);
    }
    schema
}

/// The definitions that a schema refers to, by name.
#[derive(Default)]
struct Parts {
    definitions: Map<String, Value>,
}

impl Parts {
    /// The schema of a type as an object, and those that it refers to among the definitions.
    fn of<T: ToSchema + PartialSchema>(&mut self) -> Value {
        let mut others: Vec<(String, RefOr<Schema>)> = Vec::new();
        T::schemas(&mut others);
        for (name, schema) in others {
            self.definitions.insert(name, closed(&json!(schema)));
        }
        closed(&json!(T::schema()))
    }

    fn refer(&mut self, name: &str, schema: Value) -> Value {
        self.definitions.insert(name.to_owned(), schema);
        json!({"$ref": format!("#/$defs/{name}")})
    }

    fn flag(&mut self) -> Value {
        let mut state = self.of::<StatePatch>();
        state["description"] = "What the flag does in an environment.".into();
        let state = self.refer("State", state);
        let mut flag = self.of::<NewFlag>();
        flag["required"] = json!([]);
        flag["description"] = "A flag with its states.".into();
        let fields = &mut flag["properties"];
        remove(fields, "owner_id");
        fields["key"]["description"] =
            "That of the file or of the map, which has it already.".into();
        fields["name"]["description"] = "The key when absent.".into();
        fields["archived"] = json!({
            "type": "boolean",
            "description": "Whether it is kept and not served; `false` when absent.",
        });
        fields["environments"] = json!({
            "type": ["object", "null"],
            "description": "The states, by the slug of the environment.",
            "additionalProperties": state,
        });
        flag
    }

    fn segment(&mut self) -> Value {
        let mut segment = self.of::<NewSegment>();
        segment["required"] = json!(["rules"]);
        segment["description"] = "Contexts that several flags refer to.".into();
        let fields = &mut segment["properties"];
        fields["key"]["description"] =
            "That of the file or of the map, which has it already.".into();
        fields["name"]["description"] = "The key when absent.".into();
        segment
    }

    fn environments(&mut self) -> Value {
        let mut environment = self.of::<NewEnvironment>();
        environment["required"] = json!(["slug"]);
        environment["description"] = "An environment.".into();
        let fields = &mut environment["properties"];
        fields["slug"] = json!({"type": "string", "description": "Required."});
        fields["name"]["description"] = "The slug when absent.".into();
        let environment = self.refer("Environment", environment);
        json!({"type": "array", "items": environment})
    }

    fn tests(&mut self) -> Value {
        self.definitions.extend(cases::schema::definitions());
        cases::schema::file()
    }

    fn project(&mut self) -> Value {
        let (flag, segment) = (self.flag(), self.segment());
        let flag = self.refer("Flag", flag);
        let segment = self.refer("Segment", segment);
        let by_key = |of: Value| json!({"type": ["object", "null"], "additionalProperties": of});
        let fields = json!({
            "environments": self.environments(),
            "segments": by_key(segment),
            "flags": by_key(flag),
            "tests": self.tests(),
        });
        object(&fields, &[])
    }
}

/// A map with these fields and no others.
pub(super) fn object(fields: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": fields,
        "required": required,
        "additionalProperties": false,
    })
}

fn remove(fields: &mut Value, name: &str) {
    if let Value::Object(fields) = fields {
        fields.remove(name);
    }
}

/// A schema of the API's document as one of files: unknown fields are refused, and references are to definitions.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut made: Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value)))
                .collect();
            if let Some(Value::String(to)) = made.get_mut("$ref") {
                *to = to.replace("#/components/schemas/", "#/$defs/");
            }
            // Words of the API's document, unless they are names of fields.
            if made.contains_key("type") {
                made.remove("format");
                made.remove("example");
            }
            if made.get("properties").is_some_and(Value::is_object) && made.contains_key("type") {
                made.insert("additionalProperties".to_owned(), false.into());
            }
            Value::Object(made)
        }
        Value::Array(list) => list.iter().map(closed).collect(),
        other => other.clone(),
    }
}
