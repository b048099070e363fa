//! How fast a source is asked.

use std::num::NonZeroU32;

use governor::{
    DefaultDirectRateLimiter, Quota, RateLimiter,
    clock::{Clock as _, DefaultClock},
};
use tokio::time::sleep;

/// Requests a second.
const RATE: NonZeroU32 = NonZeroU32::new(50).expect("not 0");
/// Requests at once after a pause.
const BURST: NonZeroU32 = NonZeroU32::new(5).expect("not 0");

/// A token bucket for the requests of one import.
pub(super) struct Pace {
    limiter: DefaultDirectRateLimiter,
    clock: DefaultClock,
}

impl Pace {
    pub(super) fn new() -> Self {
        let clock = DefaultClock::default();
        let quota = Quota::per_second(RATE).allow_burst(BURST);
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
