//! GCRA: what a key has spent is one point in time, at which all of it is back.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::Decision;
use crate::clock::Clock;

pub(super) const MINUTE: Duration = Duration::from_secs(60);

/// What a clock showed once.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Since the clock was created.
    pub elapsed: Duration,
    /// Milliseconds since 1970.
    pub unix_ms: i64,
}

impl Now {
    pub(super) fn of(clock: &Clock) -> Self {
        Self {
            elapsed: clock.elapsed(),
            unix_ms: clock.unix_ms(),
        }
    }

    fn nanos(self) -> u64 {
        u64::try_from(self.elapsed.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// What one key has spent of its limit: when all of it is back, in nanoseconds by the clock that it is counted by.
#[derive(Debug, Default)]
pub struct Allowance(AtomicU64);

impl Allowance {
    pub(super) fn is_full(&self, now: Now) -> bool {
        self.full_at() <= now.nanos()
    }

    /// Later where more is spent.
    pub(super) fn full_at(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Clone for Allowance {
    fn clone(&self) -> Self {
        Self(self.full_at().into())
    }
}

/// A limit, for whoever keeps the allowances.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    most: NonZeroU32,
    /// The nanoseconds in which one comes back.
    each: u64,
}

impl Limit {
    /// Allows `most` requests per minute; `None` for 0, which is no limit.
    #[must_use]
    pub fn per_minute(most: u32) -> Option<Self> {
        Self::new(most, MINUTE)
    }

    pub(super) fn new(most: u32, period: Duration) -> Option<Self> {
        let most = NonZeroU32::new(most)?;
        let each = u64::try_from((period / most.get()).as_nanos()).unwrap_or(u64::MAX);
        Some(Self {
            most,
            each: each.max(1),
        })
    }

    /// Counts one request.
    pub fn check(self, allowance: &Allowance, now: Now) -> Decision {
        self.count(allowance, now, 1)
    }

    /// Counts a request that passed [`Self::check`] as `more` requests more: all of them, or none if that is too many.
    /// At most a whole allowance is counted, so that no request is refused for ever. `None` if there is nothing more to
    /// count.
    pub fn check_more(self, allowance: &Allowance, now: Now, more: u32) -> Option<Decision> {
        let more = NonZeroU32::new(more.min(self.most.get() - 1))?;
        let mut decision = self.count(allowance, now, more.get());
        // The request that returns is counted as one first.
        decision.retry_after = decision
            .retry_after
            .map(|wait| wait + Duration::from_nanos(self.each));
        Some(decision)
    }

    fn count(self, allowance: &Allowance, now: Now, requests: u32) -> Decision {
        let limit = self.most.get();
        let (time, cost) = (now.nanos(), self.each * u64::from(requests));
        let whole = self.each * u64::from(limit);
        let spend = |full_at: u64| {
            let next = full_at.max(time) + cost;
            (next - time <= whole).then_some(next)
        };
        let spent = allowance
            .0
            .try_update(Ordering::Relaxed, Ordering::Relaxed, spend);
        let (full_at, wait) = match spent {
            Ok(before) => (before.max(time) + cost, None),
            Err(full_at) => (full_at, Some(full_at + cost - time - whole)),
        };
        let spent = (full_at - time).div_ceil(self.each);
        let remaining = limit - u32::try_from(spent).unwrap_or(limit);
        let full_in_ms = 60_000 * i64::from(limit - remaining) / i64::from(limit);
        Decision {
            limit,
            remaining,
            reset: (now.unix_ms + full_in_ms).div_euclid(1_000),
            retry_after: wait.map(Duration::from_nanos),
        }
    }
}
