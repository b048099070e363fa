//! The sign-up policy.

use std::str::FromStr;

/// `SIGNUP`: who may open an account themselves. `halyard account create` always works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignupPolicy {
    Open,
    /// Holders of an address that an organization has invited.
    Invited,
    Closed,
}

/// A text that names no policy.
#[derive(Debug, thiserror::Error)]
#[error("expected open, invited or closed")]
pub struct UnknownPolicy;

impl FromStr for SignupPolicy {
    type Err = UnknownPolicy;

    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            "open" => Ok(Self::Open),
            "invited" => Ok(Self::Invited),
            "closed" => Ok(Self::Closed),
            _ => Err(UnknownPolicy),
        }
    }
}
