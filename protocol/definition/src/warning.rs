//! Warnings about what was accepted.

use serde::Serialize;
use utoipa::ToSchema;

/// Something that was accepted, and may not mean what its author thinks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Warning {
    /// Where, from the state or the body on.
    #[schema(example = "rules[0].segment_keys")]
    pub place: String,
    /// What, in words of visible ASCII.
    #[schema(example = "no segment has the key beta")]
    pub message: String,
}

impl Warning {
    /// Both in one line.
    pub fn text(&self) -> String {
        format!("{}: {}", self.place, self.message)
    }
}
