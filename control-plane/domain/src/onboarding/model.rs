//! An organization's progress with its first steps.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::{
    ids::OrgId,
    input::{Invalid, Patch},
};

/// The first steps of an organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Onboarding {
    /// The organization.
    pub org_id: OrgId,
    /// A plan was chosen: it is paid for, or somebody said so.
    pub plan_selected: bool,
    /// A flag was created.
    pub first_flag_created: bool,
    /// An SDK connected: an API key was used.
    pub first_sdk_connected: bool,
    /// A flag was evaluated.
    pub first_evaluation: bool,
    /// The tour was taken.
    pub tour_completed: bool,
    /// All five were true at one time. It stays when a step is taken back.
    pub completed: bool,
    /// When that was for the first time.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub completed_at: Option<OffsetDateTime>,
    /// The steps that a member unticked. They are not ticked automatically.
    #[serde(skip)]
    pub taken_back: Vec<String>,
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

/// A step that the service ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    FirstFlag,
    FirstSdk,
    FirstEvaluation,
}

impl Step {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstFlag => "first_flag_created",
            Self::FirstSdk => "first_sdk_connected",
            Self::FirstEvaluation => "first_evaluation",
        }
    }

    const fn done(self) -> Steps {
        let (mut flag, mut sdk, mut evaluation) = (None, None, None);
        match self {
            Self::FirstFlag => flag = Some(true),
            Self::FirstSdk => sdk = Some(true),
            Self::FirstEvaluation => evaluation = Some(true),
        }
        Steps {
            first_flag_created: flag,
            first_sdk_connected: sdk,
            first_evaluation: evaluation,
            ..Steps::NONE
        }
    }
}

impl Steps {
    const NONE: Self = Self {
        plan_selected: None,
        first_flag_created: None,
        first_sdk_connected: None,
        first_evaluation: None,
        tour_completed: None,
    };

    pub const PLAN_SELECTED: Self = Self {
        plan_selected: Some(true),
        ..Self::NONE
    };

    pub fn are_none(&self) -> bool {
        *self == Self::NONE
    }
}

impl Onboarding {
    pub fn apply(&mut self, steps: Steps, now: OffsetDateTime) {
        let taken_back = &mut self.taken_back;
        let mut write = |name: &str, step: &mut bool, written: Option<bool>| {
            let Some(is_done) = written else {
                return;
            };
            *step = is_done;
            taken_back.retain(|taken| taken != name);
            if !is_done {
                taken_back.push(name.to_owned());
            }
        };
        write(
            "plan_selected",
            &mut self.plan_selected,
            steps.plan_selected,
        );
        write(
            Step::FirstFlag.as_str(),
            &mut self.first_flag_created,
            steps.first_flag_created,
        );
        write(
            Step::FirstSdk.as_str(),
            &mut self.first_sdk_connected,
            steps.first_sdk_connected,
        );
        write(
            Step::FirstEvaluation.as_str(),
            &mut self.first_evaluation,
            steps.first_evaluation,
        );
        write(
            "tour_completed",
            &mut self.tour_completed,
            steps.tour_completed,
        );
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

    /// Marks completed steps, except for those done or unticked. Returns whether anything changed.
    pub fn tick(&mut self, steps: &[Step], now: OffsetDateTime) -> bool {
        let mut has_changed = false;
        for step in steps {
            let is_done = match step {
                Step::FirstFlag => self.first_flag_created,
                Step::FirstSdk => self.first_sdk_connected,
                Step::FirstEvaluation => self.first_evaluation,
            };
            if !is_done && !self.taken_back.iter().any(|name| name == step.as_str()) {
                self.apply(step.done(), now);
                has_changed = true;
            }
        }
        has_changed
    }
}
