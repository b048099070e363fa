//! Which environment an API key opens. Readers take no lock and never wait.
//!
//! The table is cut into shards that are copied on write: a change costs one shard, not the table, so that loading ten
//! thousand environments stays linear for all purposes. Keys are SHA-256 hashes, evenly spread already, and serve as
//! their own hash: whoever could choose hashes that collide would have broken SHA-256.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::Arc,
};

use arc_swap::ArcSwap;
use protocol::snapshot::{ApiKey, KeyHash};

use super::Slot;

/// A power of two: with 20,000 keys a shard has 20.
const SHARDS: usize = 1 << 10;

type Shard = HashMap<KeyHash, Grant, BuildHasherDefault<Prefix>>;

/// What a key opens.
#[derive(Clone)]
pub(crate) struct Grant {
    pub(crate) slot: Arc<Slot>,
    expires_at_ms: Option<i64>,
}

impl Grant {
    /// When the key ends, Unix milliseconds.
    pub(crate) fn expires_at_ms(&self) -> Option<i64> {
        self.expires_at_ms
    }

    pub(crate) fn is_expired(&self, now_ms: i64) -> bool {
        self.expires_at_ms.is_some_and(|end| end <= now_ms)
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
    pub(super) fn find(&self, hash: &KeyHash) -> Option<Grant> {
        self.shard(hash).load().get(hash).cloned()
    }

    /// Enters the keys of an environment, or their new expiry.
    pub(super) fn insert<'a>(&self, slot: &Arc<Slot>, keys: impl IntoIterator<Item = &'a ApiKey>) {
        for key in keys {
            let grant = Grant {
                slot: Arc::clone(slot),
                expires_at_ms: key.expires_at_ms,
            };
            self.change(&key.hash, |shard| {
                shard.insert(key.hash, grant.clone());
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
