//! How an evaluation can be watched.
//!
//! The engine tells an [`Observer`] what it finds. Answering requests uses [`Silent`], of which nothing remains after
//! compilation; explaining uses a recorder. One code path, so that an explanation cannot differ from the answer.

use super::{Evaluation, bucket::Seed};

pub(super) trait Observer {
    /// Whether verdicts that can no longer matter are worked out all the same, because somebody wants to see them.
    const EXHAUSTIVE: bool;

    /// Watches the evaluation of prerequisites.
    type Nested: Observer;
    fn nested(&mut self) -> &mut Self::Nested;

    /// A step was taken, and decided or passed.
    fn step(&mut self, _step: Step, _outcome: Outcome) {}
    fn bucket(&mut self, _seed: Seed, _bucket: u16) {}
    /// A contest between flags of these positions.
    fn contest(&mut self, _members: &[u32], _winner: Option<u32>) {}
    /// A prerequisite at this position, absent when the key is unknown.
    fn prerequisite(&mut self, _key: &str, _met: bool, _evaluation: &Evaluation<'_>) {}
    /// A rule is looked at. What is told of conditions and segments from here on belongs to it.
    fn rule(&mut self, _place: usize) {}
    fn condition(&mut self, _index: usize, _matched: bool) {}
    /// A segment of the rule; no verdict when there is no such segment.
    fn segment(&mut self, _key: &str, _matched: Option<bool>) {}
    /// The end of the rule; no word on admission when it did not match.
    fn rule_verdict(&mut self, _matched: bool, _admitted: Option<bool>) {}
}

/// A check of the evaluation, in the order in which they are made.
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

/// Watches nothing.
pub(super) struct Silent;

impl Observer for Silent {
    const EXHAUSTIVE: bool = false;

    type Nested = Self;

    fn nested(&mut self) -> &mut Self {
        self
    }
}
