//! What is said about an item that does not become exactly what it was.

use super::copies::{Weight as _, charge};

/// How much of an item of the source is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// It is kept with a meaning that can differ for some contexts.
    Approximated,
    /// Some part of it is not kept.
    Dropped,
}

/// One difference, in words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Whether something is approximated or missing.
    pub fidelity: Fidelity,
    /// What and where. It names the environment where only one is concerned.
    pub text: String,
}

/// The differences of an item. None: it answers as its source does, for every context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remarks {
    said: Vec<Remark>,
    unsaid: usize,
}

/// As many are kept of an item; a user reads no more of them, and a job keeps a thousand in all.
const MAX: usize = 50;
/// Characters of a remark. What a source calls things is part of it.
const MAX_TEXT: usize = 500;

impl Remarks {
    /// Something is kept with a meaning that can differ.
    pub fn approximate(&mut self, text: impl Into<String>) {
        self.add(Fidelity::Approximated, text.into());
    }

    /// Something is not kept.
    pub fn drop(&mut self, text: impl Into<String>) {
        self.add(Fidelity::Dropped, text.into());
    }

    /// Adds those of a part of the item.
    pub fn extend(&mut self, other: Self) {
        for remark in other.said {
            self.add(remark.fidelity, remark.text);
        }
        self.unsaid += other.unsaid;
    }

    /// Whether the item is exact.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// The remarks, in the order they were made in, without repetitions.
    pub fn iter(&self) -> impl Iterator<Item = &Remark> {
        self.said.iter()
    }

    /// How many more there are.
    pub const fn unsaid(&self) -> usize {
        self.unsaid
    }

    fn add(&mut self, fidelity: Fidelity, mut text: String) {
        if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
            text.truncate(end);
            text.push('…');
        }
        let remark = Remark { fidelity, text };
        if self.said.contains(&remark) {
            return;
        }
        if self.said.len() < MAX && charge(remark.text.weight()) {
            self.said.push(remark);
        } else {
            self.unsaid += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_twice_is_kept_once() {
        let mut remarks = Remarks::default();
        assert!(remarks.is_empty());
        remarks.approximate("a");
        remarks.approximate("a");
        remarks.drop("a");
        assert_eq!(remarks.iter().count(), 2);
        assert!(!remarks.is_empty());
    }

    #[test]
    fn remarks_are_bounded() {
        let mut remarks = Remarks::default();
        for number in 0..MAX + 3 {
            remarks.drop(number.to_string());
        }
        assert_eq!((remarks.iter().count(), remarks.unsaid()), (MAX, 3));
        let mut remarks = Remarks::default();
        remarks.drop("ü".repeat(MAX_TEXT + 1));
        let kept = &remarks.iter().next().unwrap().text;
        assert_eq!(kept.chars().count(), MAX_TEXT + 1);
    }
}
