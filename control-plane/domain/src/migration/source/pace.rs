//! How fast a source is asked.

use std::num::NonZeroU32;

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use tokio::time::sleep;

/// A token bucket for the requests of one import: 50 a second, and five at once after a pause.
pub(super) struct Pace {
    limiter: DefaultDirectRateLimiter,
    clock: DefaultClock,
}

impl Pace {
    pub(super) fn new() -> Self {
        let clock = DefaultClock::default();
        let [rate, burst] = [50, 5].map(|number| NonZeroU32::new(number).expect("not 0"));
        let quota = Quota::per_second(rate).allow_burst(burst);
        Self {
            limiter: RateLimiter::direct_with_clock(quota, clock.clone()),
            clock,
        }
    }

    /// Waits until the next request may be made.
    pub(super) async fn wait(&self) {
        while let Err(early) = self.limiter.check() {
            sleep(early.wait_time_from(self.clock.now())).await;
        }
    }
}
