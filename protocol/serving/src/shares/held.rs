//! How many places somebody holds, and for how long it has held places lately.
//!
//! Who needs a place for a millisecond a hundred times is not to wait as long as who needs it for a tenth of a second as often. So
//! time is what is shared. What was held fades, as a scheduler of processes has it: whoever waits catches up with those who come
//! new, however many they are.

use std::time::Duration;

/// Differences up to this say nothing: turns decide.
const STEP: Duration = Duration::from_millis(10);

/// After this time a third is left of what was held. No place counts for more, so that a statement that took a minute is not paid
/// for with a minute without any.
const FADE: Duration = Duration::from_secs(1);

/// What somebody has held. Times are those since the shares were made.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// Places now.
    taken: usize,
    /// Seconds, with places that were given back, as of `at`.
    seconds: f64,
    at: Duration,
    /// The sum of when the present places were taken.
    since: Duration,
}

impl Held {
    /// Another place is taken now.
    pub(super) fn take(&mut self, now: Duration) {
        self.taken += 1;
        self.since += now;
    }

    /// A place that was taken `since` then is given back now.
    pub(super) fn give_back(&mut self, since: Duration, now: Duration) {
        self.taken -= 1;
        self.seconds = self.left(now) + now.saturating_sub(since).min(FADE).as_secs_f64();
        self.at = now;
        self.since = self.since.saturating_sub(since);
    }

    /// How many places it has now.
    pub(super) const fn taken(&self) -> usize {
        self.taken
    }

    /// The order of turns: how much it has held, its present places included.
    pub(super) fn rank(&self, now: Duration) -> u128 {
        let taken = u32::try_from(self.taken).unwrap_or(u32::MAX);
        let present = now.saturating_mul(taken).saturating_sub(self.since);
        (Duration::from_secs_f64(self.left(now)) + present).as_nanos() / STEP.as_nanos()
    }

    /// Whether it is like somebody who comes new.
    pub(super) fn is_faded(&self, now: Duration) -> bool {
        self.taken == 0 && self.left(now) < STEP.as_secs_f64()
    }

    fn left(&self, now: Duration) -> f64 {
        let ago = now.saturating_sub(self.at).as_secs_f64();
        self.seconds * (-ago / FADE.as_secs_f64()).exp()
    }
}
