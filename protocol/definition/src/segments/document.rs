//! Conditions as the API document describes them. The types themselves are in `protocol::rule`, which does not depend on utoipa.
#![expect(dead_code, reason = "these types are described, never made")]

use utoipa::ToSchema;

/// One test of one attribute of the context, in rules and in segments.
#[derive(ToSchema)]
pub struct Condition {
    /// Flat name; `key` is the context key.
    attribute: String,
    /// `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `contains`, `notIn`, `in`, `regex`, `startsWith`, `endsWith` or `exists`.
    operator: String,
    /// What the attribute is compared with, always as texts.
    values: Vec<String>,
}

/// One test of one attribute of the context, as it is written.
#[derive(ToSchema)]
pub struct ConditionInput {
    /// Flat name; `key` is the context key.
    attribute: String,
    /// `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `contains`, `notIn`, `in`, `regex`, `startsWith`, `endsWith` or `exists`.
    operator: String,
    /// May be missing or empty for `exists` and `neq` only.
    values: Option<Vec<String>>,
}
