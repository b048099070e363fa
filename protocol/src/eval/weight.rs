//! How much memory prepared items take, approximately: cheap to compute, and right within a factor of two.
//!
//! An edge uses it to decide what to drop, so it counts what grows: texts, values, rules. The constants were measured
//! on prepared forms (`tests/allocations.rs`).

use super::Environment;
use crate::snapshot::{Condition, Flag, Rule, Segment};

/// A rule, or a state, besides what it holds.
const RULE: usize = 128;

impl Environment {
    /// Estimated bytes of memory that it takes. What is shared with another version counts for both.
    #[must_use]
    pub fn held_bytes(&self) -> u64 {
        let flags = self.entries.iter().map(|entry| u64::from(entry.bytes));
        let segments = self.segments.iter().map(|segment| u64::from(segment.bytes));
        // Including the entry of each in the index of an edge.
        let keys = 256 * self.keys.len() as u64;
        let patterns = u64::from(self.patterns.bytes());
        1_024 + keys + patterns + flags.sum::<u64>() + segments.sum::<u64>()
    }
}

/// A flag with its state; a disabled flag is kept without its rules.
pub(super) fn of_flag(flag: &Flag) -> u32 {
    let own = 320 + 2 * flag.key.len() + flag.default_value.len();
    let prerequisites = texts(&flag.prerequisites) + flag.mutual_exclusion_group.len();
    let state = flag.state.as_ref().filter(|state| state.enabled);
    let state = state.map_or(0, |state| {
        let rules = state.rules.iter().map(of_rule).sum::<usize>();
        let variants = state.variants.iter();
        let variants = variants.map(|variant| 96 + 2 * variant.key.len() + variant.value.len());
        let default = state.default_value.as_ref().map_or(0, String::len);
        let bucketing = state.bucketing.as_ref();
        let bucketing = bucketing.map_or(0, |kept| kept.text().1.len() + flag.key.len());
        RULE + rules + variants.sum::<usize>() + default + bucketing
    });
    rounded(own + prerequisites + state)
}

pub(super) fn of_segment(segment: &Segment) -> u32 {
    let conditions = segment.rules.iter().map(of_condition).sum::<usize>();
    rounded(128 + segment.key.len() + conditions)
}

fn of_rule(rule: &Rule) -> usize {
    let conditions = rule.conditions.iter().map(of_condition).sum::<usize>();
    let value = rule.value.as_ref().map_or(0, String::len);
    RULE + conditions + texts(&rule.segment_keys) + value
}

fn of_condition(condition: &Condition) -> usize {
    128 + condition.attribute.len() + texts(&condition.values)
}

fn texts(texts: &[String]) -> usize {
    texts.iter().map(|text| 24 + text.len()).sum()
}

fn rounded(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
