//! Rules and variants as the API document describes them. The types themselves are in `protocol::rule`,
//! which does not depend on utoipa.
#![expect(dead_code, reason = "these types are described, never made")]

use serde_json::Value;
use utoipa::ToSchema;

use super::states::model::BasisPoints;
use crate::segments::{
    document::{Condition, ConditionInput},
    model::MatchType,
};

/// A targeting rule of a flag state.
#[derive(ToSchema)]
pub struct TargetingRule {
    /// Unique in its state.
    id: String,
    /// Lower is tried first.
    #[schema(required)]
    priority: Option<i64>,
    description: String,
    /// Combined under `match_type`.
    conditions: Vec<Condition>,
    /// Any of these that exists must match, unless there are none.
    segment_keys: Vec<String>,
    /// Whom of those that match the rule serves.
    percentage: BasisPoints,
    /// Served on a match; of the flag's type. Absent when it was never set.
    value: Option<Value>,
    /// How the conditions combine.
    match_type: MatchType,
}

/// A variant of a flag state, used by flags of type `ab`.
#[derive(ToSchema)]
pub struct Variant {
    /// Unique in its state.
    key: String,
    /// Served when the variant is drawn.
    #[schema(required)]
    value: Option<Value>,
    /// All weights sum to 10000.
    weight: BasisPoints,
}

/// How percentages and variants draw: as the platform that the flag was imported from does.
#[derive(ToSchema)]
#[serde(tag = "algorithm", rename_all = "lowercase")]
pub enum Bucketing {
    /// Unleash's.
    Unleash {
        /// The group of the strategy: the flag's name, unless another one was set.
        #[schema(max_length = 255)]
        group_id: String,
    },
    /// LaunchDarkly's.
    LaunchDarkly {
        /// The salt of the flag in its environment.
        #[schema(max_length = 255)]
        salt: String,
        /// The seed of the rollout, which then takes the place of key and salt.
        seed: Option<i64>,
    },
}

/// A targeting rule as it is written.
#[derive(ToSchema)]
pub struct TargetingRuleInput {
    /// Unique in its state; generated when missing.
    id: Option<String>,
    /// Lower is tried first; the place in the list when missing.
    priority: Option<i64>,
    description: Option<String>,
    /// Combined under `match_type`.
    conditions: Option<Vec<ConditionInput>>,
    /// Any of these that exists must match, unless there are none.
    segment_keys: Option<Vec<String>>,
    /// Basis points, 2500 for 25 %; 10000 when missing.
    percentage: Option<BasisPoints>,
    /// Served on a match; of the flag's type.
    value: Option<Value>,
    /// `all` when missing.
    match_type: Option<MatchType>,
}

/// A variant as it is written.
#[derive(ToSchema)]
pub struct VariantInput {
    /// Unique in its state.
    key: String,
    value: Option<Value>,
    /// All weights sum to 10000.
    weight: BasisPoints,
}
