//! The client's precondition for changing an object.

use base::refusal::Refusal;

/// The versions of an object in which it may be changed. Checked under the lock of the write, so that of two clients with the
/// same version only one succeeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// No precondition.
    Any,
    /// One of these. An object that is not stored has the version 0.
    OneOf(Vec<i64>),
}

impl Expected {
    /// Refuses another version. Call it after all checks but conflicts.
    pub fn check(&self, version: i64) -> Result<(), Refusal> {
        match self {
            Self::Any => Ok(()),
            Self::OneOf(versions) if versions.contains(&version) => Ok(()),
            Self::OneOf(_) => Err(Refusal::Changed { version }),
        }
    }
}
