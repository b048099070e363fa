//! The time of the control plane, which is the one that API keys expire by.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serving::clock::Clock;

/// An injected clock, corrected by what the control plane told at the last greeting: an edge whose own clock is wrong
/// refuses an expired key at the right moment all the same.
#[derive(Clone, Debug)]
pub(crate) struct EdgeClock {
    local: Clock,
    offset_ms: Arc<AtomicI64>,
}

impl EdgeClock {
    pub(crate) fn new(local: Clock) -> Self {
        Self {
            local,
            offset_ms: Arc::default(),
        }
    }

    /// Unix milliseconds.
    pub(crate) fn now_ms(&self) -> i64 {
        self.local
            .unix_ms()
            .saturating_add(self.offset_ms.load(Ordering::Relaxed))
    }

    /// Takes over the time that the control plane just told.
    pub(crate) fn correct(&self, now_ms: i64) {
        self.offset_ms.store(
            now_ms.saturating_sub(self.local.unix_ms()),
            Ordering::Relaxed,
        );
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn a_wrong_clock_is_corrected_and_goes_on() {
        let local = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let clock = EdgeClock::new(local.clone());
        clock.correct(3_600_000);
        local.advance(Duration::from_millis(5));
        assert_eq!(clock.now_ms(), 3_600_005);
    }
}
