//! Lists of texts with which another text begins or ends, or which it contains.
//!
//! A text that begins with another of the list adds nothing to it and is dropped. What is left is sorted, and then only
//! one of it can be the beginning of a given text: the greatest that is not greater than that text. So even a list of
//! ten thousand takes a few comparisons.

use super::scratch::Scratch;

/// Texts of which none begins with another, sorted.
#[derive(Debug)]
pub(super) struct Parts {
    texts: Box<[Box<str>]>,
    /// Bytes of all of them.
    bytes: usize,
    /// Bytes of the longest.
    longest: usize,
}

/// Which end of a text is compared.
#[derive(Clone, Copy)]
enum End {
    Start,
    Last,
}

impl Parts {
    /// For [`Parts::begin`] and [`Parts::are_in`].
    pub(super) fn of_starts(values: &[String]) -> Self {
        Self::prepare(values, End::Start)
    }

    /// For [`Parts::end`].
    pub(super) fn of_ends(values: &[String]) -> Self {
        Self::prepare(values, End::Last)
    }

    fn prepare(values: &[String], end: End) -> Self {
        let mut sorted: Vec<&str> = values.iter().map(String::as_str).collect();
        sorted.sort_unstable_by(|a, b| end.compare(a, b));
        let mut texts: Vec<Box<str>> = Vec::with_capacity(sorted.len());
        for text in sorted {
            if !texts.last().is_some_and(|last| end.has(text, last)) {
                texts.push(text.into());
            }
        }
        Self {
            bytes: texts.iter().map(|text| text.len()).sum(),
            longest: texts.iter().map(|text| text.len()).max().unwrap_or(0),
            texts: texts.into(),
        }
    }

    /// Whether the text begins with one of them.
    pub(super) fn begin(&self, text: &str, scratch: &mut Scratch) -> bool {
        scratch.spend(self.probes() * (1 + self.compared(text) / 256));
        self.find(text, End::Start)
    }

    /// Whether the text ends with one of them.
    pub(super) fn end(&self, text: &str, scratch: &mut Scratch) -> bool {
        // Compared byte by byte.
        scratch.spend(self.probes() * (1 + self.compared(text) / 4));
        self.find(text, End::Last)
    }

    /// Whether the text contains one of them. Of two ways to find out, the one that takes fewer steps for a list and a
    /// text of these lengths.
    pub(super) fn are_in(&self, text: &str, scratch: &mut Scratch) -> bool {
        let length = text.len() as u64;
        let one_by_one = self.texts.len() as u64 * (4 + length / 4) + self.bytes as u64 / 4;
        let everywhere = (length + 1) * (1 + self.probes() * (1 + self.compared(text) / 256));
        if one_by_one <= everywhere {
            return scratch.afford(one_by_one)
                && self.texts.iter().any(|part| text.contains(&**part));
        }
        scratch.afford(everywhere)
            && (0..=text.len())
                .filter_map(|at| text.get(at..))
                .any(|rest| self.find(rest, End::Start))
    }

    fn find(&self, text: &str, end: End) -> bool {
        let after = self
            .texts
            .partition_point(|part| end.compare(part, text).is_le());
        after > 0 && end.has(text, &self.texts[after - 1])
    }

    /// Comparisons of a search.
    fn probes(&self) -> u64 {
        u64::from(usize::BITS - self.texts.len().leading_zeros())
    }

    /// Bytes that one comparison may look at.
    fn compared(&self, text: &str) -> u64 {
        self.longest.min(text.len()) as u64
    }
}

impl End {
    fn compare(self, a: &str, b: &str) -> std::cmp::Ordering {
        match self {
            Self::Start => a.cmp(b),
            Self::Last => a.bytes().rev().cmp(b.bytes().rev()),
        }
    }

    fn has(self, text: &str, part: &str) -> bool {
        match self {
            Self::Start => text.starts_with(part),
            Self::Last => text.ends_with(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    proptest! {
        #[test]
        fn lists_answer_as_their_texts_do_one_by_one(
            values in vec("[abü]{0,3}", 0..12),
            many in any::<bool>(),
            text in "[abcü]{0,6}",
        ) {
            let mut values = values;
            if many {
                // Long ones that are nowhere make the other way to look for parts the cheaper one.
                values.extend((0..500).map(|n| format!("z{n}")));
            }
            let (starts, ends) = (Parts::of_starts(&values), Parts::of_ends(&values));
            let mut scratch = Scratch::new();
            scratch.grant();
            prop_assert_eq!(starts.begin(&text, &mut scratch), values.iter().any(|value| text.starts_with(value)));
            prop_assert_eq!(ends.end(&text, &mut scratch), values.iter().any(|value| text.ends_with(value)));
            prop_assert_eq!(starts.are_in(&text, &mut scratch), values.iter().any(|value| text.contains(value)));
        }
    }
}
