//! The digest by which an edge proves that what it holds equals what was sent.
//!
//! Each item (the identity, a flag, a segment, an API key) is hashed on its own; the environment's digest is the
//! lane-wise wrapping sum of those hashes. A sum does not depend on order, and items can be subtracted as well as
//! added, so updating it costs as much as the change, not as much as the environment. It detects mistakes; forgery is
//! what [`signature`](crate::signature) is against. The version is not part of it: equal contents have equal digests.

use sha2::{Digest as _, Sha256};

use crate::{
    snapshot::{ApiKey, Delta, Digest, Flag, Head, KeyHash, Segment, Snapshot},
    wire::codec,
};

/// How items are encoded before they are hashed. Raised when the bytes of any item change, so that digests that were
/// stored by builds before are not taken for today's.
pub const FORMAT: i16 = 1;

/// Hash of one item, ready to be added to or subtracted from a [`Sum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemDigest([u64; 4]);

impl ItemDigest {
    /// Of the identity: every field of the head except the version.
    #[must_use]
    pub fn of_head(head: &Head) -> Self {
        Self::hash(
            b'H',
            &codec::encode(&(head.org_id, head.project_id, head.env_id, &head.slug)),
        )
    }

    /// Of a flag with its state.
    #[must_use]
    pub fn of_flag(flag: &Flag) -> Self {
        Self::hash(b'F', &codec::encode(flag))
    }

    /// Of a segment.
    #[must_use]
    pub fn of_segment(segment: &Segment) -> Self {
        Self::hash(b'S', &codec::encode(segment))
    }

    /// Of an API key.
    #[must_use]
    pub fn of_key(key: &ApiKey) -> Self {
        Self::hash(b'K', &codec::encode(key))
    }

    /// The hash itself.
    pub(crate) fn bytes(self) -> [u8; 32] {
        bytes(self.0)
    }

    /// The tag separates items of different kinds that happen to have equal bytes.
    fn hash(tag: u8, bytes: &[u8]) -> Self {
        let hash = Sha256::new()
            .chain_update([tag])
            .chain_update(bytes)
            .finalize();
        Self(lanes(hash.into()))
    }
}

/// A digest being computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Sum([u64; 4]);

impl Sum {
    /// Adds an item.
    pub fn add(&mut self, item: ItemDigest) {
        for (lane, part) in self.0.iter_mut().zip(item.0) {
            *lane = lane.wrapping_add(part);
        }
    }

    /// Subtracts an item that was added before.
    pub fn remove(&mut self, item: ItemDigest) {
        for (lane, part) in self.0.iter_mut().zip(item.0) {
            *lane = lane.wrapping_sub(part);
        }
    }

    /// The digest of everything added.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(bytes(self.0))
    }
}

impl From<Digest> for Sum {
    /// A digest is a finished sum, so adding can continue from it.
    fn from(digest: Digest) -> Self {
        Self(lanes(digest.0))
    }
}

/// The digest of a whole environment.
#[must_use]
pub fn of(snapshot: &Snapshot) -> Digest {
    let mut sum = Sum::default();
    sum.add(ItemDigest::of_head(&snapshot.head));
    snapshot
        .flags
        .iter()
        .for_each(|flag| sum.add(ItemDigest::of_flag(flag)));
    snapshot
        .segments
        .iter()
        .for_each(|segment| sum.add(ItemDigest::of_segment(segment)));
    snapshot
        .keys
        .iter()
        .for_each(|key| sum.add(ItemDigest::of_key(key)));
    sum.digest()
}

/// What the holder of an environment remembers about its items, so that it can compute the digest after a delta.
pub(crate) trait Items {
    /// The digest of everything held.
    fn digest(&self) -> Digest;
    /// The identity's.
    fn head(&self) -> ItemDigest;
    /// A flag's, if held.
    fn flag(&self, key: &str) -> Option<ItemDigest>;
    /// A segment's, if held.
    fn segment(&self, key: &str) -> Option<ItemDigest>;
    /// An API key's, if held.
    fn key(&self, hash: &KeyHash) -> Option<ItemDigest>;
}

/// The digest that `held` will have once the delta is applied. If an item is named twice, no environment has the
/// result.
pub(crate) fn after(held: &impl Items, delta: &Delta) -> Digest {
    let mut sum = Sum::from(held.digest());
    gone(held, delta).for_each(|item| sum.remove(item));
    gone_keys(held, delta).for_each(|key| sum.remove(key));
    come(delta).for_each(|item| sum.add(item));
    let keys = delta.keys.iter().map(ItemDigest::of_key);
    keys.for_each(|key| sum.add(key));
    sum.digest()
}

/// What a delta replaces or removes, besides API keys.
pub(crate) fn gone(held: &impl Items, delta: &Delta) -> impl Iterator<Item = ItemDigest> {
    let flags = delta.flags.iter().map(|flag| &flag.key);
    let flags = flags.chain(delta.removed_flags.iter().map(|flag| &flag.key));
    let segments = delta.segments.iter().map(|segment| &segment.key);
    let segments = segments.chain(&delta.removed_segments);
    let items = flags.filter_map(|key| held.flag(key));
    let items = items.chain(segments.filter_map(|key| held.segment(key)));
    items.chain([held.head()])
}

fn gone_keys(held: &impl Items, delta: &Delta) -> impl Iterator<Item = ItemDigest> {
    let keys = delta.keys.iter().map(|key| &key.hash);
    let keys = keys.chain(&delta.removed_keys);
    keys.filter_map(|hash| held.key(hash))
}

/// What a delta brings, besides API keys.
pub(crate) fn come(delta: &Delta) -> impl Iterator<Item = ItemDigest> {
    let flags = delta.flags.iter().map(ItemDigest::of_flag);
    let segments = delta.segments.iter().map(ItemDigest::of_segment);
    let items = flags.chain(segments);
    items.chain([ItemDigest::of_head(&delta.head)])
}

fn lanes(bytes: [u8; 32]) -> [u64; 4] {
    let mut lanes = [0; 4];
    for (lane, chunk) in lanes.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *lane = u64::from_le_bytes(*chunk);
    }
    lanes
}

fn bytes(lanes: [u64; 4]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, lane) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(lanes) {
        *chunk = lane.to_le_bytes();
    }
    bytes
}
