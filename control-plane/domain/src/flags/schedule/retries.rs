//! Failed firings: each is retried after a growing pause, so that it does not delay the others.

use std::collections::HashMap;

use time::{Duration, OffsetDateTime};

use base::ids::FlagStateId;

const FIRST_PAUSE: Duration = Duration::SECOND;
const LONGEST_PAUSE: Duration = Duration::MINUTE;

/// Failed firings and the time of their retry.
#[derive(Debug, Default)]
pub(super) struct Retries(HashMap<FlagStateId, Retry>);

#[derive(Clone, Copy, Debug)]
struct Retry {
    at: OffsetDateTime,
    pause: Duration,
}

impl Retries {
    pub(super) fn failed(&mut self, id: FlagStateId, now: OffsetDateTime) {
        let pause = self
            .0
            .get(&id)
            .map_or(FIRST_PAUSE, |before| LONGEST_PAUSE.min(before.pause * 2));
        let at = now + pause;
        self.0.insert(id, Retry { at, pause });
    }

    pub(super) fn succeeded(&mut self, id: FlagStateId) {
        self.0.remove(&id);
    }

    /// Firings that must not be retried yet. Drops an entry whose retry did not happen in time: its due time is gone.
    pub(super) fn waiting(&mut self, now: OffsetDateTime) -> Vec<FlagStateId> {
        self.0.retain(|_, retry| retry.at + LONGEST_PAUSE > now);
        let waiting = self.0.iter().filter(|(_, retry)| retry.at > now);
        waiting.map(|(id, _)| *id).collect()
    }

    /// The earliest retry among waiting entries.
    pub(super) fn next_after(&self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        let times = self.0.values().map(|retry| retry.at);
        times.filter(|at| *at > now).min()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn what_fails_again_waits_longer_up_to_a_minute() {
        let mut now = datetime!(2026-01-02 10:00 UTC);
        let id = FlagStateId::new(now);
        let mut retries = Retries::default();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            retries.failed(id, now);
            assert_eq!(retries.waiting(now), [id]);
            let next = retries.next_after(now).unwrap();
            pauses.push((next - now).whole_seconds());
            now = next;
            assert!(retries.waiting(now).is_empty());
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);

        retries.succeeded(id);
        retries.failed(id, now);
        assert_eq!(retries.next_after(now), Some(now + FIRST_PAUSE));
    }

    #[test]
    fn what_is_no_longer_due_is_dropped() {
        let now = datetime!(2026-01-02 10:00 UTC);
        let mut retries = Retries::default();
        retries.failed(FlagStateId::new(now), now);
        assert!(
            retries
                .waiting(now + FIRST_PAUSE + LONGEST_PAUSE)
                .is_empty()
        );
        assert!(retries.0.is_empty());
    }
}
