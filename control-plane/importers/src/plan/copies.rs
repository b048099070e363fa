//! What a translation repeats. One text of the source may stand for much here (a value is served by each of ten thousand rules, a
//! segment is written out in each strategy), so the copies of an import have a room in memory of their own. Once it is used up nothing
//! is copied any more, and the whole translation counts for nothing.

use std::cell::Cell;

use protocol::rule::{Condition, TargetingRule};
use serde_json::Value;

use super::patterns;

thread_local! {
    /// Of the import that is being translated; nothing counts elsewhere.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Does the work of one import. `None` when it takes more room or more regular expressions than there may be.
pub fn bounded<T>(translate: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(Some(128 * 1024 * 1024));
    let translated = patterns::bounded(translate);
    (LEFT.take() > Some(0)).then_some(translated)
}

/// Whether there is still room for so many bytes, which are taken.
pub fn charge(bytes: usize) -> bool {
    let left = LEFT.get().map(|left| left.saturating_sub(bytes));
    LEFT.set(left);
    left != Some(0)
}

/// A copy, if there is room for it.
pub fn copy<T: Clone + Weight>(thing: &T) -> Option<T> {
    let is_over = LEFT.get() == Some(0);
    (!is_over && charge(thing.weight())).then(|| thing.clone())
}

/// JSON that a source sends as a text. Longer ones than any value may be are not read.
pub fn json(text: &str) -> Option<Value> {
    let short = (text.len() <= 256 * 1024).then_some(text)?;
    let read: Value = serde_json::from_str(short).ok()?;
    charge(read.weight()).then_some(read)
}

/// What something takes in memory, roughly.
pub trait Weight {
    fn weight(&self) -> usize;
}

impl Weight for String {
    fn weight(&self) -> usize {
        2 * size_of::<Self>() + self.len()
    }
}

impl<T: Weight> Weight for Vec<T> {
    fn weight(&self) -> usize {
        size_of::<Self>() + self.iter().map(T::weight).sum::<usize>()
    }
}

impl Weight for Value {
    fn weight(&self) -> usize {
        let held = match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 0,
            Self::String(text) => text.weight(),
            Self::Array(values) => values.weight(),
            Self::Object(fields) => {
                let each = fields.iter();
                // A node of the tree has room for eleven.
                each.map(|(name, value)| 11 * size_of::<Self>() + name.weight() + value.weight())
                    .sum()
            }
        };
        size_of::<Self>() + held
    }
}

impl Weight for Condition {
    fn weight(&self) -> usize {
        self.attribute.weight() + self.operator.weight() + self.values.weight()
    }
}

impl Weight for TargetingRule {
    fn weight(&self) -> usize {
        let value = self.value.as_ref().map_or(0, Value::weight);
        size_of::<Self>()
            + self.description.len()
            + self.conditions.weight()
            + self.segment_keys.weight()
            + value
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::rules::{Share, condition, rule, split};

    #[test]
    fn a_translation_that_repeats_too_much_counts_for_nothing() {
        let large = json!("x".repeat(1024 * 1024));
        let times = |count: usize| bounded(|| (0..count).filter_map(|_| copy(&large)).count());
        assert_eq!(times(100), Some(100));
        assert_eq!(times(200), None);
        // What was taken before is given back.
        assert_eq!(times(100), Some(100));
    }

    #[test]
    fn rules_of_a_split_and_operands_are_charged() {
        let like = rule(Vec::new(), json!(0));
        let large = json!(vec![0; 100_000]);
        let share = |_| Share {
            value: large.clone(),
            weight: 1,
        };
        let shares: Vec<_> = (0..100).map(share).collect();
        assert!(bounded(|| split(&like, &shares, 100, 10_000)).is_none());
        let operands = || vec![""; 3_000_000];
        assert!(bounded(|| condition("a", "in", operands())).is_none());
        assert!(bounded(|| condition("a", "in", ["b"])).is_some());
    }

    #[test]
    fn json_in_a_text_is_bounded() {
        assert_eq!(json("[1]"), Some(json!([1])));
        assert_eq!(json("["), None);
        assert_eq!(json(&format!("[{}1]", "0,".repeat(256 * 1024))), None);
    }
}
