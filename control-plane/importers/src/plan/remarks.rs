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
    pub fidelity: Fidelity,
    /// What and where. It names the environment where only one is concerned.
    pub text: String,
    /// Where the difference begins in the text, after the places.
    start: usize,
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
        self.add("", Fidelity::Approximated, text.into());
    }

    /// The same of a part of the item: what several parts have in common is one remark with their places.
    pub fn approximate_at(&mut self, place: &str, text: impl Into<String>) {
        self.add(place, Fidelity::Approximated, text.into());
    }

    pub fn drop(&mut self, text: impl Into<String>) {
        self.add("", Fidelity::Dropped, text.into());
    }

    /// The same of a part of the item.
    pub fn drop_at(&mut self, place: &str, text: impl Into<String>) {
        self.add(place, Fidelity::Dropped, text.into());
    }

    /// Adds those of a part of the item.
    pub fn extend_at(&mut self, place: &str, other: Self) {
        for remark in other.said {
            self.add(place, remark.fidelity, remark.text);
        }
        self.unsaid += other.unsaid;
    }

    /// Leaves those alone that say what is not kept.
    pub fn retain_dropped(&mut self) {
        self.said
            .retain(|remark| remark.fidelity == Fidelity::Dropped);
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

    fn add(&mut self, place: &str, fidelity: Fidelity, mut text: String) {
        if let Some((end, _)) = text.char_indices().nth(MAX_TEXT) {
            text.truncate(end);
            text.push('…');
        }
        let is_same = |remark: &&mut Remark| {
            let is_placed = remark.start > 0;
            remark.fidelity == fidelity
                && remark.text[remark.start..] == text
                && is_placed != place.is_empty()
        };
        if let Some(known) = self.said.iter_mut().find(is_same) {
            known.add(place);
        } else if self.said.len() < MAX && charge(place.len() + text.weight()) {
            let mut remark = Remark {
                fidelity,
                text,
                start: 0,
            };
            remark.add(place);
            self.said.push(remark);
        } else {
            self.unsaid += 1;
        }
    }
}

impl Remark {
    fn add(&mut self, place: &str) {
        let places = self.text[..self.start].trim_end_matches(": ");
        let is_known = places
            .split("; ")
            .any(|known| known == place || known == "…");
        if place.is_empty() || is_known {
            return;
        }
        let place = if self.start > 200 { "…" } else { place };
        let places = match places {
            "" => format!("{place}: "),
            places => format!("{places}; {place}: "),
        };
        self.text.replace_range(..self.start, &places);
        self.start = places.len();
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
    fn one_remark_has_all_its_places() {
        let mut remarks = Remarks::default();
        for place in ["production", "test", "test"] {
            remarks.approximate_at(place, "it differs");
        }
        remarks.approximate("it differs");
        let texts: Vec<_> = remarks.iter().map(|remark| &remark.text).collect();
        assert_eq!(texts, ["production; test: it differs", "it differs"]);
        for number in 0..1_000 {
            remarks.approximate_at(&number.to_string(), "it differs");
        }
        let text = &remarks.iter().next().unwrap().text;
        assert!(
            text.len() < 300 && text.ends_with("; …: it differs"),
            "{text}"
        );
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
