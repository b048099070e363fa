//! Values of flags, which the source sends plain or with a field for each type.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use crate::plan::copies::{Weight, json};

/// A value as the source holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Held {
    /// None.
    #[default]
    Nothing,
    Text(String),
    Number(Number),
    Boolean(bool),
    Json(Value),
}

impl Held {
    /// Reads only the field that the type names: others may hold what is left of a value of another type.
    pub fn typed(kind: Option<&str>, fields: &Map<String, Value>) -> Self {
        let names: &[&str] = match kind {
            Some("int" | "integer") => &["integer_value"],
            Some("bool" | "boolean") => &["boolean_value"],
            Some("float") => &["float_value"],
            Some("json") => &["json_value", "string_value"],
            _ => &["string_value"],
        };
        let found = names.iter().find_map(|name| fields.get(*name)).cloned();
        match (kind, found) {
            (Some("json"), Some(Value::String(text))) => {
                json(&text).map_or(Self::Text(text), Self::from)
            }
            (_, found) => found.map_or(Self::Nothing, Self::from),
        }
    }

    /// Whether there is a value at all. A toggle's is empty or `null`.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => text.is_empty(),
            Self::Number(_) | Self::Boolean(_) | Self::Json(_) => false,
        }
    }

    pub const fn is_number(&self) -> bool {
        matches!(self, Self::Number(_))
    }

    /// Whether a flag of texts serves it as it is.
    pub const fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// As a text; an empty one for nothing.
    pub fn text(&self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::Json(value) => value.to_string(),
        }
    }

    /// As a number, if it is one, or a text that spells an integer: initial values are always sent as texts.
    pub fn number(&self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(number.clone()),
            Self::Text(text) => text.parse::<i64>().ok().map(Number::from),
            Self::Nothing | Self::Boolean(_) | Self::Json(_) => None,
        }
    }
}

impl From<Value> for Held {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Nothing,
            Value::Bool(value) => Self::Boolean(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Object(fields) if is_typed(&fields) => {
                Self::typed(fields.get("type").and_then(Value::as_str), &fields)
            }
            json @ (Value::Object(_) | Value::Array(_)) => Self::Json(json),
        }
    }
}

impl From<Held> for Value {
    fn from(held: Held) -> Self {
        match held {
            Held::Nothing => Self::Null,
            Held::Text(text) => Self::String(text),
            Held::Number(number) => Self::Number(number),
            Held::Boolean(value) => Self::Bool(value),
            Held::Json(value) => value,
        }
    }
}

impl Weight for Held {
    fn weight(&self) -> usize {
        let held = match self {
            Self::Nothing | Self::Number(_) | Self::Boolean(_) => 0,
            Self::Text(text) => text.weight(),
            Self::Json(value) => value.weight(),
        };
        size_of::<Self>() + held
    }
}

impl<'de> Deserialize<'de> for Held {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Value::deserialize(input).map(Self::from)
    }
}

fn is_typed(fields: &Map<String, Value>) -> bool {
    ["string_value", "integer_value", "boolean_value"]
        .iter()
        .any(|name| fields.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_field_that_the_type_names_is_read() {
        for (sent, expected) in [
            (
                json!({"type": "int", "string_value": "everyone", "integer_value": 5, "boolean_value": null}),
                Held::Number(5.into()),
            ),
            (
                json!({"type": "unicode", "string_value": "a", "integer_value": 5}),
                Held::Text("a".to_owned()),
            ),
            (
                json!({"type": "bool", "string_value": "a", "boolean_value": false}),
                Held::Boolean(false),
            ),
            (
                json!({"type": "int", "string_value": "a", "integer_value": null}),
                Held::Nothing,
            ),
            (
                json!({"type": null, "string_value": "a"}),
                Held::Text("a".to_owned()),
            ),
        ] {
            assert_eq!(Held::from(sent.clone()), expected, "{sent}");
        }
    }

    #[test]
    fn plain_values_are_what_they_are() {
        for (sent, expected) in [
            (json!(null), Held::Nothing),
            (json!("5"), Held::Text("5".to_owned())),
            (json!(5.5), Held::Number(Number::from_f64(5.5).unwrap())),
            (json!(true), Held::Boolean(true)),
            (json!({"type": "int"}), Held::Json(json!({"type": "int"}))),
            (json!([1]), Held::Json(json!([1]))),
        ] {
            assert_eq!(Held::from(sent.clone()), expected, "{sent}");
        }
    }
}
