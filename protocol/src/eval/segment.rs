//! A prepared segment.

use std::{ops::Deref, sync::Arc};

use super::{
    Environment,
    condition::{Condition, combine},
    context::Context,
    observer::Silent,
    patterns::{Compiled, Texts},
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
    /// The patterns of its conditions.
    pub(super) patterns: Box<[Box<str>]>,
    match_type: MatchType,
    conditions: Box<[Condition]>,
}

/// A segment in its environment.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) segment: Arc<Segment>,
    /// What its patterns are compiled to.
    pub(super) compiled: Compiled,
}

impl Deref for Placed {
    type Target = Segment;

    fn deref(&self) -> &Segment {
        &self.segment
    }
}

impl Segment {
    pub(super) fn prepare(segment: &snapshot::Segment) -> Self {
        let mut patterns = Texts::default();
        let conditions = segment.rules.iter();
        let conditions = conditions.map(|condition| Condition::prepare(condition, &mut patterns));
        Self {
            conditions: conditions.collect(),
            key: segment.key.as_str().into(),
            digest: ItemDigest::of_segment(segment),
            bytes: weight::of_segment(segment),
            match_type: segment.match_type,
            patterns: patterns.into_boxed(),
        }
    }

    /// Whether it has a pattern that never matches.
    pub(super) fn lacks_patterns(&self, compiled: &Compiled) -> bool {
        let mut conditions = self.conditions.iter();
        conditions.any(|condition| condition.lacks_patterns(compiled))
    }
}

impl Placed {
    /// A segment without conditions matches nobody.
    fn matches(&self, context: &Context<'_>, scratch: &mut Scratch) -> bool {
        let (match_type, compiled) = (self.match_type, &self.compiled);
        !self.conditions.is_empty()
            && combine(
                match_type,
                &self.conditions,
                context,
                compiled,
                scratch,
                &mut Silent,
            )
    }
}

/// Whether the segment at `position` matches, which is worked out once; `None` if there is no such segment. When no
/// steps are left, the verdict means nothing.
pub(super) fn matches(
    env: &Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
) -> Option<bool> {
    let segment = env.segment(position)?;
    // Looking at a segment takes 2 steps.
    if !scratch.spend(2) {
        return Some(false);
    }
    if let Some(known) = scratch.segment(position) {
        return Some(known);
    }
    let judge = |scratch: &mut Scratch| segment.matches(context, scratch);
    Some(scratch.judge(position, env.segments.len(), judge))
}
