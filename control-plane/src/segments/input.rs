//! What a client may say about a segment, and the rules for it (decisions 2.1 and 2.6).

use protocol::{objects::Objects, rule::Condition};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{MatchType, Segment};
use crate::{
    flags::{
        conditions::{bound_patterns, check_conditions},
        document,
    },
    ids::SegmentId,
    input::{Description, Invalid, Key, Name, Patch},
};

const MAX_CONDITIONS: usize = 1_000;

/// The body of a segment's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewSegment {
    /// Required.
    key: Option<String>,
    /// Required.
    name: Option<String>,
    description: Option<String>,
    /// `all` when absent.
    #[schema(value_type = Option<MatchType>)]
    match_type: Option<String>,
    /// Required, possibly empty.
    #[schema(value_type = Option<Vec<document::Condition>>)]
    rules: Option<Objects<Condition>>,
}

impl NewSegment {
    /// The segment that is asked for.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn check(self, now: OffsetDateTime) -> Result<Segment, Invalid> {
        let mut segment = Segment {
            id: SegmentId::new(now),
            key: Key::parse(self.key)?.into(),
            name: Name::parse(self.name)?.into(),
            description: Description::parse(self.description)?.into(),
            match_type: MatchType::parse(self.match_type.as_deref())?,
            rules: checked_rules(self.rules)?,
            created_at: now,
            updated_at: now,
            compiled_bytes: 0,
        };
        segment.compiled_bytes = segment.measure();
        Ok(segment)
    }
}

/// The body of a segment's update. `key` is no field of it, so it is ignored.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SegmentPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `null` empties it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    #[serde(default)]
    #[schema(value_type = MatchType, required = false)]
    match_type: Patch<String>,
    #[serde(default)]
    #[schema(value_type = Vec<document::Condition>, required = false)]
    rules: Patch<Objects<Condition>>,
}

impl SegmentPatch {
    /// The segment as it is asked to be.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn apply(self, before: &Segment, now: OffsetDateTime) -> Result<Segment, Invalid> {
        let mut segment = Segment {
            updated_at: now,
            ..before.clone()
        };
        if let Some(name) = self.name.or_empty() {
            segment.name = Name::parse(Some(name))?.into();
        }
        if let Some(description) = self.description.or_empty() {
            segment.description = Description::parse(Some(description))?.into();
        }
        if let Some(match_type) = self.match_type.or_empty() {
            segment.match_type = MatchType::parse(Some(&match_type))?;
        }
        match self.rules {
            Patch::Keep => {}
            Patch::Clear => return Err(Invalid::new("rules must not be null")),
            Patch::Set(rules) => segment.rules = checked_rules(Some(rules))?,
        }
        segment.compiled_bytes = segment.measure();
        Ok(segment)
    }
}

fn checked_rules(rules: Option<Objects<Condition>>) -> Result<Vec<Condition>, Invalid> {
    let Objects(rules) = rules.ok_or_else(|| Invalid::new("rules is required"))?;
    bound_patterns(&rules)?;
    check_conditions(&rules, "rules", MAX_CONDITIONS)?;
    Ok(rules)
}
