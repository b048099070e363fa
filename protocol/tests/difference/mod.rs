//! The delta from one environment to another.

use protocol::{
    digest,
    snapshot::{Delta, Head, RemovedFlag, Snapshot},
};

/// `base` is the version of the old one; the delta leads to the next.
pub(crate) fn difference(old: &Snapshot, new: &Snapshot, base: u64) -> Delta {
    let removed = old
        .flags
        .iter()
        .filter(|old| new.flags.iter().all(|new| new.key != old.key));
    let removed_segments = old
        .segments
        .iter()
        .filter(|old| new.segments.iter().all(|new| new.key != old.key));
    let removed_keys = old
        .keys
        .iter()
        .filter(|old| new.keys.iter().all(|new| new.hash != old.hash));
    Delta {
        head: Head {
            version: base + 1,
            ..new.head.clone()
        },
        base,
        digest: digest::of(new),
        flags: changed(&old.flags, &new.flags),
        removed_flags: removed
            .map(|flag| RemovedFlag {
                id: flag.id,
                key: flag.key.clone(),
            })
            .collect(),
        segments: changed(&old.segments, &new.segments),
        removed_segments: removed_segments
            .map(|segment| segment.key.clone())
            .collect(),
        keys: changed(&old.keys, &new.keys),
        removed_keys: removed_keys.map(|key| key.hash).collect(),
        urgent: false,
    }
}

fn changed<T: Clone + PartialEq>(old: &[T], new: &[T]) -> Vec<T> {
    new.iter()
        .filter(|item| !old.contains(item))
        .cloned()
        .collect()
}
