//! What differs between two versions of an environment, as reported to clients.

use super::Environment;
use crate::{digest::Items, ids::FlagId, snapshot::Delta};

impl Environment {
    /// The flags to report to clients of `older`, by ascending id: those that were added, removed or changed, and those
    /// that refer to a segment of which this is true.
    #[must_use]
    pub fn flags_changed_since(&self, older: &Self) -> Vec<FlagId> {
        let differs = |key: &str| Items::flag(self, key) != Items::flag(older, key);
        let present = self
            .entries
            .iter()
            .filter(|entry| differs(entry.flag.key.as_str()));
        let gone = older
            .entries
            .iter()
            .filter(|entry| self.flag(entry.flag.key.as_str()).is_none());
        let flags = present.chain(gone).map(|entry| entry.flag.id);

        let segments = self
            .segments
            .iter()
            .chain(&older.segments)
            .map(|segment| &*segment.key);
        let differ = segments.filter(|key| Items::segment(self, key) != Items::segment(older, key));
        self.with_referring(flags, differ)
    }

    /// The flags to report to clients when `delta` led to this environment, by ascending id.
    #[must_use]
    pub fn flags_changed_by(&self, delta: &Delta) -> Vec<FlagId> {
        let changed = delta.flags.iter().map(|flag| flag.id);
        let removed = delta.removed_flags.iter().map(|flag| flag.id);
        let segments = delta.segments.iter().map(|segment| &*segment.key);
        let segments = segments.chain(delta.removed_segments.iter().map(|key| &**key));
        self.with_referring(changed.chain(removed), segments)
    }

    fn with_referring<'k>(
        &self,
        flags: impl Iterator<Item = FlagId>,
        segments: impl Iterator<Item = &'k str>,
    ) -> Vec<FlagId> {
        let referring = segments
            .flat_map(|key| self.flags_with_segment(key))
            .map(|flag| self.flag_id(flag));
        let mut flags: Vec<_> = flags.chain(referring).collect();
        flags.sort_unstable();
        flags.dedup();
        flags
    }
}
