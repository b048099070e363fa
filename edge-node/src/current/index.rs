//! Which environment an API key opens. Readers take no lock and never wait.
//!
//! The table is cut into shards that are copied on write: a change costs one shard, not the table, so that loading ten
//! thousand environments stays linear for all purposes. Keys are SHA-256 hashes, evenly spread already, and serve as
//! their own hash: whoever could choose hashes that collide would have broken SHA-256.

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

use super::Slot;

/// A power of two: with 20,000 keys a shard has 20.
const SHARDS: usize = 1 << 10;

/// Between two times that a key is told to be in use.
const USE_MS: i64 = 60_000;

type Shard = HashMap<KeyHash, Arc<Grant>, BuildHasherDefault<Prefix>>;

/// What a key opens.
pub(crate) struct Grant {
    pub(crate) slot: Arc<Slot>,
    expires_at_ms: Option<i64>,
    /// When the key was last used, Unix milliseconds to a second; 0 for never.
    used_at_ms: AtomicI64,
    /// The use that was last taken.
    taken_at_ms: AtomicI64,
}

impl Grant {
    /// When the key ends, Unix milliseconds.
    pub(crate) fn expires_at_ms(&self) -> Option<i64> {
        self.expires_at_ms
    }

    pub(crate) fn is_expired(&self, now_ms: i64) -> bool {
        self.expires_at_ms.is_some_and(|end| end <= now_ms)
    }

    /// Notes that the key is used, and its environment. Written once a second at most, so that requests do not wait for each
    /// other's caches.
    pub(crate) fn used(&self, now_ms: i64) {
        if now_ms - self.used_at_ms.load(Ordering::Relaxed) >= 1_000 {
            self.used_at_ms.store(now_ms, Ordering::Relaxed);
            self.slot.used(now_ms);
        }
    }

    /// When it was last used, and which use was last taken.
    fn uses(&self) -> (i64, i64) {
        let load = |at: &AtomicI64| at.load(Ordering::Relaxed);
        (load(&self.used_at_ms), load(&self.taken_at_ms))
    }

    fn take_use(&self) -> Option<i64> {
        let (used_at_ms, taken_at_ms) = self.uses();
        (used_at_ms - taken_at_ms >= USE_MS).then(|| {
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
    pub(super) fn find(&self, hash: &KeyHash) -> Option<Arc<Grant>> {
        self.shard(hash).load().get(hash).cloned()
    }

    /// Enters the keys of an environment, or their new expiry.
    pub(super) fn insert<'a>(&self, slot: &Arc<Slot>, keys: impl IntoIterator<Item = &'a ApiKey>) {
        for key in keys {
            self.change(&key.hash, |shard| {
                let before = shard.get(&key.hash);
                let uses = before.map_or((0, 0), |grant| grant.uses());
                let grant = Grant {
                    slot: Arc::clone(slot),
                    expires_at_ms: key.expires_at_ms,
                    used_at_ms: uses.0.into(),
                    taken_at_ms: uses.1.into(),
                };
                shard.insert(key.hash, Arc::new(grant));
            });
        }
    }

    /// Strikes keys of an environment out.
    pub(super) fn remove<'a>(
        &self,
        slot: &Arc<Slot>,
        hashes: impl IntoIterator<Item = &'a KeyHash>,
    ) {
        for hash in hashes {
            self.change(hash, |shard| {
                if shard
                    .get(hash)
                    .is_some_and(|grant| Arc::ptr_eq(&grant.slot, slot))
                {
                    shard.remove(hash);
                }
            });
        }
    }

    /// Takes the keys that were used since they were last taken, each at most once a minute.
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

    /// Two writers of one shard do not lose each other's change: the copy is made again.
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

/// Takes bytes 8 to 16 of a SHA-256 for its hash.
#[derive(Default)]
struct Prefix(u64);

impl Hasher for Prefix {
    fn write(&mut self, bytes: &[u8]) {
        if let Some(middle) = bytes.get(8..16) {
            self.0 = u64::from_le_bytes(middle.try_into().expect("eight bytes"));
        }
    }

    fn write_usize(&mut self, _: usize) {
        // The length that arrays announce says nothing.
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
