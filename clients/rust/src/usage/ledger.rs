//! What was counted and is in no report yet, apart from the counters of environments.

use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use parking_lot::Mutex;
use protocol::{
    eval::Evaluation,
    wire::{
        sdk::{REPORT_LIMIT, Report, Shown},
        usage::{MAX_ENTRIES, MAX_TEXT},
    },
};

use super::tally::Tally;

/// What exceeds the bounds is counted under this key, which no flag can have.
const OTHER: &str = "__other__";
/// Keys that no flag has, between two reports: applications make them up.
const UNKNOWN: usize = 1_000;
/// The most bytes of a key that a flag can have.
const LONGEST_KEY: usize = 255;
/// Impressions that wait.
const IMPRESSIONS: usize = MAX_ENTRIES;
/// Bytes of a report that are filled: what is left is for its own fields.
const FILLED: usize = REPORT_LIMIT - 1_024;

/// What waits for a report.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    tally: Mutex<Tally>,
    unknown: Mutex<HashMap<Box<str>, u64>>,
    /// Answers for keys that no flag has, without the keys.
    other: AtomicU64,
    impressions: Mutex<VecDeque<Impression>>,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Impression {
    flag_key: String,
    variant_key: String,
    user_key: String,
    at: Instant,
}

impl Ledger {
    /// Adds counts.
    pub(crate) fn absorb(&self, add: impl FnOnce(&mut Tally)) {
        add(&mut self.tally.lock());
    }

    /// Counts an answer for a key that no flag has. It never waits: if another thread is at it, or there is no room, the key is
    /// not told.
    pub(crate) fn count_unknown(&self, flag_key: &str) {
        let can_be_a_flag = (1..=LONGEST_KEY).contains(&flag_key.len());
        if let Some(mut unknown) = can_be_a_flag.then(|| self.unknown.try_lock()).flatten() {
            if let Some(count) = unknown.get_mut(flag_key) {
                *count += 1;
                return;
            }
            if unknown.len() < UNKNOWN {
                unknown.insert(flag_key.into(), 1);
                return;
            }
        }
        self.other.fetch_add(1, Ordering::Relaxed);
    }

    /// Keeps an impression; the oldest gives way if there is no room.
    pub(crate) fn track(&self, flag_key: &str, variant_key: &str, user_key: &str) {
        let is_short = [flag_key, variant_key, user_key]
            .iter()
            .all(|key| key.len() <= MAX_TEXT);
        let dropped = is_short.then(|| {
            let impression = Impression {
                flag_key: flag_key.to_owned(),
                variant_key: variant_key.to_owned(),
                user_key: user_key.to_owned(),
                at: Instant::now(),
            };
            let mut impressions = self.impressions.lock();
            let oldest = (impressions.len() >= IMPRESSIONS).then(|| impressions.pop_front());
            impressions.push_back(impression);
            oldest
        });
        if !matches!(dropped, Some(None)) {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many impressions were dropped.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Takes what fits a report; `None` if nothing waits.
    pub(super) fn report(&self, instance: [u8; 16], sequence: u64) -> Option<Report> {
        let mut tally = self.tally.lock();
        let not_found = Evaluation::NOT_FOUND.served();
        for (flag_key, count) in mem::take(&mut *self.unknown.lock()) {
            tally.add(&flag_key, &not_found, count);
        }
        let other = self.other.swap(0, Ordering::Relaxed);
        if other > 0 {
            tally.add(OTHER, &not_found, other);
        }
        // Half of it each, so that neither waits for the other.
        let counts = tally.take(MAX_ENTRIES, FILLED / 2);
        drop(tally);
        let impressions = self.take_impressions(FILLED / 2);
        (!counts.is_empty() || !impressions.is_empty()).then_some(Report {
            instance,
            sequence,
            counts,
            impressions,
        })
    }

    fn take_impressions(&self, mut bytes: usize) -> Vec<Shown> {
        /// Three lengths and an age.
        const REST: usize = 40;
        let mut impressions = self.impressions.lock();
        let fitting = impressions.iter().take_while(|shown| {
            let keys = [&shown.flag_key, &shown.variant_key, &shown.user_key];
            let length = REST + keys.iter().map(|key| key.len()).sum::<usize>();
            let left = bytes.checked_sub(length);
            bytes = left.unwrap_or(bytes);
            left.is_some()
        });
        let fitting = fitting.count();
        let taken = impressions.drain(..fitting);
        let shown = taken.map(|shown| Shown {
            age_ms: u64::try_from(shown.at.elapsed().as_millis()).unwrap_or(u64::MAX),
            flag_key: shown.flag_key,
            variant_key: shown.variant_key,
            user_key: shown.user_key,
        });
        shown.collect()
    }
}

#[cfg(test)]
mod tests {
    use protocol::wire::frame;

    use super::*;

    fn all(ledger: &Ledger) -> Vec<Report> {
        let reports = (1..).map_while(|number| ledger.report([7; 16], number));
        reports.collect()
    }

    #[test]
    fn nothing_makes_no_report() {
        assert_eq!(Ledger::default().report([0; 16], 1), None);
    }

    #[test]
    fn keys_that_no_flag_has_are_bounded_and_all_counted() {
        let ledger = Ledger::default();
        for number in 0..UNKNOWN + 30 {
            ledger.count_unknown(&format!("made-up-{number}"));
        }
        ledger.count_unknown("made-up-3");
        ledger.count_unknown("");
        ledger.count_unknown(&"x".repeat(LONGEST_KEY + 1));
        let reports = all(&ledger);
        assert_eq!(reports.len(), 1);
        let counts = &reports[0].counts;
        assert_eq!(counts.len(), UNKNOWN + 1);
        let of = |key: &str| counts.iter().find(|count| count.flag_key == key).unwrap();
        assert_eq!((of(OTHER).count, of("made-up-3").count), (32, 2));
    }

    #[test]
    fn the_oldest_impression_gives_way_and_is_told_of() {
        let ledger = Ledger::default();
        for number in 0..IMPRESSIONS + 5 {
            ledger.track("flag", "on", &number.to_string());
        }
        ledger.track("flag", "on", &"x".repeat(MAX_TEXT + 1));
        assert_eq!(ledger.dropped(), 6);
        let shown: Vec<_> = all(&ledger)
            .into_iter()
            .flat_map(|report| report.impressions)
            .collect();
        assert_eq!(shown.len(), IMPRESSIONS);
        assert_eq!(shown[0].user_key, "5");
    }

    #[test]
    fn every_report_is_within_what_an_edge_takes() {
        let ledger = Ledger::default();
        for number in 0..IMPRESSIONS {
            let user = format!("{number}{}", "u".repeat(MAX_TEXT - 10));
            ledger.track("flag", "on", &user);
        }
        for number in 0..900 {
            ledger.count_unknown(&format!("{number}{}", "k".repeat(250)));
        }
        let reports = all(&ledger);
        assert!(reports.len() > 1);
        for report in &reports {
            assert_eq!(report.check(), Ok(()));
            let bytes = protocol::wire::codec::encode(report).len();
            assert!(bytes <= REPORT_LIMIT, "{bytes} bytes");
            assert!(frame::encode(report).unwrap().len() <= REPORT_LIMIT);
        }
        let shown: usize = reports.iter().map(|report| report.impressions.len()).sum();
        let counted: u64 = reports
            .iter()
            .flat_map(|report| &report.counts)
            .map(|count| count.count)
            .sum();
        assert_eq!((shown, counted), (IMPRESSIONS, 900));
    }
}
