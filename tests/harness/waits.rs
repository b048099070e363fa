//! How long somebody waited for answers, on a schedule that does not wait for them.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What had been due for less than this at the end may still be on its way.
const LAST_MOMENT: Duration = Duration::from_millis(250);

/// How long answers took.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    times: Vec<Duration>,
    refused: usize,
}

impl Waits {
    /// Notes an answer.
    pub fn note(&mut self, time: Duration, is_good: bool) {
        self.times.push(time);
        self.refused += usize::from(!is_good);
    }

    /// How many answers were not the good one, or never came.
    #[must_use]
    pub const fn refused(&self) -> usize {
        self.refused
    }

    /// p50, p99 and the longest, in milliseconds. Percentiles are waits that there were: the nearest rank.
    #[must_use]
    pub fn column(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |percent: usize| {
            let rank = (times.len() * percent).div_ceil(100);
            let time = rank.checked_sub(1).and_then(|index| times.get(index));
            time.copied().unwrap_or_default().as_secs_f64() * 1_000.0
        };
        format!("{:.0}/{:.0}/{:.0}", at(50), at(99), at(100))
    }
}

/// A question that was due at a moment, and waits for its answer from then on.
#[derive(Debug)]
pub struct Wait<'a> {
    due: Instant,
    waits: &'a Mutex<Waits>,
    is_over: bool,
}

impl<'a> Wait<'a> {
    /// The question is noted among these when it has an answer, or when nobody waits for one any more.
    #[must_use]
    pub const fn since(due: Instant, waits: &'a Mutex<Waits>) -> Self {
        Self {
            due,
            waits,
            is_over: false,
        }
    }

    /// The question has its answer.
    pub fn answered(mut self, is_good: bool) {
        self.note(self.due.elapsed(), is_good);
    }

    /// Nobody waits any more: what was due by then never had an answer.
    fn end(&mut self, end: Instant) {
        let waited = end.saturating_duration_since(self.due);
        if !self.is_over && waited >= LAST_MOMENT {
            self.note(waited, false);
        }
    }

    fn note(&mut self, time: Duration, is_good: bool) {
        let mut waits = self.waits.lock().expect("nobody panics with it");
        waits.note(time, is_good);
        drop(waits);
        self.is_over = true;
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.end(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn one_stall_of_19_seconds_in_20_shows() {
        let (waits, begun) = (Mutex::default(), Instant::now());
        let end = begun + 20_000 * MILLISECOND;
        for number in 0..1_000 {
            let mut wait = Wait::since(begun + 20 * number * MILLISECOND, &waits);
            // A second of quick answers, then nothing until the end.
            if number < 50 {
                wait.note(5 * MILLISECOND, true);
            }
            wait.end(end);
        }
        let waits = waits.into_inner().unwrap();
        assert_eq!(waits.refused(), 938);
        assert_eq!(waits.column(), "9120/18820/19000");
    }

    #[test]
    fn a_percentile_is_a_wait_that_there_was() {
        let mut waits = Waits::default();
        assert_eq!(waits.column(), "0/0/0");
        for milliseconds in 1..=100 {
            waits.note(milliseconds * MILLISECOND, true);
        }
        assert_eq!(waits.column(), "50/99/100");
        let mut waits = Waits::default();
        for _ in 0..19 {
            waits.note(MILLISECOND, true);
        }
        waits.note(19_000 * MILLISECOND, false);
        assert_eq!(waits.column(), "1/19000/19000");
        assert_eq!(waits.refused(), 1);
    }
}
