//! The names of an evaluation's steps, and their descriptions for readers.

use crate::eval::observer::{Outcome, Step};

pub(super) const WRONG_TYPE: &str =
    "the value about to be served has not the flag's type: the flag's default is served";
pub(super) const SPENT: &str =
    "testing the rules takes more work than an evaluation may: the flag's default is served";

/// What the rules say when one of their patterns never matches.
pub(super) fn lacking_patterns(outcome: &str) -> &'static str {
    if outcome == "passed" {
        "no rule both matches and admits the context, but a pattern among them is too large or beyond what an \
         environment may hold, and never matches"
    } else {
        "a rule matches and admits the context; a pattern among those tried is too large or beyond what an environment \
         may hold, and never matches"
    }
}

impl Step {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::MutualExclusion => "mutual_exclusion",
            Self::Prerequisites => "prerequisites",
            Self::Rules => "rules",
            Self::PercentageRollout => "percentage_rollout",
            Self::Variants => "variants",
            Self::ServedValue => "served_value",
        }
    }

    pub(super) const fn detail(self, outcome: Outcome) -> &'static str {
        match (self, outcome) {
            (Self::Enabled, Outcome::Passed) => "the flag is on in this environment",
            (Self::Enabled, Outcome::Decided) => {
                "the flag is off, or has no state, in this environment"
            }
            (Self::MutualExclusion, Outcome::Passed) => {
                "the flag has the lowest bucket of its group"
            }
            (Self::MutualExclusion, Outcome::Decided) => {
                "another flag of the group has a lower bucket"
            }
            (Self::Prerequisites, Outcome::Passed) => "every prerequisite is met",
            (Self::Prerequisites, Outcome::Decided) => {
                "a prerequisite is not met, or the chain of prerequisites is a cycle or too long"
            }
            (Self::Rules, Outcome::Passed) => "no rule both matches and admits the context",
            (Self::Rules, Outcome::Decided) => "a rule matches and admits the context",
            (Self::PercentageRollout, Outcome::Passed) => "the rollout admits the context",
            (Self::PercentageRollout, Outcome::Decided) => "the rollout does not admit the context",
            (Self::Variants, _) => "the variant was drawn by the weights",
            (Self::ServedValue, _) => "nothing more specific decided",
        }
    }
}
