//! How far an organization got with its first steps.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    ids::OrgId,
    input::{Invalid, Patch},
};

/// The first steps of an organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Onboarding {
    /// The organization.
    pub org_id: OrgId,
    /// A plan was chosen.
    pub plan_selected: bool,
    /// A flag was created.
    pub first_flag_created: bool,
    /// An SDK connected.
    pub first_sdk_connected: bool,
    /// A flag was evaluated.
    pub first_evaluation: bool,
    /// The tour was taken.
    pub tour_completed: bool,
    /// All five were true at one time. It stays when a step is taken back.
    pub completed: bool,
    /// When that was for the first time.
    #[serde(with = "time::serde::rfc3339::option")]
    pub completed_at: Option<OffsetDateTime>,
    /// When a step was last written; before that, when the organization was created.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// The body of an update: steps that are done, or taken back.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct OnboardingPatch {
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    plan_selected: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    first_flag_created: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    first_sdk_connected: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    first_evaluation: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    tour_completed: Patch<bool>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    plan_selected: Option<bool>,
    first_flag_created: Option<bool>,
    first_sdk_connected: Option<bool>,
    first_evaluation: Option<bool>,
    tour_completed: Option<bool>,
}

impl OnboardingPatch {
    /// Checks the fields: none may be `null`.
    pub fn check(self) -> Result<Steps, Invalid> {
        Ok(Steps {
            plan_selected: self.plan_selected.not_null("plan_selected")?,
            first_flag_created: self.first_flag_created.not_null("first_flag_created")?,
            first_sdk_connected: self.first_sdk_connected.not_null("first_sdk_connected")?,
            first_evaluation: self.first_evaluation.not_null("first_evaluation")?,
            tour_completed: self.tour_completed.not_null("tour_completed")?,
        })
    }
}

impl Steps {
    /// A plan was chosen.
    pub const PLAN_SELECTED: Self = Self {
        plan_selected: Some(true),
        first_flag_created: None,
        first_sdk_connected: None,
        first_evaluation: None,
        tour_completed: None,
    };

    /// Whether no step is named.
    pub fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Onboarding {
    /// Applies the steps.
    pub fn apply(&mut self, steps: Steps, now: OffsetDateTime) {
        let write = |step: &mut bool, written: Option<bool>| *step = written.unwrap_or(*step);
        write(&mut self.plan_selected, steps.plan_selected);
        write(&mut self.first_flag_created, steps.first_flag_created);
        write(&mut self.first_sdk_connected, steps.first_sdk_connected);
        write(&mut self.first_evaluation, steps.first_evaluation);
        write(&mut self.tour_completed, steps.tour_completed);
        self.updated_at = now;

        let is_complete = self.plan_selected
            && self.first_flag_created
            && self.first_sdk_connected
            && self.first_evaluation
            && self.tour_completed;
        if is_complete && !self.completed {
            self.completed = true;
            self.completed_at = Some(now);
        }
    }
}
