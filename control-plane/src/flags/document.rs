//! Rules, conditions and variants as the API document describes them. The types themselves are in `protocol::rule`,
//! which does not depend on utoipa.
#![expect(dead_code, reason = "these types are described, never made")]

use serde_json::Value;
use utoipa::ToSchema;

use super::states::model::BasisPoints;

/// A targeting rule of a flag state.
#[derive(ToSchema)]
pub struct TargetingRule {
    /// Unique in its state; generated when missing.
    id: Option<String>,
    /// Lower is tried first; the place in the list when missing.
    priority: Option<i64>,
    description: Option<String>,
    /// Combined under `match_type`.
    conditions: Option<Vec<Condition>>,
    /// Any of these that exists must match, unless there are none.
    segment_keys: Option<Vec<String>>,
    /// 10000 when missing.
    percentage: Option<BasisPoints>,
    /// Served on a match; of the flag's type.
    value: Option<Value>,
    /// `all` or `any`; `all` when missing.
    match_type: Option<String>,
}

/// One test of one attribute of the context, in rules and in segments.
#[derive(ToSchema)]
pub struct Condition {
    /// Flat name; `key` is the context key.
    attribute: String,
    /// `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `contains`, `notIn`, `in`, `regex`, `startsWith`, `endsWith` or `exists`.
    operator: String,
    /// May be missing or empty for `exists` and `neq` only.
    values: Option<Vec<String>>,
}

/// A variant of a flag state, used by flags of type `ab`.
#[derive(ToSchema)]
pub struct Variant {
    /// Unique in its state.
    key: String,
    value: Option<Value>,
    /// All weights sum to 10000.
    weight: BasisPoints,
}
