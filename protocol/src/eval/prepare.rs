//! From the compiled form to the prepared one, whole or incrementally.

use std::{
    collections::HashSet,
    sync::{Arc, OnceLock},
};

use super::{
    Environment, PrepareError,
    environment::Entry,
    flag::Flag,
    key_index::KeyIndex,
    links,
    patterns::{Compiled, Patterns},
    segment::{Placed, Segment},
    weight,
};
use crate::{
    delta::{self, ApplyError},
    digest::{self, ItemDigest, Sum},
    lattice::Lattice,
    snapshot::{self, Delta, KeyHash, Snapshot},
};

impl Environment {
    /// Prepares an environment. All parsing happens here: evaluations cannot fail afterwards.
    ///
    /// # Errors
    /// Only on structural damage. A condition that cannot be understood is prepared as one that never matches.
    pub fn prepare(snapshot: &Snapshot) -> Result<Self, PrepareError> {
        let index = KeyIndex::new();
        let mut entries = prepare_flags(&snapshot.flags, &index)?;
        entries.sort_by(|a, b| a.flag.key.as_str().cmp(b.flag.key.as_str()));
        let mut segments = prepare_segments(&snapshot.segments);
        segments.sort_by(|a, b| a.key.cmp(&b.key));
        let mut keys: Vec<_> = snapshot
            .keys
            .iter()
            .map(|key| (key.hash, ItemDigest::of_key(key)))
            .collect();
        keys.sort_by_key(|(hash, _)| *hash);

        let mut sum = Sum::default();
        sum.add(ItemDigest::of_head(&snapshot.head));
        entries.iter().for_each(|entry| sum.add(entry.flag.digest));
        segments.iter().for_each(|segment| sum.add(segment.digest));
        keys.iter().for_each(|(_, digest)| sum.add(*digest));

        let mut env = Self {
            head: snapshot.head.clone(),
            digest: sum.digest(),
            lattice: OnceLock::new(),
            entries,
            index: Arc::new(index),
            segments,
            patterns: Arc::default(),
            groups: Arc::default(),
            required: Arc::default(),
            keys: keys.into(),
        };
        env.link()?;
        env.compile_patterns();
        Ok(env)
    }

    /// The environment after a change. Everything unchanged is shared with this one, so the cost is copying one pointer
    /// per flag plus preparing what is new. No pattern is compiled that this one has.
    ///
    /// # Errors
    /// When the delta does not start from this version, cannot be prepared, or results in other contents than its
    /// sender has.
    pub fn apply(&self, delta: &Delta) -> Result<Self, ApplyError> {
        delta::check(self, &self.head, delta)?;

        let flags = prepare_flags(&delta.flags, &self.index)?;
        let segments = prepare_segments(&delta.segments);
        let mut patterns_change = self.lose_patterns(delta)
            || flags.iter().any(|entry| !entry.flag.patterns.is_empty())
            || segments.iter().any(|segment| !segment.patterns.is_empty());
        let removed_flags = delta.removed_flags.iter().map(|flag| flag.key.as_str());
        let removed_segments = delta.removed_segments.iter().map(String::as_str);
        let mut env = Self {
            head: delta.head.clone(),
            digest: delta.digest,
            lattice: self.lattice_after(delta),
            entries: self.entries.clone(),
            index: Arc::clone(&self.index),
            segments: self.segments.clone(),
            patterns: Arc::clone(&self.patterns),
            groups: Arc::clone(&self.groups),
            required: Arc::clone(&self.required),
            keys: Arc::clone(&self.keys),
        };
        let segments = merge(&mut env.segments, segments, removed_segments, |segment| {
            &segment.key
        });
        let flags = merge(&mut env.entries, flags, removed_flags, |entry| {
            entry.flag.key.as_str()
        });
        if !(delta.keys.is_empty() && delta.removed_keys.is_empty()) {
            env.keys = self.merge_keys(delta);
        }
        // As long as nothing moved and no tie changed, only the replaced flags need new links.
        match (segments, flags) {
            (Merged::Replaced(_), Merged::Replaced(flags)) if self.keeps_links(&env, &flags) => {
                env.relink(self, &flags);
            }
            _ => {
                env.link()?;
                patterns_change |= !self.patterns.is_empty();
            }
        }
        if patterns_change {
            env.compile_patterns();
        }
        Ok(env)
    }

    /// The sum that follows from this one's, if that is known.
    fn lattice_after(&self, delta: &Delta) -> OnceLock<Lattice> {
        let Some(lattice) = self.lattice.get() else {
            return OnceLock::new();
        };
        let mut lattice = lattice.clone();
        digest::gone(self, delta).for_each(|item| lattice.remove(item));
        digest::come(delta).for_each(|item| lattice.add(item));
        lattice.into()
    }

    fn merge_keys(&self, delta: &Delta) -> Arc<[(KeyHash, ItemDigest)]> {
        let gone: HashSet<&KeyHash> = delta
            .removed_keys
            .iter()
            .chain(delta.keys.iter().map(|key| &key.hash))
            .collect();
        let mut keys: Vec<_> = self
            .keys
            .iter()
            .filter(|(hash, _)| !gone.contains(hash))
            .copied()
            .collect();
        keys.extend(
            delta
                .keys
                .iter()
                .map(|key| (key.hash, ItemDigest::of_key(key))),
        );
        keys.sort_by_key(|(hash, _)| *hash);
        keys.into()
    }

    /// Whether the delta replaces or removes anything that has patterns.
    fn lose_patterns(&self, delta: &Delta) -> bool {
        let flags = delta.flags.iter().map(|flag| flag.key.as_str());
        let removed = delta.removed_flags.iter().map(|flag| flag.key.as_str());
        let mut flags = flags.chain(removed).filter_map(|key| self.flag(key));
        let segments = delta.segments.iter().map(|segment| segment.key.as_str());
        let removed = delta.removed_segments.iter().map(String::as_str);
        let positions = segments.chain(removed);
        let mut segments = positions.filter_map(|key| self.segment_position(key));
        flags.any(|flag| !self.entries[flag.position()].flag.patterns.is_empty())
            || segments.any(|position| !self.segments[position].patterns.is_empty())
    }

    /// Compiles the patterns of segments and flags, in the order of their keys.
    fn compile_patterns(&mut self) {
        let earlier = Arc::clone(&self.patterns);
        let mut patterns = Patterns::default();
        for placed in &mut self.segments {
            placed.compiled = patterns.compile(&placed.segment.patterns, &earlier);
        }
        for entry in &mut self.entries {
            let compiled = patterns.compile(&entry.flag.patterns, &earlier);
            if !entry.compiled().is(&compiled) {
                Arc::make_mut(entry.links.get_or_insert_default()).compiled = compiled;
            }
        }
        self.patterns = Arc::new(patterns);
    }

    /// Works out all positions again.
    fn link(&mut self) -> Result<(), PrepareError> {
        if let Some(key) = first_duplicate(&self.entries, |entry| entry.flag.key.as_str()) {
            return Err(PrepareError::DuplicateFlag(key.to_owned()));
        }
        if let Some(key) = first_duplicate(&self.segments, |segment| &segment.key) {
            return Err(PrepareError::DuplicateSegment(key.to_owned()));
        }
        self.index = Arc::new(
            self.index
                .rebuild(self.entries.iter().map(|entry| entry.hash)),
        );
        let all = links::link_all(self.entries.iter().map(|entry| &*entry.flag), self);
        for (entry, links) in self.entries.iter_mut().zip(all.links) {
            entry.links = links;
        }
        self.groups = all.groups.into();
        self.required = all.required.into();
        Ok(())
    }

    /// Whether only the replaced flags themselves need new links in `next`.
    fn keeps_links(&self, next: &Self, replaced: &[usize]) -> bool {
        replaced.iter().all(|&position| {
            links::keeps_links(&self.entries[position].flag, &next.entries[position].flag)
        })
    }

    fn relink(&mut self, previous: &Self, replaced: &[usize]) {
        for &position in replaced {
            let old = previous.entries[position].links.as_deref();
            self.entries[position].links = links::relink(old, &self.entries[position].flag, self);
        }
    }
}

fn prepare_flags(flags: &[snapshot::Flag], index: &KeyIndex) -> Result<Vec<Entry>, PrepareError> {
    flags
        .iter()
        .map(|flag| {
            let prepared = Arc::new(Flag::prepare(flag)?);
            Ok(Entry {
                flag: prepared,
                links: None,
                hash: index.hash(&flag.key),
                bytes: weight::of_flag(flag),
            })
        })
        .collect()
}

fn prepare_segments(segments: &[snapshot::Segment]) -> Vec<Placed> {
    let prepared = segments.iter().map(|segment| Placed {
        segment: Arc::new(Segment::prepare(segment)),
        compiled: Compiled::default(),
    });
    prepared.collect()
}

/// The effect of a merge on a sorted list.
enum Merged {
    /// Items at these positions were replaced; all others are where they were.
    Replaced(Vec<usize>),
    /// Items were added or removed.
    Shifted,
}

/// Removes, then replaces or adds. `items` is sorted by key before and after.
fn merge<'k, T>(
    items: &mut Vec<T>,
    upserts: Vec<T>,
    removed: impl Iterator<Item = &'k str>,
    key: impl Fn(&T) -> &str,
) -> Merged {
    let find = |items: &[T], wanted: &str| items.binary_search_by(|item| key(item).cmp(wanted));
    let mut gone: HashSet<usize> = removed
        .filter_map(|wanted| find(items, wanted).ok())
        .collect();
    let (mut replaced, mut added) = (Vec::new(), Vec::new());
    for upsert in upserts {
        match find(items, key(&upsert)) {
            Ok(position) => {
                gone.remove(&position);
                items[position] = upsert;
                replaced.push(position);
            }
            Err(_) => added.push(upsert),
        }
    }
    if gone.is_empty() && added.is_empty() {
        return Merged::Replaced(replaced);
    }
    let mut position = 0..;
    items.retain(|_| {
        position
            .next()
            .is_none_or(|position| !gone.contains(&position))
    });
    items.extend(added);
    items.sort_by(|a, b| key(a).cmp(key(b)));
    Merged::Shifted
}

fn first_duplicate<'i, T>(sorted: &'i [T], key: impl Fn(&'i T) -> &'i str) -> Option<&'i str> {
    sorted
        .iter()
        .zip(sorted.iter().skip(1))
        .find(|(a, b)| key(a) == key(b))
        .map(|(a, _)| key(a))
}
