//! What was counted and is in no batch yet, besides what the counters of served environments hold.

use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{ids::EnvId, wire::usage::Impression};

use super::{Tally, impressions::Impressions, unknown::Unknown};

/// Shared by the requests that add to it and whoever takes it. Each part is locked for a moment.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// From environments that are no longer served.
    left: Mutex<Tally>,
    unknown: Mutex<Unknown>,
    impressions: Mutex<Impressions>,
}

impl Ledger {
    /// Counts an answer about a key that no flag has.
    pub(crate) fn count_unknown(&self, env_id: EnvId, flag_key: &str) {
        lock(&self.unknown).add(env_id, flag_key);
    }

    /// Keeps an impression.
    pub(crate) fn track(&self, impression: Impression) {
        lock(&self.impressions).add(impression);
    }

    /// Takes over what an environment counted that is no longer served.
    pub(crate) fn leave(&self, tally: &Tally) {
        if tally.is_empty() {
            return;
        }
        let mut left = lock(&self.left);
        for (env_id, flag_key, reason, count) in tally.counts() {
            left.add(env_id, flag_key, reason, count);
        }
    }

    /// Takes all counts.
    pub(super) fn take_counts(&self, tally: &mut Tally) {
        let left = std::mem::take(&mut *lock(&self.left));
        for (env_id, flag_key, reason, count) in left.counts() {
            tally.add(env_id, flag_key, reason, count);
        }
        lock(&self.unknown).take(tally);
    }

    /// Takes all impressions, oldest first, and how many were dropped for want of room.
    pub(super) fn take_impressions(&self) -> (impl Iterator<Item = Impression> + use<>, u64) {
        let (kept, dropped) = lock(&self.impressions).take();
        (kept.into_iter(), dropped)
    }
}

/// What is locked here stays whole, whatever panics meanwhile.
fn lock<T>(part: &Mutex<T>) -> MutexGuard<'_, T> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}
