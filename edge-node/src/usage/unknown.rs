//! Counts answers for keys that no flag has. Anybody can make up such keys, so everything about them is bounded.

use std::{collections::HashMap, mem};

use protocol::ids::EnvId;

use super::{Given, Tally};

/// What exceeds the bounds is counted under this key, which no flag can have.
pub(crate) const OTHER: &str = "__other__";
/// Keys of one environment between two collections: as many as an organization may have altogether.
const KEYS_OF_ENVIRONMENT: usize = 10_000;
/// Keys of all environments between two collections, and again while they wait: some megabytes.
pub(super) const KEYS: usize = 50_000;

/// Counts for keys that do not exist.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    environments: HashMap<EnvId, HashMap<Box<str>, u64>>,
    keys: usize,
}

impl Unknown {
    /// Counts so many answers.
    pub(super) fn add(&mut self, env_id: EnvId, flag_key: &str, more: u64) {
        let counts = self.environments.entry(env_id).or_default();
        let cannot_be_a_flag = flag_key.is_empty() || flag_key.len() > 255;
        if let Some(count) = counts.get_mut(flag_key) {
            *count = count.saturating_add(more);
        } else if cannot_be_a_flag || self.keys >= KEYS || counts.len() >= KEYS_OF_ENVIRONMENT {
            let count = counts.entry(OTHER.into()).or_default();
            *count = count.saturating_add(more);
        } else {
            counts.insert(flag_key.into(), more);
            self.keys += 1;
        }
    }

    /// Takes all counts.
    pub(super) fn take(&mut self, tally: &mut Tally) {
        let not_found = Given::not_found();
        for (env_id, counts) in mem::take(self).environments {
            for (flag_key, count) in counts {
                tally.add(env_id, &flag_key, &not_found, count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn env(number: u128) -> EnvId {
        Uuid::from_u128(number).into()
    }

    fn taken(unknown: &mut Unknown) -> HashMap<(EnvId, String), u64> {
        let mut tally = Tally::default();
        unknown.take(&mut tally);
        let counts = tally.counts();
        counts
            .map(|(env_id, key, given, count)| {
                assert_eq!(*given, Given::not_found());
                ((env_id, key.to_owned()), count)
            })
            .collect()
    }

    #[test]
    fn keys_beyond_the_bound_of_an_environment_are_counted_together() {
        let mut unknown = Unknown::default();
        for number in 0..KEYS_OF_ENVIRONMENT + 7 {
            unknown.add(env(1), &format!("junk-{number}"), 1);
        }
        unknown.add(env(1), "junk-0", 1);
        unknown.add(env(2), "junk-0", 1);
        let counts = taken(&mut unknown);
        assert_eq!(counts.len(), KEYS_OF_ENVIRONMENT + 2);
        assert_eq!(counts[&(env(1), OTHER.to_owned())], 7);
        assert_eq!(counts[&(env(1), "junk-0".to_owned())], 2);
        assert_eq!(counts[&(env(2), "junk-0".to_owned())], 1);

        unknown.add(env(1), "after", 1);
        assert_eq!(taken(&mut unknown).len(), 1, "collecting makes room again");
    }

    #[test]
    fn keys_beyond_the_bound_of_the_edge_are_counted_together() {
        let mut unknown = Unknown::default();
        for number in 0..KEYS + 10 {
            unknown.add(env((number % 20) as u128), &format!("junk-{number}"), 1);
        }
        let counts = taken(&mut unknown);
        assert_eq!(counts.values().sum::<u64>(), (KEYS + 10) as u64);
        assert_eq!(counts.len(), KEYS + 10);
        assert_eq!(counts[&(env(3), OTHER.to_owned())], 1);
    }

    #[test]
    fn a_key_that_no_flag_can_have_uses_none_of_the_bound() {
        let mut unknown = Unknown::default();
        for number in 0..100 {
            unknown.add(env(1), &format!("{number:0256}"), 1);
        }
        unknown.add(env(1), "", 1);
        unknown.add(env(1), &"a".repeat(255), 1);
        let counts = taken(&mut unknown);
        assert_eq!(counts.len(), 2);
        assert_eq!(counts[&(env(1), OTHER.to_owned())], 101);
    }
}
