//! Hourly mail rates, per organization that causes it and per address that receives it.
//!
//! An organization's mail is spread over time when it is enqueued: each email gets the earliest time within the rate, without
//! delaying other organizations. Mail to an address is counted when it leaves, and waits above the rate: if times were reserved
//! in advance, a stranger could take them all.

use std::num::NonZeroU32;

use serving::settings::spans::HOUR;
use time::OffsetDateTime;

/// Times of past and scheduled mail, as far as the rate counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Times(Vec<OffsetDateTime>);

impl Times {
    /// The stored times that still count.
    pub(super) fn since(stored: Vec<OffsetDateTime>, now: OffsetDateTime) -> Self {
        let mut times: Vec<_> = stored
            .into_iter()
            .filter(|time| *time + HOUR > now)
            .collect();
        times.sort_unstable();
        Self(times)
    }

    /// The earliest time, `earliest` or later, with which no hour has more than `per_hour`.
    pub(super) fn next(&self, per_hour: NonZeroU32, earliest: OffsetDateTime) -> OffsetDateTime {
        let per_hour = usize::try_from(per_hour.get()).unwrap_or(usize::MAX);
        match self.0.len().checked_sub(per_hour) {
            Some(place) => earliest.max(self.0[place] + HOUR),
            None => earliest,
        }
    }

    pub(super) fn add(&mut self, time: OffsetDateTime) {
        let place = self.0.partition_point(|other| *other <= time);
        self.0.insert(place, time);
    }

    /// Oldest first.
    pub(super) fn as_slice(&self) -> &[OffsetDateTime] {
        &self.0
    }

    pub(super) fn last(&self) -> Option<OffsetDateTime> {
        self.0.last().copied()
    }
}

/// Counts whose last time is not after this can be deleted.
pub(super) fn counts_since(now: OffsetDateTime) -> OffsetDateTime {
    now - HOUR
}

#[cfg(test)]
mod tests {
    use serving::settings::spans::MINUTE;

    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn per_hour(number: u32) -> NonZeroU32 {
        NonZeroU32::new(number).unwrap()
    }

    #[test]
    fn what_finds_no_room_waits_until_an_hour_after_the_first() {
        let mut times = Times::default();
        for minute in 0..3 {
            let now = NOW + minute * MINUTE;
            assert_eq!(times.next(per_hour(3), now), now);
            times.add(now);
        }
        let now = NOW + 3 * MINUTE;
        assert_eq!(times.next(per_hour(3), now), NOW + HOUR);
        let times = Times::since(times.as_slice().to_vec(), NOW + HOUR);
        assert_eq!(times.next(per_hour(3), NOW + HOUR), NOW + HOUR);
        assert_eq!(times.as_slice().len(), 2);
    }

    #[test]
    fn no_hour_has_more_than_allowed_however_much_is_asked_for() {
        let mut times = Times::default();
        for _ in 0..1_000 {
            times.add(times.next(per_hour(7), NOW));
        }
        let times = times.as_slice();
        for (place, first) in times.iter().enumerate() {
            let within = times[place..].iter().filter(|time| **time < *first + HOUR);
            assert!(within.count() <= 7, "from {first}");
        }
        assert_eq!(times[999], NOW + 142 * HOUR);
    }

    #[test]
    fn a_place_in_the_future_takes_no_place_before_it_from_others() {
        let mut times = Times::default();
        times.add(NOW + 10 * HOUR);
        times.add(NOW);
        assert_eq!(times.as_slice(), [NOW, NOW + 10 * HOUR]);
        assert_eq!(times.next(per_hour(3), NOW + MINUTE), NOW + MINUTE);
    }
}
