//! Counts by flag and by what it answered.

use std::collections::HashMap;

use counters::{Answers, Given};
use protocol::{eval::Answer, wire::sdk::Count};

/// Counts, a few for each flag.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    flags: HashMap<Box<str>, Answers>,
}

impl Tally {
    /// Adds to a count.
    pub(crate) fn add(&mut self, flag_key: &str, answer: &Answer<'_>, count: u64) {
        let counts = match self.flags.get_mut(flag_key) {
            Some(counts) => counts,
            None => self.flags.entry(flag_key.into()).or_default(),
        };
        counts.add(Given::of(answer), count);
    }

    /// Takes counts, up to so many and to so many bytes; the others stay.
    pub(super) fn take(&mut self, most: usize, mut bytes: usize) -> Vec<Count> {
        let mut taken = Vec::new();
        self.flags.retain(|flag_key, counts| {
            while let Some((given, count)) = counts.pop_if(|given| {
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
    flag_key.len() + given.text() + REST
}

#[cfg(test)]
mod tests {
    use protocol::reason::Reason;

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
