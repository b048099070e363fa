//! What was listed and acknowledged of late, so that whoever follows a version hears of what came just before they asked.

use std::{
    collections::{HashMap, VecDeque},
    time::Duration,
};

use protocol::{ids::EnvId, snapshot::Version};
use tokio::time::Instant;

/// What is remembered at most: of the last moments, however much there is.
const MOST: usize = 4_096;

/// The latest of it. Empty while nobody may ask.
#[derive(Debug, Default)]
pub(super) struct Recent {
    is_kept: bool,
    entries: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    env_id: EnvId,
    version: Version,
    /// The connection that acknowledged it; `None`: it was listed.
    connection: Option<u64>,
    at: Instant,
}

impl Recent {
    pub(super) fn keep(&mut self, is_kept: bool) {
        self.is_kept = is_kept;
        if !is_kept {
            self.entries = VecDeque::new();
        }
    }

    pub(super) fn note(&mut self, env_id: EnvId, version: Version, connection: Option<u64>) {
        if !self.is_kept {
            return;
        }
        if self.entries.len() == MOST {
            self.entries.pop_front();
        }
        self.entries.push_back(Entry {
            env_id,
            version,
            connection,
            at: Instant::now(),
        });
    }

    /// When the acknowledgement that is being taken in came, so that all who follow a version give it the same time.
    pub(super) fn acknowledged_at(&self, env_id: EnvId, connection: u64) -> Instant {
        let is_it = |entry: &&Entry| {
            entry.env_id == env_id
                && entry.connection == Some(connection)
                && entry.at.elapsed() < Duration::from_millis(5)
        };
        let last = self.entries.back().filter(is_it);
        last.map_or_else(Instant::now, |entry| entry.at)
    }

    /// When the version, or one that is newer, was listed.
    pub(super) fn listed(&self, env_id: EnvId, version: Version) -> Option<Instant> {
        let mut listed = self.of(env_id, version);
        listed.find_map(|entry| entry.connection.is_none().then_some(entry.at))
    }

    /// When each connection acknowledged it, or one that is newer.
    pub(super) fn acknowledged(&self, env_id: EnvId, version: Version) -> HashMap<u64, Instant> {
        let mut acknowledged = HashMap::new();
        for entry in self.of(env_id, version) {
            if let Some(connection) = entry.connection {
                acknowledged.entry(connection).or_insert(entry.at);
            }
        }
        acknowledged
    }

    fn of(&self, env_id: EnvId, version: Version) -> impl Iterator<Item = &Entry> {
        let entries = self.entries.iter();
        entries.filter(move |entry| entry.env_id == env_id && entry.version >= version)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ENV: EnvId = EnvId::new(Uuid::from_u128(1));

    #[test]
    fn only_the_latest_is_remembered_and_nothing_while_nobody_asks() {
        let mut recent = Recent::default();
        recent.note(ENV, 1, None);
        assert_eq!(recent.listed(ENV, 1), None);
        recent.keep(true);
        for version in 1..=5_000 {
            recent.note(ENV, version, Some(7));
        }
        assert_eq!(recent.entries.len(), MOST);
        let first = recent.entries.front().unwrap();
        assert_eq!(first.version, 5_000 - 4_096 + 1);
        assert_eq!(recent.acknowledged(ENV, 1), HashMap::from([(7, first.at)]));
        assert!(recent.acknowledged(ENV, 5_001).is_empty());
        assert_eq!(recent.listed(ENV, 1), None);
        recent.note(ENV, 5_001, None);
        assert_eq!(recent.listed(ENV, 1), recent.listed(ENV, 5_001));
        assert!(recent.listed(ENV, 1).is_some());
        recent.keep(false);
        assert!(recent.entries.is_empty());
    }
}
