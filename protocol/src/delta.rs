//! Applying a [`Delta`] to the compiled form.
//!
//! Everything is checked before anything is changed: a refused delta leaves the receiver as it was, which is what an
//! edge goes on serving while it requests the whole environment.

use std::collections::HashSet;

use crate::{
    digest::{self, ItemDigest, Items},
    snapshot::{Delta, Digest, Head, KeyHash, Snapshot, Version},
};

/// Why a delta was refused. In every case the whole environment has to be requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// It is for another environment.
    #[error("the delta is for another environment")]
    Environment,
    /// It starts from another version.
    #[error("the delta starts at version {base}, but version {held} is held")]
    Base {
        /// Version held.
        held: Version,
        /// Version it starts from.
        base: Version,
    },
    /// It leads to a version that is not newer than its base.
    #[error("the delta leads backwards")]
    Backwards,
    /// Applying it results in other contents than the sender has.
    #[error("the digest differs after applying")]
    Digest,
    /// It carries an item that cannot be prepared.
    #[error("the delta cannot be prepared")]
    Contents(#[from] crate::eval::PrepareError),
}

impl Snapshot {
    /// Applies a delta: removals first, then upserts; every list keeps its order.
    ///
    /// # Errors
    /// When the delta does not start from this version, or its digest differs after applying. `self` is then unchanged.
    pub fn apply(&mut self, delta: Delta) -> Result<(), ApplyError> {
        check(&*self, &self.head, &delta)?;

        let removed_flags = delta
            .removed_flags
            .into_iter()
            .map(|flag| flag.key)
            .collect();
        merge(&mut self.flags, delta.flags, removed_flags, |flag| {
            flag.key.clone()
        });
        merge(
            &mut self.segments,
            delta.segments,
            delta.removed_segments,
            |segment| segment.key.clone(),
        );
        merge(&mut self.keys, delta.keys, delta.removed_keys, |key| {
            key.hash
        });
        self.head = delta.head;
        Ok(())
    }
}

impl Delta {
    /// One delta with the effect of this one and then `next`, which starts where this one leads to.
    #[must_use]
    pub fn followed_by(self, next: Self) -> Self {
        let (flags, removed_flags) = follow(
            (self.flags, self.removed_flags),
            (next.flags, next.removed_flags),
            |flag| flag.key.clone(),
            |flag| flag.key.clone(),
        );
        let (segments, removed_segments) = follow(
            (self.segments, self.removed_segments),
            (next.segments, next.removed_segments),
            |segment| segment.key.clone(),
            Clone::clone,
        );
        let (keys, removed_keys) = follow(
            (self.keys, self.removed_keys),
            (next.keys, next.removed_keys),
            |key| key.hash,
            |hash| *hash,
        );
        Self {
            head: next.head,
            base: self.base,
            digest: next.digest,
            flags,
            removed_flags,
            segments,
            removed_segments,
            keys,
            removed_keys,
            urgent: self.urgent || next.urgent,
        }
    }
}

/// Upserts and removals of two deltas, each item named once and as the later one says.
fn follow<T, R, K: Eq + std::hash::Hash>(
    (mut upserts, mut removed): (Vec<T>, Vec<R>),
    (later_upserts, later_removed): (Vec<T>, Vec<R>),
    upserted: impl Fn(&T) -> K,
    gone: impl Fn(&R) -> K,
) -> (Vec<T>, Vec<R>) {
    let later: HashSet<K> = later_upserts
        .iter()
        .map(&upserted)
        .chain(later_removed.iter().map(&gone))
        .collect();
    upserts.retain(|item| !later.contains(&upserted(item)));
    removed.retain(|item| !later.contains(&gone(item)));
    upserts.extend(later_upserts);
    removed.extend(later_removed);
    (upserts, removed)
}

/// Whether the delta belongs to what is held and results in what its sender has.
pub(crate) fn check(held: &impl Items, head: &Head, delta: &Delta) -> Result<(), ApplyError> {
    if delta.head.env_id != head.env_id {
        return Err(ApplyError::Environment);
    }
    if delta.base != head.version {
        return Err(ApplyError::Base {
            held: head.version,
            base: delta.base,
        });
    }
    if delta.head.version <= delta.base {
        return Err(ApplyError::Backwards);
    }
    if digest::after(held, delta) != delta.digest {
        return Err(ApplyError::Digest);
    }
    Ok(())
}

/// Sorting is stable and the rest is sorted already, so this is linear in the number of items held.
fn merge<T, K: Ord + std::hash::Hash>(
    items: &mut Vec<T>,
    upserts: Vec<T>,
    removed: Vec<K>,
    key: impl Fn(&T) -> K,
) {
    let gone: HashSet<K> = removed
        .into_iter()
        .chain(upserts.iter().map(&key))
        .collect();
    if gone.is_empty() {
        return;
    }
    items.retain(|item| !gone.contains(&key(item)));
    items.extend(upserts);
    items.sort_by_cached_key(key);
}

impl Items for Snapshot {
    fn digest(&self) -> Digest {
        digest::of(self)
    }

    fn head(&self) -> ItemDigest {
        ItemDigest::of_head(&self.head)
    }

    fn flag(&self, key: &str) -> Option<ItemDigest> {
        let index = self
            .flags
            .binary_search_by(|flag| flag.key.as_str().cmp(key))
            .ok()?;
        Some(ItemDigest::of_flag(&self.flags[index]))
    }

    fn segment(&self, key: &str) -> Option<ItemDigest> {
        let index = self
            .segments
            .binary_search_by(|segment| segment.key.as_str().cmp(key))
            .ok()?;
        Some(ItemDigest::of_segment(&self.segments[index]))
    }

    fn key(&self, hash: &KeyHash) -> Option<ItemDigest> {
        let index = self.keys.binary_search_by(|key| key.hash.cmp(hash)).ok()?;
        Some(ItemDigest::of_key(&self.keys[index]))
    }
}
