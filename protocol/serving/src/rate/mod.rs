//! Rate limits, one allowance per key.
//!
//! The algorithm is GCRA (`limit`): a fresh key may spend a whole minute's allowance at once, and what was spent comes back
//! evenly. Every process counts for itself. Keys whose allowance is full again are forgotten once a minute, so memory
//! follows the number of clients in the last minute or two, up to a bound: a client may have any number of addresses.
//! Whoever has something for each key anyhow keeps its [`Allowance`] there.

mod limit;

use std::{collections::HashMap, hash::Hash, time::Duration};

use axum::{
    http::{HeaderMap, HeaderName, HeaderValue},
    response::{IntoResponse, Response},
};
use parking_lot::Mutex;

use self::limit::MINUTE;
pub use self::limit::{Allowance, Limit, Now};
use crate::{clock::Clock, error::ApiError, header_numbers::numbers};

/// `X-RateLimit-Limit`: requests per minute.
pub const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
/// `X-RateLimit-Remaining`: how many of them are left now.
pub(crate) const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
/// `X-RateLimit-Reset`: when the whole allowance is back, in Unix seconds.
pub const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// Keys of one limit in memory: some ten megabytes.
const MOST: usize = 200_000;

/// Limited keys, and what each has spent.
#[derive(Debug)]
struct Limited<K> {
    limit: Limit,
    spent: Mutex<Spent<K>>,
}

#[derive(Debug)]
struct Spent<K> {
    keys: HashMap<K, Allowance>,
    swept_at: Duration,
}

impl<K: Hash + Eq + Clone> Limited<K> {
    fn new(limit: Limit) -> Self {
        let spent = Spent {
            keys: HashMap::new(),
            swept_at: Duration::ZERO,
        };
        Self {
            limit,
            spent: Mutex::new(spent),
        }
    }

    /// The first caller in a new minute forgets the keys whose allowance is full again.
    fn with<T>(&self, key: &K, now: Now, count: impl FnOnce(Limit, &Allowance) -> T) -> T {
        let mut spent = self.spent.lock();
        if now.elapsed.saturating_sub(spent.swept_at) >= MINUTE {
            spent.swept_at = now.elapsed;
            spent.keys.retain(|_, allowance| !allowance.is_full(now));
            spent.keys.shrink_to_fit();
        }
        match spent.keys.get(key) {
            Some(allowance) => count(self.limit, allowance),
            None => {
                spent.make_room();
                count(self.limit, spent.keys.entry(key.clone()).or_default())
            }
        }
    }
}

impl<K: Hash + Eq> Spent<K> {
    /// Forgets at least half of the keys if there are too many: those that have spent least.
    fn make_room(&mut self) {
        if self.keys.len() < MOST {
            return;
        }
        let mut spent: Vec<u64> = self.keys.values().map(Allowance::full_at).collect();
        let (_, median, _) = spent.select_nth_unstable(MOST / 2);
        let median = *median;
        self.keys
            .retain(|_, allowance| allowance.full_at() > median);
    }
}

/// A rate limit per minute for each key of type `K`.
#[derive(Debug)]
pub struct PerMinute<K> {
    clock: Clock,
    limited: Option<Limited<K>>,
}

/// A limit per second for each key, without a report of how much is left.
#[derive(Debug)]
pub struct PerSecond<K> {
    clock: Clock,
    limited: Option<Limited<K>>,
}

impl<K: Hash + Eq + Clone> PerSecond<K> {
    /// Allows `limit` a second for each key; 0 switches the limit off.
    pub fn new(limit: u32, clock: Clock) -> Self {
        let limited = Limit::new(limit, Duration::from_secs(1)).map(Limited::new);
        Self { clock, limited }
    }

    /// Counts one of `key`, if it is within the limit.
    pub fn allows(&self, key: &K) -> bool {
        let now = Now::of(&self.clock);
        self.limited.as_ref().is_none_or(|limited| {
            let decision = limited.with(key, now, |limit, allowance| limit.check(allowance, now));
            decision.retry_after.is_none()
        })
    }
}

impl<K: Hash + Eq + Clone> PerMinute<K> {
    /// Allows `limit` requests per minute for each key; 0 switches the limit off.
    pub fn new(limit: u32, clock: Clock) -> Self {
        let limited = Limit::per_minute(limit).map(Limited::new);
        Self { clock, limited }
    }

    /// Counts one request of `key`. `None` if the limit is off: such answers carry no rate headers.
    pub fn check(&self, key: &K) -> Option<Decision> {
        let now = Now::of(&self.clock);
        let limited = self.limited.as_ref()?;
        Some(limited.with(key, now, |limit, allowance| limit.check(allowance, now)))
    }

    /// Counts a request that passed [`Self::check`] as so many more, as [`Limit::check_more`] does.
    pub fn check_more(&self, key: &K, more: u32) -> Option<Decision> {
        let now = Now::of(&self.clock);
        let limited = self.limited.as_ref()?;
        limited.with(key, now, |limit, allowance| {
            limit.check_more(allowance, now, more)
        })
    }

    /// Counts what was done for `key` already as so many requests more: all of them, or as many as are left.
    pub fn count(&self, key: &K, more: u32) {
        if let Some(refused) = self
            .check_more(key, more)
            .filter(|it| it.retry_after.is_some())
        {
            self.check_more(key, refused.remaining);
        }
    }
}

/// The decision about one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Requests per minute.
    pub limit: u32,
    /// Requests that would pass right now.
    pub remaining: u32,
    /// When the whole allowance is back, in Unix seconds.
    pub reset: i64,
    /// How long to wait; present only if the request is refused.
    pub retry_after: Option<Duration>,
}

impl Decision {
    /// Writes the three rate headers.
    pub fn write(&self, headers: &mut HeaderMap) {
        let values = numbers(self.numbers());
        Self::insert(headers, values);
    }

    /// Writes them and another one that is a number.
    pub fn write_with(&self, headers: &mut HeaderMap, name: HeaderName, number: u64) {
        let [limit, remaining, reset] = self.numbers();
        let [limit, remaining, reset, number] = numbers([limit, remaining, reset, number]);
        headers.insert(name, number);
        Self::insert(headers, [limit, remaining, reset]);
    }

    fn numbers(&self) -> [u64; 3] {
        let reset = u64::try_from(self.reset).unwrap_or(0);
        [self.limit.into(), self.remaining.into(), reset]
    }

    fn insert(headers: &mut HeaderMap, [limit, remaining, reset]: [HeaderValue; 3]) {
        headers.insert(LIMIT, limit);
        headers.insert(REMAINING, remaining);
        headers.insert(RESET, reset);
    }

    /// The 429 for a refused request, headers included; `None` if it may pass.
    pub fn refusal(&self) -> Option<Response> {
        let wait = self.retry_after?;
        let mut response = ApiError::too_many("rate limit exceeded", wait).into_response();
        self.write(response.headers_mut());
        Some(response)
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn clock() -> Clock {
        Clock::manual(datetime!(2026-01-01 00:00 UTC))
    }

    #[test]
    fn each_key_has_its_own_minute() {
        let clock = clock();
        let start = clock.now().unix_timestamp();
        let rate = PerMinute::new(3, clock.clone());

        let first = rate.check(&"a").unwrap();
        assert_eq!((first.limit, first.remaining), (3, 2));
        assert_eq!(first.reset, start + 20);
        assert_eq!(rate.check(&"a").unwrap().remaining, 1);
        assert_eq!(rate.check(&"a").unwrap().remaining, 0);

        let refused = rate.check(&"a").unwrap();
        assert_eq!(refused.retry_after, Some(Duration::from_secs(20)));
        assert_eq!(refused.reset, start + 60);
        assert!(rate.check(&"b").unwrap().retry_after.is_none());

        clock.advance(Duration::from_secs(20));
        assert!(rate.check(&"a").unwrap().retry_after.is_none());
        assert!(rate.check(&"a").unwrap().retry_after.is_some());
    }

    #[test]
    fn a_request_can_count_as_several() {
        let clock = clock();
        let start = clock.now().unix_timestamp();
        let rate = PerMinute::new(6, clock.clone());
        assert_eq!(rate.check(&"a").unwrap().remaining, 5);
        assert_eq!(rate.check_more(&"a", 0), None);
        assert_eq!(rate.check_more(&"a", 3).unwrap().remaining, 2);

        // Four of which three are there: none is taken, and the fourth comes with the next that is due.
        clock.advance(Duration::from_secs(15));
        assert_eq!(rate.check(&"a").unwrap().remaining, 2);
        let refused = rate.check_more(&"a", 3).unwrap();
        assert_eq!((refused.limit, refused.remaining), (6, 2));
        assert_eq!(refused.reset, start + 15 + 40);
        assert_eq!(refused.retry_after, Some(Duration::from_secs(15)));

        clock.advance(Duration::from_secs(15));
        assert_eq!(rate.check(&"a").unwrap().retry_after, None);
        let passed = rate.check_more(&"a", 3).unwrap();
        assert_eq!((passed.remaining, passed.retry_after), (0, None));
    }

    #[test]
    fn a_request_that_counts_as_more_than_a_minute_holds_takes_all_of_a_minute() {
        let clock = clock();
        let rate = PerMinute::new(6, clock.clone());
        rate.check(&"a");
        assert_eq!(rate.check_more(&"a", u32::MAX).unwrap().remaining, 0);
        assert!(rate.check(&"a").unwrap().retry_after.is_some());
        clock.advance(MINUTE);
        rate.check(&"a");
        assert_eq!(rate.check_more(&"a", 200).unwrap().retry_after, None);

        let one = PerMinute::new(1, clock.clone());
        assert_eq!(one.check(&"a").unwrap().remaining, 0);
        assert_eq!(one.check_more(&"a", 200), None);
    }

    #[test]
    fn what_was_done_already_takes_what_is_left() {
        let rate = PerMinute::new(10, clock());
        rate.count(&"a", 4);
        assert_eq!(rate.check(&"a").unwrap().remaining, 5);
        rate.count(&"a", 7);
        assert!(rate.check(&"a").unwrap().retry_after.is_some());
        rate.count(&"b", 0);
        assert_eq!(rate.check(&"b").unwrap().remaining, 9);
    }

    #[test]
    fn zero_switches_the_limit_off() {
        let rate = PerMinute::new(0, clock());
        assert_eq!(rate.check(&"a"), None);
        assert_eq!(rate.check_more(&"a", 5), None);
    }

    #[test]
    fn keys_with_a_full_allowance_are_forgotten() {
        let clock = clock();
        let rate = PerMinute::new(60, clock.clone());
        for key in 0..1_000 {
            rate.check(&key);
        }
        clock.advance(Duration::from_secs(120));
        rate.check(&-1);
        assert!(rate.limited.as_ref().unwrap().spent.lock().keys.len() <= 1);
    }

    #[test]
    fn of_too_many_keys_those_that_have_spent_least_are_forgotten() {
        let rate = PerMinute::new(60, clock());
        rate.count(&usize::MAX, 10);
        for key in 0..=MOST {
            rate.check(&key);
        }
        let keys = rate.limited.as_ref().unwrap().spent.lock().keys.len();
        assert!(keys <= MOST / 2, "{keys}");
        assert_eq!(rate.check(&usize::MAX).unwrap().remaining, 49);
    }

    #[test]
    fn a_refusal_carries_every_header() {
        let rate = PerMinute::new(1, clock());
        assert!(rate.check(&()).unwrap().refusal().is_none());
        let response = rate.check(&()).unwrap().refusal().unwrap();
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()["retry-after"], "60");
        assert_eq!(response.headers()[LIMIT], "1");
        assert_eq!(response.headers()[REMAINING], "0");
        assert_eq!(response.headers()[RESET], "1767225660");
    }
}
