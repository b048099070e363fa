//! How long to wait before the next attempt to connect.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(200);
/// Short enough for edges to be back within seconds of their control plane.
const LONGEST: Duration = Duration::from_secs(5);
/// A link that lasted this long worked. One that ends sooner is no better than none: a control plane that accepts edges
/// and drops them at once would otherwise be asked several times a second, by each of them.
const WORKED: Duration = Duration::from_secs(10);
/// How often in a row the control plane may ask for a new link without any having worked meanwhile.
const WISHES: u32 = 3;

/// Exponential back-off with full jitter: any pause between zero and a bound that doubles with every failure, so that
/// edges which lost their control plane together do not all come back together.
#[derive(Debug)]
pub(super) struct Backoff {
    bound: Duration,
    wishes: u32,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            bound: FIRST,
            wishes: 0,
        }
    }
}

impl Backoff {
    /// Called when an attempt or a link has ended, with how long the link lasted.
    pub(super) fn ended(&mut self, lasted: Duration) {
        if lasted >= WORKED {
            *self = Self::default();
        }
    }

    /// The pause after a failure.
    pub(super) fn after_failure(&mut self) -> Duration {
        let pause = jittered(self.bound);
        self.bound = (self.bound * 2).min(LONGEST);
        pause
    }

    /// The pause after a refusal that says at once that another address is to be tried, or the same one soon.
    pub(super) fn after_refusal(&mut self) -> Duration {
        // A replica that refuses connections may see its database again any moment.
        self.bound = self.bound.min(Duration::from_secs(1));
        self.after_failure()
    }

    /// The pause after the control plane asked for a new link: short, unless it does so over and over.
    pub(super) fn after_wish(&mut self) -> Duration {
        self.wishes += 1;
        if self.wishes > WISHES {
            self.after_failure()
        } else {
            jittered(FIRST)
        }
    }
}

fn jittered(bound: Duration) -> Duration {
    bound.mul_f64(rand::random_range(0.0..=1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: Duration = Duration::from_millis(50);

    /// After many failures.
    fn grown() -> Backoff {
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            assert!(backoff.after_failure() <= LONGEST);
        }
        assert_eq!(backoff.bound, LONGEST);
        backoff
    }

    #[test]
    fn pauses_grow_until_a_link_has_worked() {
        let mut backoff = grown();
        backoff.ended(WORKED);
        assert!(backoff.after_failure() <= FIRST);
    }

    #[test]
    fn a_link_that_ends_at_once_counts_as_a_failure() {
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            backoff.ended(MOMENT);
            backoff.after_failure();
        }
        assert_eq!(backoff.bound, LONGEST);
    }

    #[test]
    fn a_wish_of_the_control_plane_is_followed_at_once_but_not_for_ever() {
        let mut backoff = grown();
        for _ in 0..WISHES {
            backoff.ended(MOMENT);
            assert!(backoff.after_wish() <= FIRST);
        }
        let mut backoff = Backoff::default();
        for _ in 0..20 {
            backoff.ended(MOMENT);
            backoff.after_wish();
        }
        assert_eq!(backoff.bound, LONGEST);
        backoff.ended(WORKED);
        assert!(backoff.after_wish() <= FIRST);
    }
}
