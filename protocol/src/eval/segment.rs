//! A prepared segment.

use super::{
    condition::{Condition, combine},
    context::Context,
    observer::Silent,
    predicate::Patterns,
    weight,
};
use crate::{
    digest::ItemDigest,
    snapshot::{self, MatchType},
};

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) key: Box<str>,
    pub(super) digest: ItemDigest,
    /// Estimated memory that it takes.
    pub(super) bytes: u32,
    match_type: MatchType,
    conditions: Box<[Condition]>,
}

impl Segment {
    pub(super) fn prepare(segment: &snapshot::Segment, patterns: &mut Patterns) -> Self {
        Self {
            key: segment.key.as_str().into(),
            digest: ItemDigest::of_segment(segment),
            bytes: weight::of_segment(segment),
            match_type: segment.match_type,
            conditions: segment
                .rules
                .iter()
                .map(|condition| Condition::prepare(condition, patterns))
                .collect(),
        }
    }

    /// A segment without conditions matches nobody.
    pub(super) fn matches(&self, context: &Context<'_>) -> bool {
        let verdicts = self
            .conditions
            .iter()
            .map(|condition| condition.matches(context));
        !self.conditions.is_empty() && combine::<Silent>(self.match_type, verdicts)
    }
}
