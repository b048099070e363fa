//! An example of each body, derived from the examples of its fields (`examples.json`).
//!
//! A field has the same example wherever it is, unless its schema says otherwise; schemas and operations may have examples of
//! their own. So a new endpoint needs an example only for a field that no other has. A field without one is shown as
//! `?Schema.field`, which a test refuses.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};
use serving::document::{answers, operations};
use utoipa::openapi::{
    Content, KnownFormat, OpenApi, RefOr, Schema, SchemaFormat, Type,
    schema::{ArrayItems, Object, SchemaType},
};

use super::schemas::referred_to;

/// Upper bound on schema nesting.
const DEEPEST: usize = 16;
pub(super) const ID: &str = "0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70";
const TIME: &str = "2026-01-02T15:04:05Z";

/// The written examples; all others are derived.
#[derive(Deserialize)]
struct Written {
    /// By field: `name`, or `Schema.name` where that differs.
    fields: Map<String, Value>,
    /// By schema.
    schemas: Map<String, Value>,
    /// By operation: `request`, or the status of an answer.
    operations: BTreeMap<String, Map<String, Value>>,
    /// By status, for refusals in words.
    refusals: Map<String, Value>,
}

static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    serde_json::from_str(include_str!("examples.json")).expect("the examples are JSON of that form")
});

/// Gives each body an example.
pub(super) fn add(document: &mut OpenApi) {
    let schemas = document.components.as_ref();
    let schemas = schemas.map_or_else(BTreeMap::new, |parts| parts.schemas.clone());
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            let name = operation.operation_id.clone().unwrap_or_default();
            let own = WRITTEN.operations.get(&name);
            let own = |part: &str| own.and_then(|parts| parts.get(part)).cloned();
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                let contents = body.content.values_mut();
                contents.for_each(|content| show(content, own("request"), &schemas));
            }
            for (status, answer) in answers(operation) {
                let refusal = WRITTEN.refusals.get(status);
                for content in answer.content.values_mut() {
                    let in_words = is_in_words(content).then_some(refusal).flatten();
                    show(content, own(status).or(in_words.cloned()), &schemas);
                }
            }
        }
    }
}

fn is_in_words(content: &RefOr<Content>) -> bool {
    match content {
        RefOr::T(content) => content.schema.as_ref().and_then(referred_to) == Some("ErrorBody"),
        RefOr::Ref(_) => false,
    }
}

fn show(content: &mut RefOr<Content>, own: Option<Value>, schemas: &Schemas) {
    if let RefOr::T(content) = content
        && content.example.is_none()
    {
        let made = || {
            Some(made_of(
                content.schema.as_ref()?,
                &Position::default(),
                schemas,
                DEEPEST,
            ))
        };
        content.example = own.or_else(made);
    }
}

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// The position of an example.
#[derive(Clone, Default)]
struct Position {
    /// The nearest enclosing schema with a name.
    schema: String,
    field: String,
}

impl Position {
    /// The written example for the field.
    fn written(&self) -> Option<Value> {
        let fields = &WRITTEN.fields;
        let own = fields.get(&format!("{}.{}", self.schema, self.field));
        own.or_else(|| fields.get(&self.field)).cloned()
    }
}

/// Derives an example of a schema.
fn made_of(schema: &RefOr<Schema>, position: &Position, schemas: &Schemas, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    let of =
        |part: &RefOr<Schema>, position: &Position| made_of(part, position, schemas, depth - 1);
    if let Some(name) = referred_to(schema) {
        if let Some(written) = WRITTEN.schemas.get(name) {
            return written.clone();
        }
        let inside = Position {
            schema: name.to_owned(),
            field: position.field.clone(),
        };
        return schemas
            .get(name)
            .map_or(Value::Null, |schema| match schema {
                // A named value: fields of that type may have an example.
                RefOr::T(Schema::Object(object)) if object.properties.is_empty() => {
                    scalar(object, position)
                }
                schema => of(schema, &inside),
            });
    }
    let RefOr::T(schema) = schema else {
        return Value::Null;
    };
    match schema {
        Schema::Object(object) if object.properties.is_empty() => scalar(object, position),
        Schema::Object(object) => {
            let fields = object.properties.iter().map(|(name, field)| {
                let inside = Position {
                    schema: position.schema.clone(),
                    field: name.clone(),
                };
                let written = WRITTEN
                    .fields
                    .get(&format!("{}.{name}", position.schema))
                    .cloned();
                (name.clone(), written.unwrap_or_else(|| of(field, &inside)))
            });
            Value::Object(fields.collect())
        }
        Schema::Array(list) => match &list.items {
            // Lists of plain values have a written example; lists of things derive theirs.
            ArrayItems::RefOrSchema(items) => match position.written() {
                Some(written @ Value::Array(_)) if referred_to(items).is_none() => written,
                _ => Value::Array(vec![of(items, position)]),
            },
            ArrayItems::False => Value::Array(Vec::new()),
        },
        Schema::OneOf(parts) => first(&parts.items).map_or(Value::Null, |part| of(part, position)),
        Schema::AnyOf(parts) => first(&parts.items).map_or(Value::Null, |part| of(part, position)),
        Schema::AllOf(parts) => {
            let parts = parts.items.iter().map(|part| of(part, position));
            let fields = parts.filter_map(|part| match part {
                Value::Object(fields) => Some(fields),
                _ => None,
            });
            Value::Object(fields.flatten().collect())
        }
        _ => Value::Null,
    }
}

/// The first alternative that is not `null`.
fn first(parts: &[RefOr<Schema>]) -> Option<&RefOr<Schema>> {
    let is_null = |part: &&RefOr<Schema>| match part {
        RefOr::T(Schema::Object(object)) => types(object) == [Type::Null],
        _ => false,
    };
    parts.iter().find(|part| !is_null(part))
}

fn types(object: &Object) -> Vec<Type> {
    match &object.schema_type {
        SchemaType::Type(one) => vec![one.clone()],
        SchemaType::Array(all) => all.clone(),
        SchemaType::AnyValue => Vec::new(),
    }
}

/// An example of a value without fields.
fn scalar(object: &Object, position: &Position) -> Value {
    if let Some(value) = object
        .enum_values
        .as_ref()
        .and_then(|values| values.first())
    {
        return value.clone();
    }
    match &object.format {
        Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)) => return ID.into(),
        Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)) => return TIME.into(),
        _ => {}
    }
    if let Some(written) = position.written() {
        return written;
    }
    let types = types(object);
    if types.contains(&Type::Boolean) {
        true.into()
    } else if types.contains(&Type::Integer) || types.contains(&Type::Number) {
        1.into()
    } else {
        format!("?{}.{}", position.schema, position.field).into()
    }
}
