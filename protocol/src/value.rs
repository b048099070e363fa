//! Flag types and what their values may be.

use serde_json::Value;

use crate::snapshot::FlagType;

impl FlagType {
    /// Parses the spelling of the API.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "boolean" => Self::Boolean,
            "string" => Self::String,
            "number" => Self::Number,
            "json" => Self::Json,
            "ab" => Self::Ab,
            _ => return None,
        })
    }

    /// The spelling in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Number => "number",
            Self::Json => "json",
            Self::Ab => "ab",
        }
    }

    /// What a flag of this type serves if no default was given.
    #[must_use]
    pub fn default_value(self) -> Value {
        match self {
            Self::Boolean => Value::Bool(false),
            Self::String => Value::String(String::new()),
            Self::Number => Value::from(0),
            Self::Json | Self::Ab => Value::Object(serde_json::Map::new()),
        }
    }

    /// Whether an evaluation may serve the value. The values that may be *written* as the default of a `json` flag are
    /// narrower.
    #[must_use]
    pub fn admits(self, value: &Value) -> bool {
        match self {
            Self::Boolean => value.is_boolean(),
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Json | Self::Ab => true,
        }
    }
}
