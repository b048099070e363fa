//! The refusal of a change over what somebody else has changed since it was drafted.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The body of a refusal for conflicts. Refusals for other reasons have `error` alone.
#[derive(Clone, Debug, Serialize, thiserror::Error, ToSchema)]
#[schema(as = ConflictsErrorBody)]
#[error("{error}")]
pub struct Conflicts {
    /// Why, and what to do.
    pub error: &'static str,
    /// What has changed, the first 100.
    #[schema(required = false)]
    pub conflicts: Vec<Conflict>,
    /// The project's version now.
    #[schema(required = false)]
    pub current_version: i64,
}

/// A field, or a thing, that somebody else has changed since.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = ContentConflict)]
pub struct Conflict {
    /// `environment`, `segment`, `flag` or `state`.
    pub kind: &'static str,
    /// The key of a flag or a segment, the slug of an environment.
    pub key: String,
    /// The slug of a state's environment; `null` for other things.
    #[schema(required)]
    pub env_slug: Option<String>,
    /// The field; `null` for the thing as a whole, which is gone, or is there now.
    #[schema(required)]
    pub field: Option<String>,
    /// What it was when the change was drafted. `null` for those who may not read it, as the two after it.
    pub base: Value,
    /// What the change makes of it.
    pub proposed: Value,
    /// What it is now.
    pub current: Value,
}

/// Conflicts that are told.
const MOST: usize = 100;

impl Conflicts {
    /// The refusal at this version of the project, without values for those who may not read them.
    #[must_use]
    pub fn new(
        error: &'static str,
        mut conflicts: Vec<Conflict>,
        current_version: i64,
        shows_values: bool,
    ) -> Self {
        conflicts.truncate(MOST);
        if !shows_values {
            for one in &mut conflicts {
                for value in [&mut one.base, &mut one.proposed, &mut one.current] {
                    *value = Value::Null;
                }
            }
        }
        Self {
            error,
            conflicts,
            current_version,
        }
    }

    /// The members of the body beside `error`.
    pub(super) fn details(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut members)) => {
                members.remove("error");
                members
            }
            _ => Map::new(),
        }
    }
}
