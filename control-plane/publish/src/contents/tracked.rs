//! The state needed to compute the digest of an environment's next version: a hash of each item.

use std::collections::HashMap;

use protocol::{
    digest::{ItemDigest, Sum},
    snapshot::{Digest, Snapshot, Version},
};
use uuid::Uuid;

use crate::compile::Changes;

/// The items of an environment by id, and their sum.
#[derive(Debug)]
pub(super) struct Tracked {
    version: Version,
    head: ItemDigest,
    items: HashMap<Uuid, ItemDigest>,
    sum: Sum,
}

impl Tracked {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let head = ItemDigest::of_head(&snapshot.head);
        let mut sum = Sum::default();
        sum.add(head);
        let size = snapshot.flags.len() + snapshot.segments.len() + snapshot.keys.len();
        let mut tracked = Self {
            version: snapshot.head.version,
            head,
            items: HashMap::with_capacity(size),
            sum,
        };
        for flag in &snapshot.flags {
            tracked.upsert(flag.id.uuid(), ItemDigest::of_flag(flag));
        }
        for segment in &snapshot.segments {
            tracked.upsert(segment.id.uuid(), ItemDigest::of_segment(segment));
        }
        for key in &snapshot.keys {
            tracked.upsert(key.id.uuid(), ItemDigest::of_key(key));
        }
        tracked
    }

    pub(super) const fn version(&self) -> Version {
        self.version
    }

    pub(super) fn digest(&self) -> Digest {
        self.sum.digest()
    }

    /// Applies changes up to this version. Items carry their present state, so applying a change twice has no effect.
    pub(super) fn apply(&mut self, changes: &Changes) {
        let removed = changes.removed_flags.iter().map(|flag| flag.id.uuid());
        let removed = removed.chain(changes.removed_segments.iter().map(|(id, _)| id.0));
        for id in removed.chain(changes.removed_keys.iter().map(|(id, _)| id.0)) {
            self.remove(id);
        }
        for flag in &changes.flags {
            self.upsert(flag.id.uuid(), ItemDigest::of_flag(flag));
        }
        for segment in &changes.segments {
            self.upsert(segment.id.uuid(), ItemDigest::of_segment(segment));
        }
        for key in &changes.keys {
            self.upsert(key.id.uuid(), ItemDigest::of_key(key));
        }
        self.sum.remove(self.head);
        self.head = ItemDigest::of_head(&changes.head);
        self.sum.add(self.head);
        self.version = changes.head.version;
    }

    fn upsert(&mut self, id: Uuid, item: ItemDigest) {
        self.remove(id);
        self.items.insert(id, item);
        self.sum.add(item);
    }

    fn remove(&mut self, id: Uuid) {
        if let Some(item) = self.items.remove(&id) {
            self.sum.remove(item);
        }
    }
}
