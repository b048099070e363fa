//! The prepared form of an environment, and the engine that answers from it (`docs/evaluation.md` has the rules).

mod context;

pub use context::{Attribute, Attributes, Context, LimitError};

/// Structural damage: contents that no environment can have. Everything less is prepared into something that never matches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Two flags have one key.
    #[error("flag {0:?} is there twice")]
    DuplicateFlag(String),
    /// Two segments have one key.
    #[error("segment {0:?} is there twice")]
    DuplicateSegment(String),
    /// A value of the flag is not JSON.
    #[error("a value of flag {0:?} is not JSON")]
    Value(String),
}
