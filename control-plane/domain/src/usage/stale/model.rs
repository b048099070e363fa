//! Stale flags as the API shows them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serving::page::Paged;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::flags::model::FlagType;
use base::ids::{EnvId, FlagId};

/// A page of flags that may go.
#[derive(Debug, Serialize, ToSchema)]
pub struct StaleFlags {
    #[serde(flatten)]
    pub(super) page: Paged<StaleFlag>,
    /// Environments with more series than are kept apart: nothing is known there about `one_value`.
    pub(super) undistinguished: Vec<EnvId>,
}

/// A flag, and why it may go. Permanent flags, and those that are no older than the days asked for, are not listed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StaleFlag {
    /// Its id.
    pub(super) id: FlagId,
    /// Unique in the project.
    pub(super) key: String,
    /// What people call it.
    pub(super) name: String,
    /// The type of its values.
    pub(super) flag_type: FlagType,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub(super) created_at: OffsetDateTime,
    /// When it was last evaluated in any environment, to the minute; `null` if never.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub(super) last_evaluated_at: Option<OffsetDateTime>,
    /// How many lines of the project's repositories name it; `null` if none of them was scanned.
    #[schema(required)]
    pub(super) reference_count: Option<i64>,
    /// At least one.
    pub(super) reasons: Vec<StaleReason>,
}

/// Why a flag may go.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StaleReason {
    /// The reason.
    pub(super) reason: Cause,
    /// Whether it holds wherever it could: in all environments, or for `one_value` in all where the flag was evaluated.
    pub(super) everywhere: bool,
    /// Where it holds.
    pub(super) env_ids: Vec<EnvId>,
    /// What `one_value` serves; `null` if it has more than 128 bytes.
    pub(super) value: Value,
    /// The first 16 digits of the SHA-256 of the JSON of a longer value.
    #[schema(required)]
    pub(super) value_digest: Option<String>,
    /// Since when, if that is known; `null` for a flag that was never evaluated.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub(super) since: Option<OffsetDateTime>,
}

/// A reason why a flag may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = StaleCause)]
pub enum Cause {
    /// Nothing asked for it for as many days as are asked for, nor was it changed, in any environment.
    NotEvaluated,
    /// It served one value for that long, while its state did not change.
    OneValue,
    /// It has been on for everyone for that long: no rules, no schedule, no prerequisites, at most one variant.
    FullyOn,
    /// It has been off for that long in all environments, and is not about to be switched on in any.
    FullyOff,
}

impl Cause {
    pub(super) const ALL: [Self; 4] = [
        Self::NotEvaluated,
        Self::OneValue,
        Self::FullyOn,
        Self::FullyOff,
    ];

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.as_str() == name)
    }

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::NotEvaluated => "not_evaluated",
            Self::OneValue => "one_value",
            Self::FullyOn => "fully_on",
            Self::FullyOff => "fully_off",
        }
    }
}
