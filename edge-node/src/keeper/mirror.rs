//! What the cache holds beside what is served, and how they differ.

use std::collections::{BTreeSet, HashMap};

use protocol::ids::EnvId;

use crate::{cache::Stored, current::State};

/// What the cache held at its last flush, and which of the served environments it did not hold as they are served.
#[derive(Debug, Default)]
pub(super) struct Mirror {
    stored: HashMap<EnvId, Stored>,
    missing: BTreeSet<EnvId>,
}

impl Mirror {
    /// Takes over what was found when the cache was opened.
    pub(super) fn opened(&mut self, stored: HashMap<EnvId, Stored>) {
        self.stored = stored;
    }

    /// Records what is stored of an environment, and what is served of it.
    pub(super) fn flushed(&mut self, env_id: EnvId, stored: Option<Stored>, served: Option<State>) {
        match stored {
            Some(stored) => self.stored.insert(env_id, stored),
            None => self.stored.remove(&env_id),
        };
        if served.is_some_and(|served| !is_same(stored, served)) {
            self.missing.insert(env_id);
        } else {
            self.missing.remove(&env_id);
        }
    }

    /// Compares everything.
    pub(super) fn compare(&mut self, served: &[(EnvId, State)]) {
        let missing = served
            .iter()
            .filter(|(env_id, served)| !is_same(self.stored.get(env_id).copied(), *served));
        self.missing = missing.map(|(env_id, _)| *env_id).collect();
    }

    /// Served environments that are not stored as they are served.
    pub(super) fn missing(&self) -> &BTreeSet<EnvId> {
        &self.missing
    }

    /// Stored environments that are not served.
    pub(super) fn surplus(&self, served: &[(EnvId, State)]) -> Vec<EnvId> {
        let served: BTreeSet<_> = served.iter().map(|(env_id, _)| *env_id).collect();
        let stored = self.stored.keys().copied();
        stored.filter(|env_id| !served.contains(env_id)).collect()
    }
}

fn is_same(stored: Option<Stored>, (epoch, version): State) -> bool {
    stored.is_some_and(|stored| epoch == Some(stored.epoch) && version == stored.version)
}

#[cfg(test)]
mod tests {
    use protocol::wire::message::Epoch;
    use uuid::Uuid;

    use super::*;

    const EPOCH: Epoch = Epoch([1; 16]);

    fn env(number: u128) -> EnvId {
        Uuid::from_u128(number).into()
    }

    fn stored(version: u64) -> Stored {
        Stored {
            epoch: EPOCH,
            version,
        }
    }

    fn served(version: u64) -> State {
        (Some(EPOCH), version)
    }

    #[test]
    fn what_is_missing_is_what_is_served_and_not_stored_like_that() {
        let mut mirror = Mirror::default();
        mirror.opened((1..=4).map(|number| (env(number), stored(7))).collect());
        let other = (Some(Epoch([2; 16])), 7);
        let now = [
            (env(1), served(7)),
            (env(2), served(8)),
            (env(3), other),
            (env(5), served(7)),
        ];
        mirror.compare(&now);
        assert_eq!(*mirror.missing(), [env(2), env(3), env(5)].into());
        assert_eq!(mirror.surplus(&now), [env(4)]);
    }

    #[test]
    fn a_flush_counts_down_what_is_missing() {
        let mut mirror = Mirror::default();
        mirror.compare(&[(env(1), served(7)), (env(2), served(7))]);
        mirror.flushed(env(1), Some(stored(7)), Some(served(7)));
        assert_eq!(*mirror.missing(), [env(2)].into());
        // Newer by now: that change waits, or was lost.
        mirror.flushed(env(2), Some(stored(7)), Some(served(8)));
        assert_eq!(*mirror.missing(), [env(2)].into());
        mirror.flushed(env(2), None, None);
        assert!(mirror.missing().is_empty());
    }
}
