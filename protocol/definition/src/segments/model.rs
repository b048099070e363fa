//! A segment as the API shows it, and its size in a compiled environment.

use protocol::{rule::Condition, snapshot};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::document;
use crate::size::compiled_size;
use crate::{ids::SegmentId, input::Invalid};

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Segment {
    /// Its id.
    pub id: SegmentId,
    /// Unique in the project, never changed.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    pub description: String,
    /// How the rules combine.
    pub match_type: MatchType,
    /// The conditions; a segment without any matches nobody.
    #[schema(value_type = Vec<document::Condition>)]
    pub rules: Vec<Condition>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// The stored share in the project's compiled size.
    #[serde(skip)]
    pub compiled_bytes: i32,
    /// Compiled bytes of its rules' patterns.
    #[serde(skip)]
    pub pattern_bytes: i32,
    /// Value of the `ETag`: the project's version in which it was stored; 0 before.
    #[serde(skip)]
    pub version: i64,
}

impl Segment {
    /// Whether both contain the same users, by the same conditions.
    pub fn selects_as(&self, other: &Self) -> bool {
        (&self.rules, self.match_type) == (&other.rules, other.match_type)
    }

    /// As edges are sent it.
    pub fn compile(&self) -> snapshot::Segment {
        snapshot::Segment {
            id: self.id.into(),
            key: self.key.clone(),
            match_type: self.match_type.into(),
            rules: self.rules.iter().map(Into::into).collect(),
        }
    }

    /// Its size in every compiled environment of the project.
    pub fn measure(&self) -> i32 {
        compiled_size(&self.compile())
    }
}

/// How conditions combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(
    feature = "server",
    derive(sqlx::Type),
    sqlx(type_name = "text", rename_all = "lowercase")
)]
pub enum MatchType {
    #[default]
    All,
    Any,
}

impl MatchType {
    /// Checks the field `match_type` of a body; `all` if missing.
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            None | Some("all") => Ok(Self::All),
            Some("any") => Ok(Self::Any),
            Some(_) => Err(Invalid::new("match_type must be all or any")),
        }
    }
}

impl From<MatchType> for snapshot::MatchType {
    fn from(match_type: MatchType) -> Self {
        match match_type {
            MatchType::All => Self::All,
            MatchType::Any => Self::Any,
        }
    }
}
