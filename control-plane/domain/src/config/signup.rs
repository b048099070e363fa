//! Who may open an account, and what their organization begins with.

use std::{str::FromStr, time::Duration};

use serving::settings::Reader;

use super::trial_length;
use crate::orgs::model::Plan;

/// `SIGNUP`: who may open an account of their own accord. `halyard account create` opens one in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignupPolicy {
    /// Everybody.
    Open,
    /// Who holds an address that an organization has made a member.
    Invited,
    /// Nobody.
    Closed,
}

/// A text that says for nobody whether they may sign up.
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

/// What a new organization may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPlan {
    /// `DEFAULT_PLAN`: the plan that it is on, which only a trial loses with time; default `trial`.
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
