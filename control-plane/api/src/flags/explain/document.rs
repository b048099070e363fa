//! Contexts and explanations as the API document describes them. The types themselves are in `protocol::eval`, which
//! does not depend on utoipa.
#![expect(dead_code, reason = "these types are described, never made")]

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::ToSchema;

use base::warning::Warning;

/// The context of the evaluation.
#[derive(ToSchema)]
#[schema(as = ExplainContext)]
pub(crate) struct Context {
    /// Required; decides the buckets.
    key: String,
    /// The values that conditions compare.
    attributes: Option<BTreeMap<String, Value>>,
}

/// An evaluation with its reasons. Parts that were not reached are `null` or empty.
#[derive(ToSchema)]
pub(crate) struct Explanation {
    result: ExplainedResult,
    /// Name of the step that decided; the last of `steps`.
    decided_by: String,
    /// The rule that served.
    #[schema(required)]
    rule_id: Option<String>,
    /// The checks made, in their order.
    steps: Vec<ExplainedStep>,
    buckets: Buckets,
    /// Direct and indirect, in the order in which they were decided.
    prerequisites: Vec<ExplainedPrerequisite>,
    #[schema(required)]
    mutex: Option<Contest>,
    /// The rules tried, in their order.
    rules: Vec<ExplainedRule>,
    /// Probable mistakes in the context, the flag's state or the draft.
    warnings: Vec<Warning>,
    /// Only with `state`.
    draft: Option<DraftValues>,
}

/// Values that an enabled flag with the draft serves apart from those of rules and variants.
#[derive(ToSchema)]
#[schema(as = ExplainedDraft)]
struct DraftValues {
    /// Served within the rollout to contexts that no rule serves.
    fallthrough_value: Value,
    /// The same without a `default_value`.
    unset_value: Value,
    /// Served by rules without a value.
    rule_value: Value,
    /// The first rule that serves everyone: no rule behind it is tried, and nothing falls through.
    #[schema(required)]
    last_rule_id: Option<String>,
}

/// The answer of an edge.
#[derive(ToSchema)]
struct ExplainedResult {
    flag_key: String,
    value: Value,
    reason: String,
    /// Empty when no variant was assigned.
    variant_key: String,
}

/// One check.
#[derive(ToSchema)]
struct ExplainedStep {
    step: String,
    /// `passed`, or `decided` for the last one.
    outcome: String,
    /// A sentence for people.
    detail: String,
}

/// Buckets, 0 to 9999, that were used.
#[derive(ToSchema)]
#[schema(as = ExplainedBuckets)]
struct Buckets {
    #[schema(required)]
    rollout: Option<u16>,
    #[schema(required)]
    mutex: Option<u16>,
    #[schema(required)]
    variant: Option<u16>,
}

/// A prerequisite that was evaluated.
#[derive(ToSchema)]
struct ExplainedPrerequisite {
    flag_key: String,
    met: bool,
    reason: String,
    value: Value,
}

/// The contest of the flag's mutual exclusion group.
#[derive(ToSchema)]
#[schema(as = ExplainedMutex)]
struct Contest {
    group: String,
    /// Key of the flag that won.
    #[schema(required)]
    winner: Option<String>,
    /// Keys of the enabled flags of the group.
    members: Vec<String>,
}

/// A rule that was tried.
#[derive(ToSchema)]
struct ExplainedRule {
    id: String,
    /// Whether segments and conditions match.
    matched: bool,
    /// Whether its percentage admits the context; `null` when it did not match.
    #[schema(required)]
    admitted: Option<bool>,
    conditions: Vec<ExplainedCondition>,
    segments: Vec<ExplainedSegment>,
}

/// A condition of a rule.
#[derive(ToSchema)]
struct ExplainedCondition {
    attribute: String,
    operator: String,
    values: Vec<String>,
    /// The value in the context.
    #[schema(required)]
    attribute_value: Option<Value>,
    missing: bool,
    matched: bool,
}

/// A segment listed by a rule.
#[derive(ToSchema)]
struct ExplainedSegment {
    key: String,
    exists: bool,
    matched: bool,
}
