//! Which defaults callers say that their code would use without an answer.
//!
//! Anybody with a key can make them up, so there is a bound for each environment and for all; what exceeds it is counted as dropped.

use std::{collections::HashMap, mem};

use protocol::{
    ids::EnvId,
    wire::usage::{MAX_ENTRIES, ToldDefault, told},
};

/// Of one environment between two reports.
const OF_ENVIRONMENT: usize = 1_000;

/// The most characters of what a caller calls itself.
pub(crate) const SERVICE: usize = 64;

/// Which default of whom.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    flag_key: Box<str>,
    service: Box<str>,
    value: Box<str>,
}

/// Answers with a default: all, and those that had another value.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    answers: u64,
    differing: u64,
}

/// What was told since the last report.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    environments: HashMap<EnvId, HashMap<Key, Count>>,
    entries: usize,
}

/// What one caller tells of one flag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TellsDefault<'a> {
    /// An existing flag.
    pub(crate) flag_key: &'a str,
    /// What the caller calls itself.
    pub(crate) service: &'a str,
    /// JSON.
    pub(crate) value: &'a str,
    pub(crate) answers: u64,
    pub(crate) differing: u64,
}

impl Defaults {
    /// Adds one; false if there is no room.
    pub(super) fn add(&mut self, env_id: EnvId, one: TellsDefault<'_>) -> bool {
        let of_environment = self.environments.entry(env_id).or_default();
        let key = Key {
            flag_key: one.flag_key.into(),
            service: one.service.into(),
            value: told(one.value).into(),
        };
        let has_room = self.entries < MAX_ENTRIES && of_environment.len() < OF_ENVIRONMENT;
        if !has_room && !of_environment.contains_key(&key) {
            return false;
        }
        let before = of_environment.len();
        let count = of_environment.entry(key).or_default();
        count.answers = count.answers.saturating_add(one.answers);
        count.differing = count.differing.saturating_add(one.differing);
        self.entries += of_environment.len() - before;
        true
    }

    /// Takes all.
    pub(super) fn take(&mut self) -> Vec<ToldDefault> {
        let environments = mem::take(self).environments.into_iter();
        let all = environments.flat_map(|(env_id, counts)| {
            counts.into_iter().map(move |(key, count)| ToldDefault {
                env_id,
                flag_key: key.flag_key.into(),
                service: key.service.into(),
                value: key.value.into(),
                answers: count.answers,
                differing: count.differing,
            })
        });
        all.collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn one(flag_key: &str) -> TellsDefault<'_> {
        TellsDefault {
            flag_key,
            service: "shop",
            value: "true",
            answers: 2,
            differing: 1,
        }
    }

    #[test]
    fn equal_defaults_are_one_and_others_have_a_bound() {
        let mut defaults = Defaults::default();
        let env_id = |number| Uuid::from_u128(number).into();
        for number in 0..OF_ENVIRONMENT {
            assert!(defaults.add(env_id(1), one(&number.to_string())));
        }
        assert!(!defaults.add(env_id(1), one("beyond")));
        assert!(defaults.add(env_id(1), one("7")), "it is known");
        assert!(defaults.add(env_id(2), one("7")), "another environment");
        let taken = defaults.take();
        assert_eq!(taken.len(), OF_ENVIRONMENT + 1);
        let seven = taken
            .iter()
            .find(|one| one.env_id == env_id(1) && one.flag_key == "7")
            .unwrap();
        assert_eq!((seven.answers, seven.differing), (4, 2));
        assert!(defaults.take().is_empty());

        for number in 0..MAX_ENTRIES {
            let of = env_id((number % 20) as u128);
            assert!(defaults.add(of, one(&number.to_string())));
        }
        assert!(!defaults.add(env_id(30), one("beyond")));
    }
}
