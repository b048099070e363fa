//! The state needed to compute the digest and the signature of an environment's next version: a hash of each item.

use std::collections::HashMap;

use protocol::{
    digest::{ItemDigest, Sum},
    lattice::Lattice,
    signature::{Contents, keys_digest},
    snapshot::{Digest, Snapshot, Version},
};
use uuid::Uuid;

use crate::compile::Changes;
use base::ids::EnvId;

/// The items of an environment by id, and their sum.
#[derive(Debug)]
pub(super) struct Tracked {
    version: Version,
    head: ItemDigest,
    /// Flags and segments.
    items: HashMap<Uuid, ItemDigest>,
    keys: HashMap<Uuid, ItemDigest>,
    sum: Sum,
    /// Of everything but the keys.
    lattice: Lattice,
}

impl Tracked {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let head = ItemDigest::of_head(&snapshot.head);
        let mut sum = Sum::default();
        sum.add(head);
        let size = snapshot.flags.len() + snapshot.segments.len();
        let mut tracked = Self {
            version: snapshot.head.version,
            head,
            items: HashMap::with_capacity(size),
            keys: HashMap::with_capacity(snapshot.keys.len()),
            sum,
            lattice: [head].into_iter().collect(),
        };
        for flag in &snapshot.flags {
            tracked.upsert(flag.id.uuid(), ItemDigest::of_flag(flag));
        }
        for segment in &snapshot.segments {
            tracked.upsert(segment.id.uuid(), ItemDigest::of_segment(segment));
        }
        for key in &snapshot.keys {
            tracked.upsert_key(key.id.uuid(), ItemDigest::of_key(key));
        }
        tracked
    }

    pub(super) const fn version(&self) -> Version {
        self.version
    }

    pub(super) fn digest(&self) -> Digest {
        self.sum.digest()
    }

    /// What is signed of it.
    pub(super) fn contents(&self, env_id: EnvId) -> Contents {
        Contents {
            env_id: env_id.into(),
            version: self.version,
            items: self.lattice.digest(),
            keys: keys_digest(self.keys.values().copied()),
        }
    }

    /// Applies changes up to this version. Items carry their present state, so applying a change twice has no effect.
    pub(super) fn apply(&mut self, changes: &Changes) {
        let removed = changes.removed_flags.iter().map(|flag| flag.id.uuid());
        for id in removed.chain(changes.removed_segments.iter().map(|(id, _)| id.0)) {
            self.remove(id);
        }
        for (id, _) in &changes.removed_keys {
            self.remove_key(id.0);
        }
        for flag in &changes.flags {
            self.upsert(flag.id.uuid(), ItemDigest::of_flag(flag));
        }
        for segment in &changes.segments {
            self.upsert(segment.id.uuid(), ItemDigest::of_segment(segment));
        }
        for key in &changes.keys {
            self.upsert_key(key.id.uuid(), ItemDigest::of_key(key));
        }
        let head = ItemDigest::of_head(&changes.head);
        if head != self.head {
            self.sum.remove(self.head);
            self.lattice.remove(self.head);
            self.sum.add(head);
            self.lattice.add(head);
            self.head = head;
        }
        self.version = changes.head.version;
    }

    fn upsert(&mut self, id: Uuid, item: ItemDigest) {
        self.remove(id);
        self.items.insert(id, item);
        self.sum.add(item);
        self.lattice.add(item);
    }

    fn remove(&mut self, id: Uuid) {
        if let Some(item) = self.items.remove(&id) {
            self.sum.remove(item);
            self.lattice.remove(item);
        }
    }

    fn upsert_key(&mut self, id: Uuid, key: ItemDigest) {
        self.remove_key(id);
        self.keys.insert(id, key);
        self.sum.add(key);
    }

    fn remove_key(&mut self, id: Uuid) {
        if let Some(key) = self.keys.remove(&id) {
            self.sum.remove(key);
        }
    }
}
