//! A prepared segment.

use super::{
    Environment,
    condition::{Condition, combine},
    context::Context,
    observer::Silent,
    predicate::Patterns,
    scratch::Scratch,
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
    fn matches(&self, context: &Context<'_>) -> bool {
        let verdicts = self
            .conditions
            .iter()
            .map(|condition| condition.matches(context));
        !self.conditions.is_empty() && combine::<Silent>(self.match_type, verdicts)
    }
}

/// Whether the segment at `position` matches, which is worked out once; `None` if there is no such segment.
pub(super) fn matches(
    env: &Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
) -> Option<bool> {
    if let Some(known) = scratch.segment(position) {
        return Some(known);
    }
    let segment = env.segment(position)?;
    let matches = segment.matches(context);
    scratch.work += u64::from(segment.bytes);
    scratch.remember_segment(position, matches, env.segments.len());
    Some(matches)
}
