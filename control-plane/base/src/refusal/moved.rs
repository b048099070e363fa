//! The refusal to apply a request for approval over changes that its reviewer has not seen.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The body of a refused review. Refusals for other reasons have `error` alone.
#[derive(Clone, Debug, Serialize, thiserror::Error, ToSchema)]
#[schema(as = MovedErrorBody)]
#[error("{error}")]
pub struct Moved {
    /// Why, and what to do.
    pub error: &'static str,
    /// The fields that the request changes and that have changed since it was made.
    #[schema(required = false)]
    pub conflicts: Vec<&'static str>,
    /// The version of the flag's state now, to be given with the review.
    #[schema(required = false)]
    pub current_version: i64,
}

impl Moved {
    /// The members of the body beside `error`.
    pub(super) fn details(&self) -> Map<String, Value> {
        let conflicts = self.conflicts.iter().map(|&field| field.into()).collect();
        Map::from_iter([
            ("conflicts".to_owned(), Value::Array(conflicts)),
            ("current_version".to_owned(), self.current_version.into()),
        ])
    }
}
