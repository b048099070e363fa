//! The clock that is injected into every rule about time, so that a test can move it.
//!
//! This is the only file of the crate that asks the operating system for the time. A manual clock has the same
//! interface and stands still until a test moves it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use time::OffsetDateTime;
use tokio::sync::watch;

/// Where the time comes from. Clones share one timeline.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System {
        started: Instant,
    },
    Manual {
        /// What it showed at the start, and all adjustments since.
        started: Arc<AtomicI64>,
        now: watch::Sender<i64>,
        /// How far the machine's own time is off.
        machine_off: Arc<AtomicI64>,
    },
}

impl Clock {
    /// The machine's time.
    pub fn system() -> Self {
        Self(Source::System {
            started: Instant::now(),
        })
    }

    /// A clock that shows `start` until it is advanced or set.
    pub fn manual(start: OffsetDateTime) -> Self {
        let start = unix_micros(start);
        Self(Source::Manual {
            started: Arc::new(AtomicI64::new(start)),
            now: watch::Sender::new(start),
            machine_off: Arc::default(),
        })
    }

    /// The time in UTC, truncated to microseconds, so that what Postgres stores is what was computed with.
    pub fn now(&self) -> OffsetDateTime {
        from_unix_micros(self.unix_micros())
    }

    /// What the clock showed that long ago, truncated as [`Clock::now`] is.
    pub fn ago(&self, time: Duration) -> OffsetDateTime {
        from_unix_micros(self.unix_micros().saturating_sub(micros(time)))
    }

    /// Waits until the clock shows `time` or later. An adjustment of the machine's time is noticed only at the end of
    /// the wait, so long waits should be split up. Cancellation safe.
    pub async fn sleep_until(&self, time: OffsetDateTime) {
        match &self.0 {
            Source::System { .. } => loop {
                let left = time - self.now();
                match left.try_into() {
                    Ok(left) if left > Duration::ZERO => tokio::time::sleep(left).await,
                    _ => return,
                }
            },
            Source::Manual { now, .. } => {
                let time = unix_micros(time);
                // The sender is this clock.
                drop(now.subscribe().wait_for(|now| *now >= time).await);
            }
        }
    }

    /// [`Clock::now`] in microseconds since 1970.
    pub(crate) fn unix_micros(&self) -> i64 {
        match &self.0 {
            Source::System { .. } => machine_micros(),
            Source::Manual { now, .. } => *now.borrow(),
        }
    }

    /// [`Clock::now`] in milliseconds since 1970.
    pub fn unix_ms(&self) -> i64 {
        self.unix_micros().div_euclid(1_000)
    }

    /// The time of the machine, to be compared with that of another one. It does not move with a manual clock.
    pub fn of_machine(&self) -> OffsetDateTime {
        let off = match &self.0 {
            Source::System { .. } => 0,
            Source::Manual { machine_off, .. } => machine_off.load(Ordering::Relaxed),
        };
        from_unix_micros(machine_micros().saturating_add(off))
    }

    /// Has the machine of a manual clock be wrong by so much.
    ///
    /// # Panics
    ///
    /// On the system clock, which cannot be set.
    pub fn set_machine_off(&self, by: time::Duration) {
        let Source::Manual { machine_off, .. } = &self.0 else {
            panic!("the system clock cannot be set")
        };
        machine_off.store(signed_micros(by), Ordering::Relaxed);
    }

    /// Time elapsed since the clock was created. Monotonic, even if the machine's time is adjusted; rates and waits are
    /// measured with it.
    pub fn elapsed(&self) -> Duration {
        match &self.0 {
            Source::System { started } => started.elapsed(),
            Source::Manual { started, now, .. } => {
                let micros = now.borrow().saturating_sub(started.load(Ordering::Relaxed));
                Duration::from_micros(u64::try_from(micros).unwrap_or(0))
            }
        }
    }

    /// Moves a manual clock forward.
    ///
    /// # Panics
    ///
    /// On the system clock, which cannot be moved.
    pub fn advance(&self, by: Duration) {
        let micros =
            i64::try_from(by.as_micros()).expect("a clock is moved by less than 292,000 years");
        self.manual_time().send_modify(|now| *now += micros);
    }

    /// Sets a manual clock.
    ///
    /// # Panics
    ///
    /// On the system clock, which cannot be set.
    pub fn set(&self, to: OffsetDateTime) {
        self.manual_time().send_replace(unix_micros(to));
    }

    /// Adjusts the time of a manual clock, as an operator does that of a machine: what has elapsed stays.
    ///
    /// # Panics
    ///
    /// On the system clock, which cannot be moved.
    pub fn adjust(&self, by: time::Duration) {
        let micros = signed_micros(by);
        let (started, now) = self.manual_parts();
        started.fetch_add(micros, Ordering::Relaxed);
        now.send_modify(|now| *now += micros);
    }

    fn manual_time(&self) -> &watch::Sender<i64> {
        self.manual_parts().1
    }

    fn manual_parts(&self) -> (&AtomicI64, &watch::Sender<i64>) {
        match &self.0 {
            Source::Manual { started, now, .. } => (started, now),
            Source::System { .. } => panic!("the system clock cannot be moved"),
        }
    }
}

fn machine_micros() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "this is the injected clock")]
    let now = SystemTime::now();
    match now.duration_since(UNIX_EPOCH) {
        Ok(since) => micros(since),
        Err(before) => -micros(before.duration()),
    }
}

fn signed_micros(by: time::Duration) -> i64 {
    i64::try_from(by.whole_microseconds()).expect("a clock is off by less than 292,000 years")
}

fn micros(time: Duration) -> i64 {
    let whole = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    let rest = i64::from(time.subsec_micros());
    whole.saturating_mul(1_000_000).saturating_add(rest)
}

fn unix_micros(time: OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000))
        .expect("every date of the calendar fits 64 bits of microseconds")
}

fn from_unix_micros(micros: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000)
        .expect("a clock stays within the calendar")
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_manual_clock_stands_still_until_it_is_moved() {
        let clock = Clock::manual(datetime!(2026-01-02 03:04:05.123456789 UTC));
        let copy = clock.clone();
        assert_eq!(clock.now(), datetime!(2026-01-02 03:04:05.123456 UTC));

        copy.advance(Duration::from_millis(1_500));
        assert_eq!(clock.now(), datetime!(2026-01-02 03:04:06.623456 UTC));
        assert_eq!(clock.unix_ms(), 1_767_323_046_623);
        assert_eq!(clock.elapsed(), Duration::from_millis(1_500));

        copy.adjust(time::Duration::hours(-1));
        assert_eq!(clock.now(), datetime!(2026-01-02 02:04:06.623456 UTC));
        assert_eq!(clock.elapsed(), Duration::from_millis(1_500));

        clock.set(datetime!(2025-01-01 00:00 UTC));
        assert_eq!(copy.now(), datetime!(2025-01-01 00:00 UTC));
        assert_eq!(copy.elapsed(), Duration::ZERO);
    }

    #[tokio::test]
    async fn waits_follow_a_manual_clock() {
        let start = datetime!(2026-01-02 03:04 UTC);
        let clock = Clock::manual(start);
        clock.sleep_until(start).await;

        let copy = clock.clone();
        let due = start + Duration::from_secs(3_600);
        let waiting = tokio::spawn(async move { copy.sleep_until(due).await });
        clock.advance(Duration::from_secs(3_599));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        clock.advance(Duration::from_secs(1));
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn a_wait_on_the_system_clock_ends_no_earlier_than_requested() {
        let clock = Clock::system();
        let due = clock.now() + Duration::from_millis(20);
        clock.sleep_until(due).await;
        assert!(clock.now() >= due);
        clock.sleep_until(due).await;
    }

    #[test]
    fn the_system_clock_shows_whole_microseconds() {
        let clock = Clock::system();
        assert_eq!(clock.now().nanosecond() % 1_000, 0);
        assert!(clock.unix_ms() > 1_700_000_000_000);
    }
}
