//! How an evaluation can be observed.
//!
//! The engine reports its findings to an [`Observer`]. Answering requests uses [`Silent`], which compiles to nothing;
//! explaining uses a recorder. There is one code path, so an explanation cannot differ from the answer.

use super::{Evaluation, bucket::Seed};

pub(super) trait Observer {
    /// Whether verdicts that can no longer matter are worked out all the same, because somebody wants to see them.
    const EXHAUSTIVE: bool;

    /// Observes the evaluation of prerequisites.
    type Nested: Observer;
    fn nested(&mut self) -> &mut Self::Nested;

    /// A step was taken, and either decided or passed.
    fn step(&mut self, _step: Step, _outcome: Outcome) {}
    fn bucket(&mut self, _seed: Seed, _bucket: u16) {}
    /// A contest between the flags at these positions.
    fn contest(&mut self, _members: &[u32], _winner: Option<u32>) {}
    /// A prerequisite was decided.
    fn prerequisite(&mut self, _key: &str, _met: bool, _evaluation: &Evaluation<'_>) {}
    /// A rule is tried. Conditions and segments reported from here on belong to it.
    fn rule(&mut self, _place: usize) {}
    fn condition(&mut self, _index: usize, _matched: bool) {}
    /// A pattern of that condition, or of the segment about to be reported, never matches: it is too large, or beyond
    /// what the environment may hold.
    fn lacks_patterns(&mut self) {}
    /// A segment of the rule was tested; `None` if there is no such segment.
    fn segment(&mut self, _key: &str, _matched: Option<bool>) {}
    /// The rule is done; `admitted` is absent if it did not match.
    fn rule_verdict(&mut self, _matched: bool, _admitted: Option<bool>) {}
}

/// A check of the evaluation, in the order in which the checks are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Enabled,
    MutualExclusion,
    Prerequisites,
    Rules,
    PercentageRollout,
    Variants,
    ServedValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Passed,
    Decided,
}

/// Observes nothing.
pub(super) struct Silent;

impl Observer for Silent {
    const EXHAUSTIVE: bool = false;

    type Nested = Self;

    fn nested(&mut self) -> &mut Self {
        self
    }
}
