//! Finds a flag by its key.
//!
//! A table of our own instead of a map, because it holds only positions: a map of texts would store every key twice,
//! and copying it for each change would cost more than the change.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

use foldhash::{SharedSeed, fast::SeedableRandomState};

/// The seeds that all hashers share.
static SEED: LazyLock<SharedSeed> = LazyLock::new(|| SharedSeed::from_u64(random()));

/// Open addressing with linear probing, at most half full. The hasher is seeded by the operating system, since tenants choose the
/// keys: those that collide cannot be found without the seeds, and would slow no other environment.
#[derive(Clone, Debug)]
pub(super) struct KeyIndex {
    hasher: SeedableRandomState,
    slots: Box<[Slot]>,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    position: u32,
}

const FREE: Slot = Slot {
    hash: 0,
    position: u32::MAX,
};

impl KeyIndex {
    /// An empty index, with the hasher for all indexes rebuilt from it.
    pub(super) fn new() -> Self {
        Self {
            hasher: SeedableRandomState::with_seed(random(), &SEED),
            slots: Box::default(),
        }
    }

    /// The part of a key's hash that is stored.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "half of the hash is enough"
    )]
    #[inline]
    pub(super) fn hash(&self, key: &str) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(key.as_bytes());
        hasher.finish() as u32
    }

    /// An index of keys with these hashes, in position order.
    pub(super) fn rebuild(&self, hashes: impl ExactSizeIterator<Item = u32>) -> Self {
        let mut slots = vec![FREE; (hashes.len() * 2).next_power_of_two()].into_boxed_slice();
        for (position, hash) in (0..).zip(hashes) {
            let free = probe(&slots, hash).find(|&slot| slots[slot].position == FREE.position);
            slots[free.expect("the table is at most half full")] = Slot { hash, position };
        }
        Self {
            hasher: self.hasher.clone(),
            slots,
        }
    }

    /// The position for which `is_it` holds, among the keys with the same hash.
    pub(super) fn find(&self, key: &str, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = self.hash(key);
        probe(&self.slots, hash)
            .map(|slot| self.slots[slot])
            .take_while(|slot| slot.position != FREE.position)
            .find(|slot| slot.hash == hash && is_it(slot.position))
            .map(|slot| slot.position)
    }
}

/// 64 bits that nobody knows.
fn random() -> u64 {
    RandomState::new().hash_one(())
}

/// The slots in the order in which a hash probes them.
fn probe(slots: &[Slot], hash: u32) -> impl Iterator<Item = usize> + use<> {
    let length = slots.len();
    (0..length).map(move |step| (hash as usize).wrapping_add(step) & (length - 1))
}
