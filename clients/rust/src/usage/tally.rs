//! Counts by flag and by what it answered.

use std::collections::HashMap;

use protocol::{eval::Answer, reason::Reason, wire::sdk::Count, wire::usage::told};

/// Answers of a flag that have a count of their own between two reports. Those beyond are counted by their reason alone.
const ANSWERS: usize = 100;

/// Counts, a few for each flag.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    flags: HashMap<Box<str>, Vec<(Given, u64)>>,
}

/// An answer, in the form in which it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Given {
    reason: Reason,
    value: Box<str>,
    variant_key: Box<str>,
}

impl Tally {
    /// Adds to a count.
    pub(crate) fn add(&mut self, flag_key: &str, answer: &Answer<'_>, count: u64) {
        let counts = match self.flags.get_mut(flag_key) {
            Some(counts) => counts,
            None => self.flags.entry(flag_key.into()).or_default(),
        };
        let mut given = Given {
            reason: answer.reason,
            value: told(answer.value_json).into(),
            variant_key: answer.variant_key.into(),
        };
        let mut place = counts.iter().position(|(known, _)| *known == given);
        if place.is_none() && counts.len() >= ANSWERS {
            (given.value, given.variant_key) = Default::default();
            place = counts.iter().position(|(known, _)| *known == given);
        }
        match place.and_then(|place| counts.get_mut(place)) {
            Some((_, known)) => *known = known.saturating_add(count),
            None => counts.push((given, count)),
        }
    }

    /// Takes counts, up to so many and to so many bytes; the others stay.
    pub(super) fn take(&mut self, most: usize, mut bytes: usize) -> Vec<Count> {
        let mut taken = Vec::new();
        self.flags.retain(|flag_key, counts| {
            while let Some((given, count)) = counts.pop_if(|(given, _)| {
                let length = size(flag_key, given);
                let fits = taken.len() < most && length <= bytes;
                bytes -= if fits { length } else { 0 };
                fits
            }) {
                taken.push(Count {
                    flag_key: flag_key.clone().into(),
                    reason: given.reason,
                    value: given.value.into(),
                    variant_key: given.variant_key.into(),
                    count,
                });
            }
            !counts.is_empty()
        });
        taken
    }
}

/// The most bytes that a count takes in a report.
fn size(flag_key: &str, given: &Given) -> usize {
    /// Three lengths, a reason and a number.
    const REST: usize = 48;
    flag_key.len() + given.value.len() + given.variant_key.len() + REST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value_json: &str) -> Answer<'_> {
        Answer {
            reason: Reason::Targeted,
            value_json,
            variant_key: "",
        }
    }

    fn sum(counts: &[Count]) -> u64 {
        counts.iter().map(|count| count.count).sum()
    }

    #[test]
    fn equal_answers_are_one_count() {
        let mut tally = Tally::default();
        tally.add("flag", &answer("1"), 2);
        tally.add("flag", &answer("1"), 3);
        tally.add("flag", &answer("2"), 1);
        let mut counts = tally.take(100, 10_000);
        counts.sort_by_key(|count| count.count);
        assert_eq!((counts.len(), counts[1].count), (2, 5));
        assert_eq!((&*counts[1].flag_key, &*counts[1].value), ("flag", "1"));
        assert!(tally.take(100, 10_000).is_empty());
    }

    #[test]
    fn answers_beyond_the_bound_are_counted_by_their_reason() {
        let mut tally = Tally::default();
        for number in 0..ANSWERS + 20 {
            tally.add("flag", &answer(&number.to_string()), 1);
        }
        let counts = tally.take(1_000, 1 << 20);
        assert_eq!(counts.len(), ANSWERS + 1);
        let untold = counts.iter().find(|count| count.value.is_empty());
        assert_eq!(untold.map(|count| count.count), Some(20));
    }

    #[test]
    fn what_does_not_fit_one_report_is_in_the_next_ones() {
        for (most, bytes) in [(7, 1 << 20), (1_000, 400)] {
            let mut tally = Tally::default();
            for number in 0..50 {
                tally.add(&format!("flag-{number}"), &answer("true"), 1);
                tally.add(&format!("flag-{number}"), &answer("false"), 2);
            }
            let mut total = 0;
            loop {
                let counts = tally.take(most, bytes);
                if counts.is_empty() {
                    break;
                }
                assert!(counts.len() <= 7);
                total += sum(&counts);
            }
            assert_eq!(total, 150);
        }
    }
}
