//! How often one flag gave which answers, in the form in which they are reported.

use protocol::{
    eval::{Answer, Evaluation},
    reason::Reason,
    wire::usage::told,
};

/// Answers of a flag that have a count of their own between two reports. Those beyond are counted by their reason alone.
pub const ANSWERS: usize = 100;

/// An answer that was given, in the form in which it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Why.
    pub reason: Reason,
    /// The value, or a digest of it; empty where it is not told.
    pub value: Box<str>,
    /// The variant; empty where there is none or it is not told.
    pub variant_key: Box<str>,
}

impl Given {
    /// That no flag has the key.
    #[must_use]
    pub fn not_found() -> Self {
        Self::of(&Evaluation::NOT_FOUND.served())
    }

    /// This answer.
    #[must_use]
    pub fn of(answer: &Answer<'_>) -> Self {
        Self {
            reason: answer.reason,
            value: told(answer.value_json).into(),
            variant_key: answer.variant_key.into(),
        }
    }

    /// The reason alone.
    #[must_use]
    pub fn untold(&self) -> Self {
        Self {
            reason: self.reason,
            value: Box::default(),
            variant_key: Box::default(),
        }
    }

    /// Bytes of its texts.
    #[must_use]
    pub const fn text(&self) -> usize {
        self.value.len() + self.variant_key.len()
    }
}

/// The counts of one flag: [`ANSWERS`] answers, and those beyond by their reason.
#[derive(Debug, Default)]
pub struct Answers(Vec<(Given, u64)>);

impl Answers {
    /// Adds to a count, and returns the answer if it had none.
    pub fn add(&mut self, mut given: Given, count: u64) -> Option<&Given> {
        let mut place = self.place(&given);
        if place.is_none() && self.0.len() >= ANSWERS {
            given = given.untold();
            place = self.place(&given);
        }
        if let Some((_, known)) = place.and_then(|place| self.0.get_mut(place)) {
            *known = known.saturating_add(count);
            return None;
        }
        self.0.push((given, count));
        self.0.last().map(|(given, _)| given)
    }

    /// The counts, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&Given, u64)> {
        self.0.iter().map(|(given, count)| (given, *count))
    }

    /// Takes a count, if there is one that `wanted` takes.
    pub fn pop_if(&mut self, mut wanted: impl FnMut(&Given) -> bool) -> Option<(Given, u64)> {
        self.0.pop_if(|(given, _)| wanted(given))
    }

    /// Whether nothing is counted.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, given: &Given) -> Option<usize> {
        self.0.iter().position(|(known, _)| known == given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(value: &str) -> Given {
        Given::of(&Answer {
            reason: Reason::Targeted,
            value_json: value,
            variant_key: "",
        })
    }

    #[test]
    fn equal_answers_are_one_count() {
        let mut answers = Answers::default();
        assert_eq!(answers.add(given("1"), 2), Some(&given("1")));
        assert_eq!(answers.add(given("1"), 3), None);
        assert_eq!(answers.add(given("2"), u64::MAX), Some(&given("2")));
        assert_eq!(answers.add(given("2"), 1), None);
        let counted: Vec<_> = answers.iter().collect();
        assert_eq!(counted, [(&given("1"), 5), (&given("2"), u64::MAX)]);
    }

    #[test]
    fn answers_beyond_the_bound_are_counted_by_their_reason() {
        let mut answers = Answers::default();
        for round in 1..=2 {
            for number in 0..ANSWERS + 20 {
                answers.add(given(&number.to_string()), 1);
            }
            assert_eq!(answers.iter().count(), ANSWERS + 1);
            let sum: u64 = answers.iter().map(|(_, count)| count).sum();
            assert_eq!(sum, round * (ANSWERS as u64 + 20));
            let untold = answers.iter().find(|(given, _)| given.value.is_empty());
            let (untold, count) = untold.unwrap();
            assert_eq!((untold.reason, count), (Reason::Targeted, round * 20));
        }
    }
}
