//! What SDKs count that evaluate in their own process: each report once.
//!
//! The last number of each instance of an SDK is remembered, by API key, since numbers rise and a report may be sent again. All of it is
//! bounded: of a key with many instances, and of all keys together of the one with the most, those leave that have been silent for
//! longest.

use std::{
    borrow::Cow,
    collections::HashMap,
    mem,
    time::{Duration, Instant},
};

use protocol::{
    reason::Reason,
    snapshot::KeyHash,
    wire::{
        sdk::{Count, Report, Shown},
        usage::{Impression, told},
    },
};

use super::{Given, Tally};
use crate::{Edge, current::Served};

/// Half of the instances that are remembered of a key.
const HALF: usize = 10_000;
/// Instances that are remembered altogether.
const ALL: usize = 200_000;
/// Instances that were silent for twice as long are forgotten.
const SILENCE: Duration = Duration::from_hours(1);
/// How long before a report something in it may have happened, in milliseconds.
const LONGEST_AGE_MS: u64 = 24 * 60 * 60 * 1_000;

type Numbers = HashMap<[u8; 16], u64>;

/// The numbers of the last reports.
#[derive(Debug)]
pub(super) struct Reports {
    keys: HashMap<KeyHash, Instances>,
    /// Instances of all keys.
    all: usize,
    /// The most of all keys.
    bound: usize,
    swept: Instant,
}

/// The instances of one key, in two generations: those that reported in the younger one have left the older one.
#[derive(Debug, Default)]
struct Instances {
    young: Numbers,
    old: Numbers,
}

impl Instances {
    fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// The older generation is forgotten.
    fn age(&mut self) {
        self.old = mem::take(&mut self.young);
    }

    /// Whether this is the newest report of an instance.
    fn is_new(&mut self, instance: [u8; 16], sequence: u64) -> bool {
        let last = self.young.get(&instance).copied();
        let last = last.or_else(|| self.old.remove(&instance));
        if self.young.len() >= HALF && !self.young.contains_key(&instance) {
            self.age();
        }
        self.young
            .insert(instance, last.map_or(sequence, |last| last.max(sequence)));
        last.is_none_or(|last| sequence > last)
    }
}

impl Default for Reports {
    fn default() -> Self {
        Self {
            keys: HashMap::new(),
            all: 0,
            bound: ALL,
            swept: Instant::now(),
        }
    }
}

impl Reports {
    /// Whether a report is to be counted: it is the newest of an instance, which is remembered.
    pub(super) fn is_new(&mut self, key: KeyHash, instance: [u8; 16], sequence: u64) -> bool {
        if self.swept.elapsed() > SILENCE {
            self.sweep();
        }
        let instances = self.keys.entry(key).or_default();
        let before = instances.len();
        let is_new = instances.is_new(instance, sequence);
        self.all = self.all - before + instances.len();
        while self.all > self.bound
            && let Some(greatest) = self.keys.values_mut().max_by_key(|key| key.len())
        {
            let before = greatest.len();
            greatest.age();
            self.all = self.all - before + greatest.len();
        }
        is_new
    }

    fn sweep(&mut self) {
        self.swept = Instant::now();
        self.keys.values_mut().for_each(Instances::age);
        self.keys.retain(|_, key| key.len() > 0);
        self.all = self.keys.values().map(Instances::len).sum();
    }
}

impl Edge {
    /// Counts a report that came with this key, unless it was counted before.
    pub(crate) fn count_report(&self, key: KeyHash, environment: &Served, report: Report) {
        let usage = &self.parts().usage;
        if !usage
            .reports
            .lock()
            .is_new(key, report.instance, report.sequence)
        {
            return;
        }
        let head = environment.head();
        let mut tally = Tally::default();
        for count in &report.counts {
            if environment.flag(&count.flag_key).is_some() {
                tally.add(head.env_id, &count.flag_key, &given(count), count.count);
            } else {
                let ledger = &usage.ledger;
                ledger.count_unknown(head.env_id, &count.flag_key, count.count);
            }
        }
        usage.ledger.absorb_reported(&tally);
        let now_ms = self.parts().clock.now_ms();
        for shown in report.impressions {
            let impression = impression(environment, shown, now_ms);
            usage.track(head.org_id, impression);
        }
    }
}

/// What an SDK says that it answered, in the form in which it is reported.
fn given(count: &Count) -> Given {
    if count.reason == Reason::NotFound {
        return Given::not_found();
    }
    let value: Cow<'_, str> = told(&count.value);
    Given {
        reason: count.reason,
        value: value.into(),
        variant_key: count.variant_key.as_str().into(),
    }
}

fn impression(environment: &Served, shown: Shown, now_ms: i64) -> Impression {
    let age_ms = i64::try_from(shown.age_ms.min(LONGEST_AGE_MS)).unwrap_or_default();
    Impression {
        env_id: environment.head().env_id,
        flag_key: shown.flag_key,
        variant_key: shown.variant_key,
        user_key: shown.user_key,
        at_ms: now_ms - age_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(number: usize) -> [u8; 16] {
        (number as u128).to_be_bytes()
    }

    #[test]
    fn a_report_is_new_once_for_each_key_and_instance() {
        let mut reports = Reports::default();
        assert!(reports.is_new([1; 32], instance(1), 1));
        assert!(!reports.is_new([1; 32], instance(1), 1));
        assert!(reports.is_new([1; 32], instance(1), 5));
        assert!(!reports.is_new([1; 32], instance(1), 4), "a late one");
        assert!(!reports.is_new([1; 32], instance(1), 5));
        assert!(reports.is_new([1; 32], instance(2), 1));
        assert!(reports.is_new([2; 32], instance(1), 1));
    }

    #[test]
    fn instances_that_report_stay_when_there_are_too_many() {
        let mut reports = Reports::default();
        assert!(reports.is_new([1; 32], instance(0), 1));
        for number in 1..5 * HALF {
            assert!(reports.is_new([1; 32], instance(number), 1));
            if number % 100 == 0 {
                assert!(!reports.is_new([1; 32], instance(0), 1), "{number}");
            }
        }
        assert!(reports.keys[&[1; 32]].len() <= 2 * HALF);
        assert!(!reports.is_new([1; 32], instance(5 * HALF - 1), 1));
        assert!(reports.is_new([1; 32], instance(1), 1), "long forgotten");
    }

    #[test]
    fn a_key_with_many_instances_takes_no_room_from_another() {
        let mut reports = Reports {
            bound: 1_000,
            ..Reports::default()
        };
        for number in 0..100 {
            reports.is_new([1; 32], instance(number), 1);
        }
        for number in 0..5_000 {
            reports.is_new([2; 32], instance(number), 1);
        }
        let all: usize = reports.keys.values().map(Instances::len).sum();
        assert!(all <= 1_000, "{all}");
        assert_eq!(reports.all, all);
        assert!((0..100).all(|number| !reports.is_new([1; 32], instance(number), 1)));
    }

    #[test]
    fn silent_instances_are_forgotten_in_the_end() {
        let mut reports = Reports::default();
        reports.is_new([1; 32], instance(1), 1);
        reports.is_new([2; 32], instance(1), 1);
        reports.sweep();
        assert!(!reports.is_new([1; 32], instance(1), 1), "it is back");
        reports.sweep();
        assert_eq!(reports.keys.len(), 1);
        reports.sweep();
        assert_eq!(reports.keys.len(), 0);
    }
}
