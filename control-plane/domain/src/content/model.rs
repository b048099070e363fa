//! Definitions as the API shows them: as authored, without ids and times of the database.

use std::collections::BTreeMap;

use protocol::{
    bucketing::Bucketing,
    rule::{Condition, TargetingRule, Variant},
};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    flags::{document as flag_document, model::FlagType, states::model::BasisPoints},
    segments::{document, model::MatchType},
};
use base::{ids::ApprovalId, warning::Warning};

/// A page of a project's definitions. What the caller's role may not read is `null`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContentPage)]
pub struct ContentPage {
    /// The project's version, and the `ETag`. A client that pages begins again when it is another one.
    pub version: i64,
    /// In the order of their slugs; empty after the first page.
    #[schema(required)]
    pub environments: Option<Vec<ShownEnvironment>>,
    /// In the order of their keys.
    #[schema(required)]
    pub segments: Option<Vec<ShownSegment>>,
    /// In the order of their keys, archived ones too.
    #[schema(required)]
    pub flags: Option<Vec<ShownFlag>>,
    /// The `after` of the next page; `null` on the last one.
    #[schema(required)]
    pub next: Option<String>,
}

/// An environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ContentEnvironment)]
pub struct ShownEnvironment {
    /// Unique in the project.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// `#` and six hex digits.
    pub color: String,
    /// Whether its flag states change by approved requests alone, except for kills.
    pub protected: bool,
    /// How many people must approve a request.
    pub required_approvals: i32,
}

/// A segment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContentSegment)]
pub struct ShownSegment {
    /// Unique in the project.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    pub description: String,
    /// How the rules combine.
    pub match_type: MatchType,
    /// The conditions.
    #[schema(value_type = Vec<document::Condition>)]
    pub rules: Vec<Condition>,
}

/// A flag with its states.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContentFlag)]
pub struct ShownFlag {
    /// Unique in the project.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    pub description: String,
    /// The type of its values.
    pub flag_type: FlagType,
    /// Served when the flag is disabled.
    pub default_value: Value,
    /// Without duplicates.
    pub tags: Vec<String>,
    /// Keys of flags that must be on.
    pub prerequisites: Vec<String>,
    /// Empty for none.
    pub mutual_exclusion_group: String,
    /// Whether it is to stay for ever.
    pub permanent: bool,
    /// Whether it is archived.
    pub archived: bool,
    /// The stored states, by the slugs of environments.
    pub states: BTreeMap<String, ShownState>,
}

/// A stored state of a flag.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContentState)]
pub struct ShownState {
    /// Master toggle.
    pub enabled: bool,
    /// Environment default; `null` when not set.
    #[schema(required)]
    pub default_value: Option<Value>,
    /// Targeting rules.
    #[schema(value_type = Vec<flag_document::TargetingRule>)]
    pub rules: Vec<TargetingRule>,
    /// Basis points; `null` when not set.
    #[schema(required)]
    pub percentage_rollout: Option<BasisPoints>,
    /// Variants.
    #[schema(value_type = Vec<flag_document::Variant>)]
    pub variants: Vec<Variant>,
    /// How percentages and variants draw; left out for Halyard's own way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<flag_document::Bucketing>, required = false)]
    pub bucketing: Option<Bucketing>,
    /// When the flag is to be enabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub scheduled_enable_at: Option<OffsetDateTime>,
    /// When the flag is to be disabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub scheduled_disable_at: Option<OffsetDateTime>,
}

/// What became of a change of definitions, or what would become of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ContentResult)]
pub struct Applied {
    /// The project's version now, and the `ETag`; with `dry_run` the one that the change would be based on.
    pub version: i64,
    /// What was not there.
    pub created: Counts,
    /// What differed. Archiving and restoring count too.
    pub updated: Counts,
    /// What was there.
    pub removed: Counts,
    /// Listed things that had the given fields already.
    pub unchanged: usize,
    /// States of protected environments, which were not changed: requests for approval, new ones and those that ask for the same
    /// already.
    pub approvals: Vec<NeededApproval>,
    /// What may not mean what its author thinks; the first 100.
    pub warnings: Vec<Warning>,
}

/// Numbers of things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ContentCounts)]
pub struct Counts {
    /// Environments.
    pub environments: usize,
    /// Segments.
    pub segments: usize,
    /// Flags, by their own fields.
    pub flags: usize,
    /// States of flags; those of removed flags and environments are not counted.
    pub states: usize,
}

/// A request for approval of a state.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ContentApproval)]
pub struct NeededApproval {
    /// The request; `null` with `dry_run`, where it is not there yet.
    #[schema(required)]
    pub id: Option<ApprovalId>,
    /// The flag.
    pub flag_key: String,
    /// The environment.
    pub env_slug: String,
}
