//! The control plane's time, by which API keys expire.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use serving::{clock::Clock, rate::Now};

/// Before the first greeting there is only the local clock.
const NEVER: i64 = i64::MIN;

/// The time that the control plane told last, plus what has elapsed since: an edge whose own clock is wrong, or is adjusted
/// later, still refuses an expired key at the right moment.
#[derive(Clone, Debug)]
pub(crate) struct EdgeClock {
    local: Clock,
    /// What the control plane's clock showed when the local clock was created.
    origin_ms: Arc<AtomicI64>,
}

impl EdgeClock {
    pub(crate) fn new(local: Clock) -> Self {
        Self {
            local,
            origin_ms: Arc::new(AtomicI64::new(NEVER)),
        }
    }

    /// What it shows.
    pub(crate) fn now(&self) -> Now {
        let elapsed = self.local.elapsed();
        let unix_ms = match self.origin_ms.load(Ordering::Relaxed) {
            NEVER => self.local.unix_ms(),
            origin => origin.saturating_add(millis(elapsed)),
        };
        Now { elapsed, unix_ms }
    }

    /// Unix milliseconds.
    pub(crate) fn now_ms(&self) -> i64 {
        self.now().unix_ms
    }

    /// The later one of that and the machine's time, Unix milliseconds: who tells a time cannot have something look newer.
    pub(crate) fn latest_ms(&self) -> i64 {
        self.now_ms().max(self.local.unix_ms())
    }

    /// Adopts the time that the control plane just sent.
    pub(crate) fn correct(&self, now_ms: i64) {
        let by_ms = now_ms.saturating_sub(self.now_ms());
        // Neither a line nor a machine explains so much.
        if by_ms.unsigned_abs() > 5_000 {
            tracing::warn!(
                by_ms,
                "the control plane tells another time than this edge went by; keys expire by it from now on"
            );
        }
        self.origin_ms
            .store(now_ms.saturating_sub(self.elapsed_ms()), Ordering::Relaxed);
    }

    /// The time since the edge started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.local.elapsed()
    }

    /// Milliseconds since the edge started. Monotonic: unaffected when the machine's time is adjusted.
    pub(crate) fn elapsed_ms(&self) -> i64 {
        millis(self.local.elapsed())
    }
}

pub(crate) fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn a_wrong_clock_is_corrected_and_goes_on() {
        let local = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let clock = EdgeClock::new(local.clone());
        assert_eq!(clock.now_ms(), 0);
        clock.correct(3_600_000);
        local.advance(Duration::from_millis(5));
        assert_eq!(clock.now_ms(), 3_600_005);
    }
}
