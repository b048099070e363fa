//! Why an evaluation gave its answer: the reasons of `docs/evaluation.md`.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::wire::codec::{Decode, Encode};

/// The reason for an evaluation's answer. The API reserves `DEFAULT` and never answers it, so it has no variant here.
/// The order is that of the encoding: new reasons are appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Encode, Decode)]
pub enum Reason {
    /// The flag key is unknown in the environment's project.
    NotFound,
    /// No stored state, or the state is off.
    Disabled,
    /// Another flag of the mutual exclusion group won.
    MutuallyExcluded,
    /// Some prerequisite is not met.
    PrerequisiteFailed,
    /// A rule at 100 % served.
    Targeted,
    /// A rule below 100 %, or the environment's rollout, admitted the context.
    Rollout,
    /// A variant of an `ab` flag served.
    Variant,
    /// Enabled, and nothing more specific decided.
    Fallthrough,
    /// The stored value about to be served does not have the flag's type.
    Error,
}

impl Reason {
    /// All, in their order.
    pub const ALL: [Self; 9] = [
        Self::NotFound,
        Self::Disabled,
        Self::MutuallyExcluded,
        Self::PrerequisiteFailed,
        Self::Targeted,
        Self::Rollout,
        Self::Variant,
        Self::Fallthrough,
        Self::Error,
    ];

    /// The spelling in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFound => "NOT_FOUND",
            Self::Disabled => "DISABLED",
            Self::MutuallyExcluded => "MUTUALLY_EXCLUDED",
            Self::PrerequisiteFailed => "PREREQUISITE_FAILED",
            Self::Targeted => "TARGETED",
            Self::Rollout => "ROLLOUT",
            Self::Variant => "VARIANT",
            Self::Fallthrough => "FALLTHROUGH",
            Self::Error => "ERROR",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.serialize_str(self.as_str())
    }
}
