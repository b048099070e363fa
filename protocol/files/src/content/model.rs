//! The things of a project with the fields that the API gives them. Reading is lenient, since stored things may be older than
//! today's checks.

use std::collections::BTreeMap;

use definition::flags::model::FlagType;
use protocol::{
    bucketing::Bucketing,
    rule::{Condition, TargetingRule, Variant},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

/// An environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Unique in the project.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// `#` and six hex digits.
    pub color: String,
    /// Whether its states change by approved requests alone.
    pub protected: bool,
    /// How many people must approve.
    pub required_approvals: i64,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Unique in the project.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    #[serde(default)]
    pub description: String,
    /// `all` or `any`.
    pub match_type: String,
    /// The conditions.
    #[serde(default)]
    pub rules: Vec<Condition>,
}

/// A flag with its states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flag {
    /// Unique in the project.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    #[serde(default)]
    pub description: String,
    /// The type of its values.
    pub flag_type: FlagType,
    /// Served when the flag is off.
    pub default_value: Value,
    /// Without duplicates.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of flags that must be on.
    #[serde(default)]
    pub prerequisites: Vec<String>,
    /// Empty for none.
    #[serde(default)]
    pub mutual_exclusion_group: String,
    /// Whether it is to stay for ever.
    #[serde(default)]
    pub permanent: bool,
    /// Whether it is archived.
    #[serde(default)]
    pub archived: bool,
    /// Those that are stored, or written, by the slugs of environments.
    #[serde(default)]
    pub states: BTreeMap<String, State>,
}

/// A state of a flag in an environment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Master toggle.
    #[serde(default)]
    pub enabled: bool,
    /// Environment default, if there is one.
    #[serde(default)]
    pub default_value: Option<Value>,
    /// Targeting rules. The id of one is empty if it has none yet.
    #[serde(default)]
    pub rules: Vec<TargetingRule>,
    /// Basis points, if they are set.
    #[serde(default)]
    pub percentage_rollout: Option<i64>,
    /// Variants.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// How percentages and variants draw; `None` for Halyard's own way.
    #[serde(default)]
    pub bucketing: Option<Bucketing>,
    /// When the flag is to be enabled.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub scheduled_enable_at: Option<OffsetDateTime>,
    /// When the flag is to be disabled.
    #[serde(default, with = "time::serde::rfc3339::option")]
    pub scheduled_disable_at: Option<OffsetDateTime>,
}

impl State {
    /// Gives rules that have no id those of equal rules at their places among others, as the API does it when it stores them.
    pub fn adopt_ids(&mut self, stored: &[TargetingRule]) {
        for (place, kept) in stored.iter().enumerate().take(self.rules.len()) {
            let is_taken = self.rules.iter().any(|rule| rule.id == kept.id);
            let rule = &mut self.rules[place];
            if !rule.id.is_empty() || is_taken {
                continue;
            }
            rule.id.clone_from(&kept.id);
            let of_rule = serde_json::to_value(&*rule).unwrap_or_default();
            let of_kept = serde_json::to_value(kept).unwrap_or_default();
            if !super::same(&of_rule, &of_kept) {
                rule.id.clear();
            }
        }
    }

    /// The state with all done that was scheduled up to a time. Of equal times enabling comes first.
    #[must_use]
    pub fn at(mut self, now: OffsetDateTime) -> Self {
        let come = |due: &mut Option<OffsetDateTime>| {
            let is_due = due.is_some_and(|due| due <= now);
            if is_due { due.take() } else { None }
        };
        let enabling = come(&mut self.scheduled_enable_at);
        let disabling = come(&mut self.scheduled_disable_at);
        if enabling.is_some() || disabling.is_some() {
            // `None` is less than any time.
            self.enabled = enabling > disabling;
        }
        self
    }

    /// Makes the meaning of what stored rules do not say explicit.
    pub fn complete(&mut self) {
        for (place, rule) in self.rules.iter_mut().enumerate() {
            rule.complete(place);
        }
    }
}
