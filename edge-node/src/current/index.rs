//! Which environment an API key opens. Readers take no lock and never wait.
//!
//! The table is split into shards that are copied on write: a change costs one shard, not the table, so loading ten
//! thousand environments takes linear time for all practical purposes. Keys are SHA-256 hashes, evenly distributed
//! already, and serve as their own hash: anybody able to choose colliding hashes would have broken SHA-256.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use arc_swap::ArcSwap;
use protocol::{
    snapshot::{ApiKey, KeyHash},
    wire::usage::KeyUse,
};
use serving::rate::{Allowance, Now};

use super::Slot;
use crate::clock::millis;

/// A power of two: with 20,000 keys, a shard holds about 20.
const SHARDS: usize = 1 << 10;

type Shard = HashMap<KeyHash, Arc<Grant>, BuildHasherDefault<Prefix>>;

/// What a key grants access to.
pub(crate) struct Grant {
    pub(crate) slot: Arc<Slot>,
    expires_at_ms: Option<i64>,
    pub(crate) allowance: Allowance,
    /// When the key was last used: Unix milliseconds, to the second; 0 for never.
    used_at_ms: AtomicI64,
    /// The last use that was reported.
    taken_at_ms: AtomicI64,
}

impl Grant {
    /// When the key expires, Unix milliseconds.
    pub(crate) fn expires_at_ms(&self) -> Option<i64> {
        self.expires_at_ms
    }

    pub(crate) fn is_expired(&self, now_ms: i64) -> bool {
        self.expires_at_ms.is_some_and(|end| end <= now_ms)
    }

    /// Records a use of the key, and of its environment by a clock that nobody sets. Written at most once a second, so that
    /// requests on different cores do not contend for the cache line. The time may have been set back since the last use.
    pub(crate) fn used(&self, now: Now) {
        if now
            .unix_ms
            .abs_diff(self.used_at_ms.load(Ordering::Relaxed))
            >= 1_000
        {
            self.used_at_ms.store(now.unix_ms, Ordering::Relaxed);
            self.slot.used(millis(now.elapsed));
        }
    }

    /// When the key was last used, and which use was last reported.
    fn uses(&self) -> (i64, i64) {
        let load = |at: &AtomicI64| at.load(Ordering::Relaxed);
        (load(&self.used_at_ms), load(&self.taken_at_ms))
    }

    fn take_use(&self) -> Option<i64> {
        let (used_at_ms, taken_at_ms) = self.uses();
        // A use is reported once a minute at most.
        (used_at_ms.abs_diff(taken_at_ms) >= 60_000).then(|| {
            self.taken_at_ms.store(used_at_ms, Ordering::Relaxed);
            used_at_ms
        })
    }
}

/// All keys of all environments.
pub(super) struct Index {
    shards: Box<[ArcSwap<Shard>]>,
}

impl Default for Index {
    fn default() -> Self {
        let empty = Arc::new(Shard::default());
        Self {
            shards: (0..SHARDS)
                .map(|_| ArcSwap::new(Arc::clone(&empty)))
                .collect(),
        }
    }
}

impl Index {
    /// Shows what a key grants access to, without counting who holds it: all requests with this key would write there.
    pub(super) fn with<T>(&self, hash: &KeyHash, read: impl FnOnce(&Arc<Grant>) -> T) -> Option<T> {
        self.shard(hash).load().get(hash).map(read)
    }

    /// Adds the keys of an environment, or updates their expiry.
    pub(super) fn insert<'a>(&self, slot: &Arc<Slot>, keys: impl IntoIterator<Item = &'a ApiKey>) {
        for key in keys {
            self.change(&key.hash, |shard| {
                let before = shard.get(&key.hash);
                let uses = before.map_or((0, 0), |grant| grant.uses());
                let allowance = before.map(|grant| grant.allowance.clone());
                // Carried over, so that a key whose expiry changed has spent what it has, and is not reported a second time
                // within the minute.
                let grant = Grant {
                    slot: Arc::clone(slot),
                    expires_at_ms: key.expires_at_ms,
                    allowance: allowance.unwrap_or_default(),
                    used_at_ms: uses.0.into(),
                    taken_at_ms: uses.1.into(),
                };
                shard.insert(key.hash, Arc::new(grant));
            });
        }
    }

    /// Removes keys of an environment.
    pub(super) fn remove<'a>(
        &self,
        slot: &Arc<Slot>,
        hashes: impl IntoIterator<Item = &'a KeyHash>,
    ) {
        for hash in hashes {
            self.change(hash, |shard| {
                // The key may belong to another slot by now, whose entry must stay.
                if shard
                    .get(hash)
                    .is_some_and(|grant| Arc::ptr_eq(&grant.slot, slot))
                {
                    shard.remove(hash);
                }
            });
        }
    }

    /// Takes the keys used since they were last taken, each at most once a minute.
    pub(super) fn take_used(&self, used: &mut Vec<KeyUse>) {
        for shard in &self.shards {
            let keys = shard.load();
            let uses = keys.iter().filter_map(|(hash, grant)| {
                let at_ms = grant.take_use()?;
                Some(KeyUse { hash: *hash, at_ms })
            });
            used.extend(uses);
        }
    }

    /// Concurrent writers of one shard do not lose each other's changes: `rcu` copies again when the shard was replaced
    /// meanwhile.
    fn change(&self, hash: &KeyHash, change: impl Fn(&mut Shard)) {
        self.shard(hash).rcu(|shard| {
            let mut shard = Shard::clone(shard);
            change(&mut shard);
            shard
        });
    }

    fn shard(&self, hash: &KeyHash) -> &ArcSwap<Shard> {
        &self.shards[usize::from(u16::from_le_bytes([hash[0], hash[1]])) % SHARDS]
    }
}

/// Uses bytes 8 to 16 of a SHA-256 as the hash: the shard was chosen by the first two.
#[derive(Default)]
struct Prefix(u64);

impl Hasher for Prefix {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(middle) = bytes.get(8..16) {
            self.0 = u64::from_le_bytes(middle.try_into().expect("eight bytes"));
        }
    }

    fn write_usize(&mut self, _: usize) {
        // Arrays write their length first; it is always the same.
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serving::clock::Clock;
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::*;
    use crate::clock::EdgeClock;

    const DAY_MS: i64 = 24 * 3_600_000;

    #[test]
    fn a_key_stays_in_use_when_the_time_is_set_back() {
        let local = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let clock = EdgeClock::new(local.clone());
        let slot = Arc::new(Slot::new(Uuid::nil().into()));
        let grant = Grant {
            slot: Arc::clone(&slot),
            expires_at_ms: None,
            allowance: Allowance::default(),
            used_at_ms: AtomicI64::new(0),
            taken_at_ms: AtomicI64::new(0),
        };
        let at = |unix_ms| Now {
            unix_ms,
            ..clock.now()
        };
        for now_ms in [9 * DAY_MS, 10 * DAY_MS, 9 * DAY_MS + 5] {
            local.advance(Duration::from_secs(2));
            grant.used(at(now_ms));
            assert_eq!(grant.take_use(), Some(now_ms));
            assert_eq!(slot.used_at_ms(), clock.elapsed_ms());
        }
        grant.used(at(9 * DAY_MS + 900));
        assert_eq!(grant.take_use(), None, "once a minute");
    }
}
