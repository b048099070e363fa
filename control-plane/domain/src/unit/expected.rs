//! What somebody who changes a thing has seen of it.

use base::refusal::Refusal;

/// The versions of a thing in which it may be changed. Asked under the lock of the write, so that of two who have seen the same
/// only one changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any: nobody says what they have seen.
    Any,
    /// One of these. A thing of which nothing is stored has the version 0.
    OneOf(Vec<i64>),
}

impl Expected {
    /// Refuses a thing that has another version. After whatever else is refused but a conflict.
    pub fn check(&self, version: i64) -> Result<(), Refusal> {
        match self {
            Self::Any => Ok(()),
            Self::OneOf(versions) if versions.contains(&version) => Ok(()),
            Self::OneOf(_) => Err(Refusal::Changed { version }),
        }
    }
}
