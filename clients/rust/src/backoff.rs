//! How long to wait before another attempt.

use std::time::Duration;

use rand::RngExt;

const LEAST: Duration = Duration::from_millis(500);
const MOST: Duration = Duration::from_secs(30);
/// The least and the most that a key which was refused waits: somebody has to do something about it.
const REFUSED: [Duration; 2] = [Duration::from_secs(150), Duration::from_secs(300)];

/// Waits that grow, each drawn at random so that clients do not come all at once.
#[derive(Debug)]
pub(crate) struct Backoff {
    up_to: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { up_to: 2 * LEAST }
    }
}

impl Backoff {
    /// The next wait: from half a second, up to twice as long as the one before, and half a minute at most.
    pub(crate) fn next(&mut self) -> Duration {
        let wait = between(LEAST, self.up_to);
        self.up_to = (2 * self.up_to).min(MOST);
        wait
    }

    /// The next wait where the server said how long it has to be, which it may up to five minutes.
    pub(crate) fn next_after(&mut self, told: Option<Duration>) -> Duration {
        let told = told.unwrap_or_default().min(REFUSED[1]);
        self.next()
            .max(told.mul_f64(rand::rng().random_range(1.0..1.2)))
    }

    /// An attempt succeeded.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}

/// How long a refused key waits.
pub(crate) fn refused() -> Duration {
    between(REFUSED[0], REFUSED[1])
}

/// At random.
pub(crate) fn between(least: Duration, most: Duration) -> Duration {
    rand::rng().random_range(least..=most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_from_half_a_second_to_half_a_minute() {
        for _ in 0..200 {
            let mut backoff = Backoff::default();
            let waits: Vec<_> = (0..12).map(|_| backoff.next()).collect();
            assert!(waits.iter().all(|wait| (LEAST..=MOST).contains(wait)));
            assert!(waits[0] <= Duration::from_secs(1));
            assert!(waits[2] <= Duration::from_secs(4));
            backoff.reset();
            assert!(backoff.next() <= Duration::from_secs(1));
        }
    }

    #[test]
    fn late_waits_are_spread_over_half_a_minute() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..1_000).map(|_| backoff.next()).skip(10).collect();
        assert!(waits.iter().any(|wait| *wait < Duration::from_secs(5)));
        assert!(waits.iter().any(|wait| *wait > Duration::from_secs(25)));
    }

    #[test]
    fn what_the_server_says_is_waited_up_to_a_bound() {
        let mut backoff = Backoff::default();
        let wait = backoff.next_after(Some(Duration::from_secs(40)));
        assert!((Duration::from_secs(40)..Duration::from_secs(49)).contains(&wait));
        let wait = backoff.next_after(Some(Duration::from_secs(1 << 40)));
        assert!(wait <= Duration::from_secs(360), "{wait:?}");
    }
}
