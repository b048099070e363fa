//! The prepared environment: everything that evaluations of one version read. Immutable.

use std::sync::{Arc, OnceLock};

use super::{
    flag::Flag,
    key_index::KeyIndex,
    links::{Group, Links, Resolve},
    patterns::{Compiled, Patterns},
    segment::Placed,
};
use crate::{
    digest::{ItemDigest, Items},
    ids::FlagId,
    lattice::Lattice,
    signature::{Contents, keys_digest},
    snapshot::{Digest, Head, KeyHash},
};

/// An environment ready for evaluation. Created by [`prepare`](Self::prepare) and [`apply`](Self::apply), never
/// changed.
#[derive(Debug)]
pub struct Environment {
    pub(super) head: Head,
    pub(super) digest: Digest,
    /// The sum of everything but API keys, from when it is first needed.
    pub(super) lattice: OnceLock<Lattice>,
    /// Sorted by key.
    pub(super) entries: Vec<Entry>,
    pub(super) index: Arc<KeyIndex>,
    /// Sorted by key.
    pub(super) segments: Vec<Placed>,
    /// All patterns of flags and segments.
    pub(super) patterns: Arc<Patterns>,
    pub(super) groups: Arc<[Group]>,
    /// Positions of the flags that others require, each after those that it requires itself.
    pub(super) required: Arc<[u32]>,
    /// Sorted by hash. Used only for the digest: which keys grant access is decided elsewhere.
    pub(super) keys: Arc<[(KeyHash, ItemDigest)]>,
}

/// A flag and its place in the environment.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) flag: Arc<Flag>,
    /// Absent if the flag neither refers to other items, nor shares a group, nor has patterns.
    pub(super) links: Option<Arc<Links>>,
    /// Hash of the key, for the index.
    pub(super) hash: u32,
    /// Estimated memory that the flag takes.
    pub(super) bytes: u32,
}

impl Entry {
    /// What the flag's patterns are compiled to.
    pub(super) fn compiled(&self) -> &Compiled {
        let links = self.links.as_deref();
        links.map_or(&Compiled::NONE, |links| &links.compiled)
    }
}

/// Position of a flag in one version of an environment: dense, from 0, in key order. In another version the same flag
/// may have another position; an index used there by mistake refers to some flag or to none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlagIndex(pub(super) u32);

impl FlagIndex {
    /// The position as a number, for tables kept beside the environment.
    #[must_use]
    pub const fn position(self) -> usize {
        self.0 as usize
    }
}

impl Environment {
    /// Which environment this is, and the version of its contents.
    #[must_use]
    pub const fn head(&self) -> &Head {
        &self.head
    }

    /// Digest of the contents.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// What a signature covers. The first time this takes as long as two microseconds for each item; a version that follows
    /// by a delta only for what changed.
    #[must_use]
    pub fn contents(&self) -> Contents {
        let lattice = self.lattice.get_or_init(|| {
            let flags = self.entries.iter().map(|entry| entry.flag.digest);
            let segments = self.segments.iter().map(|segment| segment.digest);
            let items = flags.chain(segments);
            items.chain([ItemDigest::of_head(&self.head)]).collect()
        });
        Contents {
            env_id: self.head.env_id,
            version: self.head.version,
            items: lattice.digest(),
            keys: keys_digest(self.keys()),
        }
    }

    /// Number of flags.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no flags.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Finds a flag.
    #[must_use]
    pub fn flag(&self, key: &str) -> Option<FlagIndex> {
        let is_it = |position| {
            self.entry(position)
                .is_some_and(|entry| entry.flag.key.is(key))
        };
        self.index.find(key, is_it).map(FlagIndex)
    }

    /// The positions of all flags.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = FlagIndex> + use<> {
        (0..position_of(self.entries.len())).map(FlagIndex)
    }

    /// All flags, in key order.
    pub fn flags(&self) -> impl ExactSizeIterator<Item = (FlagIndex, &str)> {
        let keys = self.entries.iter().map(|entry| entry.flag.key.as_str());
        keys.enumerate()
            .map(|(position, key)| (FlagIndex(position_of(position)), key))
    }

    /// A flag's key.
    ///
    /// # Panics
    /// When the index is beyond this environment's flags.
    #[must_use]
    pub fn key(&self, flag: FlagIndex) -> &str {
        self.entries[flag.position()].flag.key.as_str()
    }

    /// A flag's key as a JSON string, quotes included.
    ///
    /// # Panics
    /// When the index is beyond this environment's flags.
    #[must_use]
    pub fn key_json(&self, flag: FlagIndex) -> &str {
        self.entries[flag.position()].flag.key.json()
    }

    /// A flag's id, by which events name it.
    ///
    /// # Panics
    /// When the index is beyond this environment's flags.
    #[must_use]
    pub fn flag_id(&self, flag: FlagIndex) -> FlagId {
        self.entries[flag.position()].flag.id
    }

    /// The flags with a rule that names the segment, whether or not it exists, in key order.
    pub fn flags_with_segment(&self, key: &str) -> impl Iterator<Item = FlagIndex> {
        let linked = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.links.is_some());
        linked
            .filter(move |(_, entry)| {
                entry
                    .flag
                    .segment_keys
                    .iter()
                    .any(|listed| **listed == *key)
            })
            .map(|(position, _)| FlagIndex(position_of(position)))
    }

    /// The flags that others require, each after those that it requires itself.
    pub fn required(&self) -> impl ExactSizeIterator<Item = FlagIndex> {
        self.required.iter().map(|&position| FlagIndex(position))
    }

    /// Those of [`required`](Self::required) that an evaluation of one of these flags can come to, in the same order.
    #[must_use]
    pub fn required_by(&self, flags: impl IntoIterator<Item = FlagIndex>) -> Vec<FlagIndex> {
        let mut is_required = vec![false; self.len()];
        let mut above: Vec<u32> = flags.into_iter().map(|flag| flag.0).collect();
        while let Some(position) = above.pop() {
            let links = self.entry(position).and_then(|entry| entry.links.as_ref());
            let links = links.filter(|links| !links.is_cut);
            for &target in links
                .iter()
                .flat_map(|links| links.prerequisites.iter().flatten())
            {
                if !std::mem::replace(&mut is_required[target as usize], true) {
                    above.push(target);
                }
            }
        }
        self.required()
            .filter(|flag| is_required[flag.position()])
            .collect()
    }

    /// At most how many other flags an evaluation of this one comes to; more than there are when many paths lead to
    /// the same ones.
    #[must_use]
    pub fn reach(&self, flag: FlagIndex) -> u32 {
        let links = self.entry(flag.0).and_then(|entry| entry.links.as_ref());
        links.map_or(0, |links| links.paths)
    }

    /// How often a condition lists a pattern that never matches: one that cannot be compiled, is too large, or is beyond
    /// what an environment may hold.
    #[must_use]
    pub fn patterns_left_out(&self) -> usize {
        self.patterns.left_out()
    }

    /// The hashes of the API keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = ItemDigest> {
        self.keys.iter().map(|(_, item)| *item)
    }

    pub(super) fn entry(&self, position: u32) -> Option<&Entry> {
        self.entries.get(position as usize)
    }

    pub(super) fn segment(&self, position: u32) -> Option<&Placed> {
        self.segments.get(position as usize)
    }

    /// Whether the segment has a pattern that never matches.
    pub(super) fn lacks_patterns(&self, segment: u32) -> bool {
        let segment = self.segment(segment);
        segment.is_some_and(|placed| placed.segment.lacks_patterns(&placed.compiled))
    }

    pub(super) fn group(&self, position: u32) -> Option<&Group> {
        self.groups.get(position as usize)
    }

    pub(super) fn segment_position(&self, key: &str) -> Option<usize> {
        self.segments
            .binary_search_by(|segment| segment.key.as_ref().cmp(key))
            .ok()
    }
}

/// A position as it is stored in tables.
pub(super) fn position_of(position: usize) -> u32 {
    u32::try_from(position).expect("a message holds fewer than 2^32 items")
}

impl Resolve for Environment {
    fn flag(&self, key: &str) -> Option<u32> {
        Self::flag(self, key).map(|flag| flag.0)
    }

    fn segment(&self, key: &str) -> Option<u32> {
        self.segment_position(key).map(position_of)
    }
}

impl Items for Environment {
    fn digest(&self) -> Digest {
        self.digest
    }

    fn head(&self) -> ItemDigest {
        ItemDigest::of_head(&self.head)
    }

    fn flag(&self, key: &str) -> Option<ItemDigest> {
        Self::flag(self, key).map(|flag| self.entries[flag.position()].flag.digest)
    }

    fn segment(&self, key: &str) -> Option<ItemDigest> {
        self.segment_position(key)
            .map(|position| self.segments[position].digest)
    }

    fn key(&self, hash: &KeyHash) -> Option<ItemDigest> {
        let position = self
            .keys
            .binary_search_by(|(known, _)| known.cmp(hash))
            .ok()?;
        Some(self.keys[position].1)
    }
}
