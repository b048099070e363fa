//! The environments that the link has to ask for, because they are served and neither stored nor about to be.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::ids::EnvId;
use tokio::{sync::watch, time::Instant};

/// Environments asked for at the same time: enough for a slow line, and no burden on the control plane.
const AT_ONCE: usize = 16;
/// What has not come after this time is asked for again.
const PATIENCE: Duration = Duration::from_secs(30);

/// Set by the thread that writes the cache, read by the link.
#[derive(Debug)]
pub(super) struct Missing {
    environments: Mutex<BTreeSet<EnvId>>,
    changed: watch::Sender<()>,
}

impl Default for Missing {
    fn default() -> Self {
        Self {
            environments: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl Missing {
    pub(super) fn set(&self, environments: BTreeSet<EnvId>) {
        let mut before = self.environments();
        if *before != environments {
            *before = environments;
            self.changed.send_replace(());
        }
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    fn environments(&self) -> MutexGuard<'_, BTreeSet<EnvId>> {
        self.environments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one connection has asked for.
#[derive(Debug, Default)]
pub(super) struct Asked(HashMap<EnvId, Instant>);

impl Asked {
    /// What to ask for next.
    pub(super) fn next(&mut self, missing: &Missing, now: Instant) -> Vec<EnvId> {
        let missing = missing.environments();
        self.0
            .retain(|env_id, at| missing.contains(env_id) && now.duration_since(*at) < PATIENCE);
        let room = AT_ONCE - self.0.len();
        let others = missing.iter().filter(|env_id| !self.0.contains_key(env_id));
        let next: Vec<_> = others.take(room).copied().collect();
        self.0.extend(next.iter().map(|env_id| (*env_id, now)));
        next
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn envs(numbers: std::ops::Range<u128>) -> BTreeSet<EnvId> {
        numbers
            .map(|number| Uuid::from_u128(number).into())
            .collect()
    }

    #[test]
    fn few_are_asked_for_at_once_and_again_when_they_do_not_come() {
        let (missing, mut asked, now) = (Missing::default(), Asked::default(), Instant::now());
        missing.set(envs(0..100));
        assert_eq!(asked.next(&missing, now), Vec::from_iter(envs(0..16)));
        assert_eq!(asked.next(&missing, now), []);
        // Three have come and are stored.
        missing.set(envs(3..100));
        assert_eq!(asked.next(&missing, now), Vec::from_iter(envs(16..19)));
        let later = now + PATIENCE;
        assert_eq!(asked.next(&missing, later), Vec::from_iter(envs(3..19)));
        missing.set(envs(0..0));
        assert_eq!(asked.next(&missing, now), []);
        assert!(asked.0.is_empty());
    }
}
