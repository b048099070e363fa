//! Segments as sent by clients, and the rules for them.

use protocol::{objects::Objects, rule::Condition};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    conditions::{Patterns, bound_patterns, check_conditions},
    document,
    model::{MatchType, Segment},
};
use crate::wish::Wish;
use crate::{
    ids::SegmentId,
    input::{Description, Invalid, Key, Name, Patch, all_given, has_text, repeats_path},
};

/// The body of a segment's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewSegment {
    /// Required.
    #[schema(value_type = String)]
    pub key: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    pub name: Option<String>,
    pub description: Option<String>,
    /// `all` when absent.
    #[schema(value_type = Option<MatchType>)]
    pub match_type: Option<String>,
    /// Required, possibly empty.
    #[schema(value_type = Vec<document::ConditionInput>)]
    pub rules: Option<Objects<Condition>>,
}

impl NewSegment {
    /// The body of a creation at a path with this key.
    pub fn at(mut self, key: &Key) -> Result<Self, Invalid> {
        let given = self.key.replace(key.to_string());
        repeats_path("key", given.as_deref(), key.as_str())?;
        Ok(self)
    }

    pub fn check(self, now: OffsetDateTime) -> Result<Segment, Invalid> {
        all_given([
            ("key", has_text(&self.key)),
            ("name", has_text(&self.name)),
            ("rules", self.rules.is_some()),
        ])?;
        let (key, name) = (Key::parse(self.key)?, Name::parse(self.name)?);
        let description = Description::parse(self.description)?;
        let match_type = MatchType::parse(self.match_type.as_deref())?;
        let (rules, pattern_bytes) = checked_rules(self.rules)?;
        let mut segment = Segment {
            id: SegmentId::new(now),
            key: key.into(),
            name: name.into(),
            description: description.into(),
            match_type,
            rules,
            created_at: now,
            updated_at: now,
            compiled_bytes: 0,
            pattern_bytes,
            version: 0,
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
    #[schema(value_type = Vec<document::ConditionInput>, required = false)]
    rules: Patch<Objects<Condition>>,
}

#[derive(Debug)]
pub struct SegmentWish {
    name: Option<Name>,
    description: Option<Description>,
    match_type: Option<MatchType>,
    /// The rules, and the compiled bytes of their patterns.
    rules: Option<(Vec<Condition>, i32)>,
}

impl SegmentPatch {
    /// Checks the fields. Compiles regular expressions to check them.
    pub fn check(self) -> Result<SegmentWish, Invalid> {
        let name = self.name.or_empty().map(|name| Name::parse(Some(name)));
        let description = self.description.or_empty();
        let description = description.map(|text| Description::parse(Some(text)));
        let match_type = self.match_type.or_empty();
        let match_type = match_type.map(|text| MatchType::parse(Some(&text)));
        let rules = self.rules.not_null("rules")?;
        Ok(SegmentWish {
            name: name.transpose()?,
            description: description.transpose()?,
            match_type: match_type.transpose()?,
            rules: rules.map(|rules| checked_rules(Some(rules))).transpose()?,
        })
    }
}

impl Wish for SegmentWish {
    type Of = Segment;
    type Made = Segment;

    fn apply(&self, before: &Segment) -> Segment {
        let mut segment = before.clone();
        if let Some(name) = &self.name {
            segment.name = name.clone().into();
        }
        if let Some(description) = &self.description {
            segment.description = description.clone().into();
        }
        if let Some(match_type) = self.match_type {
            segment.match_type = match_type;
        }
        if let Some((rules, pattern_bytes)) = &self.rules {
            segment.rules.clone_from(rules);
            segment.pattern_bytes = *pattern_bytes;
        }
        segment.compiled_bytes = segment.measure();
        segment
    }
}

fn checked_rules(rules: Option<Objects<Condition>>) -> Result<(Vec<Condition>, i32), Invalid> {
    let Objects(rules) = rules.ok_or_else(|| Invalid::new("rules is required"))?;
    bound_patterns(&rules)?;
    let mut patterns = Patterns::default();
    check_conditions(&rules, "rules", 1_000, &mut patterns)?;
    Ok((rules, patterns.bytes()))
}
