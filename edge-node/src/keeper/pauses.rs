//! How long to wait before a disk that failed is tried again.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
/// A disk that works again is used within this time.
const LONGEST: Duration = Duration::from_secs(20);

/// Pauses that double with every failure, up to a bound. Each is shortened by up to half at random, so that edges which
/// share a disk do not all try at once.
#[derive(Debug)]
pub(super) struct Pauses {
    bound: Duration,
}

impl Default for Pauses {
    fn default() -> Self {
        Self { bound: FIRST }
    }
}

impl Pauses {
    /// The pause after a failure.
    pub(super) fn next(&mut self) -> Duration {
        let pause = self.bound.mul_f64(rand::random_range(0.5..=1.0));
        self.bound = (self.bound * 2).min(LONGEST);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_their_bound() {
        let mut pauses = Pauses::default();
        assert!(pauses.next() <= FIRST);
        for _ in 0..20 {
            let pause = pauses.next();
            assert!(pause >= FIRST && pause <= LONGEST);
        }
        assert_eq!(pauses.bound, LONGEST);
    }
}
