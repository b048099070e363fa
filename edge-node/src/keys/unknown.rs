//! Keys that do not exist, remembered for a while. Made-up keys can push each other out, and nothing else.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use moka::sync::Cache;
use protocol::snapshot::KeyHash;

/// Negative answers about keys.
pub(super) struct Unknown {
    keys: Cache<KeyHash, ()>,
    /// Counts created keys, so that an answer given before a creation is not remembered after it.
    created: AtomicU64,
}

/// The state of creations just before a question was asked.
#[derive(Clone, Copy)]
pub(super) struct Moment(u64);

impl Unknown {
    pub(super) fn new(ttl: Duration) -> Self {
        Self {
            keys: Cache::builder()
                .max_capacity(10_000)
                .time_to_live(ttl)
                .build(),
            created: AtomicU64::new(0),
        }
    }

    pub(super) fn now(&self) -> Moment {
        Moment(self.created.load(Ordering::SeqCst))
    }

    pub(super) fn remember(&self, hash: KeyHash, asked: Moment) {
        // Inserted first and checked after: a creation between the two is seen by one side or the other.
        self.keys.insert(hash, ());
        if self.created.load(Ordering::SeqCst) != asked.0 {
            self.keys.invalidate(&hash);
        }
    }

    pub(super) fn forget(&self, hash: &KeyHash) {
        self.created.fetch_add(1, Ordering::SeqCst);
        self.keys.invalidate(hash);
    }

    pub(super) fn contains(&self, hash: &KeyHash) -> bool {
        self.keys.contains_key(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_before_a_creation_is_not_remembered() {
        let unknown = Unknown::new(Duration::from_secs(5));
        let asked = unknown.now();
        unknown.forget(&[1; 32]);
        unknown.remember([1; 32], asked);
        assert!(!unknown.contains(&[1; 32]));

        unknown.remember([2; 32], unknown.now());
        assert!(unknown.contains(&[2; 32]));
        unknown.forget(&[2; 32]);
        assert!(!unknown.contains(&[2; 32]));
    }

    #[test]
    fn ten_thousand_are_remembered() {
        let unknown = Unknown::new(Duration::from_hours(1));
        for number in 0..20_000_u128 {
            let half = number.to_be_bytes();
            let hash = [half, half].concat().try_into().unwrap();
            unknown.remember(hash, unknown.now());
        }
        unknown.keys.run_pending_tasks();
        assert!((1..=10_000).contains(&unknown.keys.entry_count()));
    }
}
