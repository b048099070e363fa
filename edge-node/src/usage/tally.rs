//! Counts by environment, key and what was served, on their way from counters to batches.

use std::collections::HashMap;

use counters::{Answers, Given};
use protocol::{ids::EnvId, reason::Reason};

/// Counts of one environment: a few answers for each key.
type Counts = HashMap<Box<str>, Answers>;

/// Counts of any number of environments.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    environments: HashMap<EnvId, Counts>,
    entries: usize,
    unknown: usize,
    text: usize,
}

impl Tally {
    /// Adds to a count.
    pub(crate) fn add(&mut self, env_id: EnvId, flag_key: &str, given: &Given, count: u64) {
        let flags = self.environments.entry(env_id).or_default();
        let counts = match flags.get_mut(flag_key) {
            Some(counts) => counts,
            None => flags.entry(flag_key.into()).or_default(),
        };
        if let Some(new) = counts.add(given.clone(), count) {
            self.entries += 1;
            self.unknown += usize::from(new.reason == Reason::NotFound);
            self.text += flag_key.len() + new.text();
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
                counts.map(|(given, count)| (*env_id, &**flag_key, given, count))
            })
        })
    }
}
