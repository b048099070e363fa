//! Settings of new organizations.

use std::time::Duration;

use serving::settings::{
    Reader,
    spans::{DAY, DECADE, MINUTE},
};

use super::model::Plan;

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

/// `TRIAL_LENGTH`. Commands that need no other setting of organizations read only this.
pub fn trial_length(reader: &mut Reader<'_>) -> Duration {
    reader.duration("TRIAL_LENGTH", 14 * DAY, MINUTE..=DECADE)
}
