//! The sign-up policy, and the plan of new organizations.

use std::{str::FromStr, time::Duration};

use serving::settings::Reader;

use super::trial_length;
use crate::orgs::model::Plan;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPlan {
    /// `DEFAULT_PLAN`: the plan of new organizations; only a trial expires; default `trial`.
    pub plan: Plan,
    /// `TRIAL_LENGTH`: how long a trial may use every feature; default `14d`.
    pub trial_length: Duration,
}

impl FirstPlan {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            plan: reader.parse("DEFAULT_PLAN", Plan::Trial),
            trial_length: trial_length(reader),
        }
    }
}
