//! Counts by environment, key and what was served, on their way from counters to batches.

use std::collections::HashMap;

use protocol::{
    eval::{Answer, Evaluation},
    ids::EnvId,
    reason::Reason,
    wire::usage::told,
};

/// Counts of one environment: a few answers for each key.
type Counts = HashMap<Box<str>, Vec<(Given, u64)>>;

/// Answers of a flag that have a count of their own between two reports. Those beyond are counted by their reason alone.
const ANSWERS: usize = 100;

/// Counts of any number of environments.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    environments: HashMap<EnvId, Counts>,
    entries: usize,
    unknown: usize,
    text: usize,
}

/// An answer that was given, in the form in which it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) reason: Reason,
    /// Empty where it is not told.
    pub(crate) value: Box<str>,
    pub(crate) variant_key: Box<str>,
}

impl Given {
    /// That no flag has the key.
    pub(crate) fn not_found() -> Self {
        Self::of(&Evaluation::NOT_FOUND.served())
    }

    pub(crate) fn of(answer: &Answer<'_>) -> Self {
        Self {
            reason: answer.reason,
            value: told(answer.value_json).into(),
            variant_key: answer.variant_key.into(),
        }
    }

    /// The reason alone.
    pub(super) fn untold(&self) -> Self {
        Self {
            reason: self.reason,
            value: "".into(),
            variant_key: "".into(),
        }
    }

    fn text(&self) -> usize {
        self.value.len() + self.variant_key.len()
    }
}

impl Tally {
    /// Adds to a count.
    pub(crate) fn add(&mut self, env_id: EnvId, flag_key: &str, given: &Given, count: u64) {
        let flags = self.environments.entry(env_id).or_default();
        let counts = match flags.get_mut(flag_key) {
            Some(counts) => counts,
            None => flags.entry(flag_key.into()).or_default(),
        };
        let mut place = counts.iter().position(|(known, _)| known == given);
        let mut given = given.clone();
        if place.is_none() && counts.len() >= ANSWERS {
            given = given.untold();
            place = counts.iter().position(|(known, _)| *known == given);
        }
        if let Some((_, known)) = place.and_then(|place| counts.get_mut(place)) {
            *known = known.saturating_add(count);
        } else {
            self.entries += 1;
            self.unknown += usize::from(given.reason == Reason::NotFound);
            self.text += flag_key.len() + given.text();
            counts.push((given, count));
        }
    }

    /// Whether nothing was counted.
    pub(crate) const fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The number of counts.
    pub(super) const fn len(&self) -> usize {
        self.entries
    }

    /// The number of counts for keys that no flag has.
    pub(super) const fn unknown(&self) -> usize {
        self.unknown
    }

    /// Whether there is a count for this key.
    pub(super) fn has(&self, env_id: EnvId, flag_key: &str) -> bool {
        let flags = self.environments.get(&env_id);
        flags.is_some_and(|flags| flags.contains_key(flag_key))
    }

    /// Bytes of all texts, counted once for each count.
    pub(super) const fn text(&self) -> usize {
        self.text
    }

    /// The counts, in no particular order.
    pub(super) fn counts(&self) -> impl Iterator<Item = (EnvId, &str, &Given, u64)> {
        self.environments.iter().flat_map(|(env_id, flags)| {
            flags.iter().flat_map(|(flag_key, counts)| {
                let counts = counts.iter();
                counts.map(|(given, count)| (*env_id, &**flag_key, given, *count))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn given(value: &str) -> Given {
        Given::of(&Answer {
            reason: Reason::Targeted,
            value_json: value,
            variant_key: "",
        })
    }

    #[test]
    fn answers_beyond_the_bound_are_counted_by_their_reason() {
        let env_id = Uuid::nil().into();
        let mut tally = Tally::default();
        for round in 1..=2 {
            for number in 0..ANSWERS + 20 {
                tally.add(env_id, "flag", &given(&number.to_string()), 1);
            }
            assert_eq!(tally.len(), ANSWERS + 1);
            let sum: u64 = tally.counts().map(|(_, _, _, count)| count).sum();
            assert_eq!(sum, round * (ANSWERS as u64 + 20));
            let untold = tally
                .counts()
                .find(|(_, _, given, _)| given.value.is_empty());
            let (_, _, untold, count) = untold.unwrap();
            assert_eq!((untold.reason, count), (Reason::Targeted, round * 20));
        }
    }
}
