//! How long to wait before the next attempt to connect.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
/// Short enough for edges to be back within seconds of their control plane.
const LONGEST: Duration = Duration::from_secs(5);
/// A replica that refuses connections may see its database again any moment.
const SOON: Duration = Duration::from_secs(1);

/// Exponential back-off with full jitter: any pause between zero and a bound that doubles with every failure, so that
/// edges which lost their control plane together do not all come back together.
#[derive(Debug)]
pub(super) struct Backoff {
    bound: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { bound: FIRST }
    }
}

impl Backoff {
    /// The pause after a failure.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.bound.mul_f64(rand::random_range(0.0..=1.0));
        self.bound = (self.bound * 2).min(LONGEST);
        pause
    }

    /// The pause after a refusal that says at once that another address is to be tried, or the same one soon.
    pub(super) fn soon(&mut self) -> Duration {
        self.bound = self.bound.min(SOON);
        self.next()
    }

    /// Called after a connection that worked.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_their_bound_and_start_over() {
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            assert!(backoff.next() <= LONGEST);
        }
        assert_eq!(backoff.bound, LONGEST);
        backoff.reset();
        assert!(backoff.next() <= FIRST);
    }
}
