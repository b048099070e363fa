//! Backoff for environments that cannot be compiled or sent.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base::ids::EnvId;

/// The pause after the first failure; doubles with each further one, up to the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// Consecutive failures. Only broken environments have an entry.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<EnvId, u32>>);

impl Failures {
    /// Records a failure.
    pub(super) fn next_pause(&self, env_id: EnvId) -> Duration {
        let mut failures = self.failures();
        let before = failures.entry(env_id).or_default();
        let pause = FIRST.saturating_mul(1 << (*before).min(16)).min(LONGEST);
        *before += 1;
        pause
    }

    /// Whether the last attempt failed.
    pub(super) fn contains(&self, env_id: EnvId) -> bool {
        self.failures().contains_key(&env_id)
    }

    /// Records a success. Returns whether the last attempt had failed.
    pub(super) fn clear(&self, env_id: EnvId) -> bool {
        self.failures().remove(&env_id).is_some()
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<EnvId, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn pauses_double_until_something_works() {
        let failures = Failures::default();
        let env_id = EnvId(Uuid::from_u128(1));
        let pauses = [1, 2, 4, 8].map(Duration::from_secs);
        assert_eq!([0; 4].map(|_| failures.next_pause(env_id)), pauses);
        for _ in 0..100 {
            assert!(failures.next_pause(env_id) <= LONGEST);
        }
        assert!(failures.clear(env_id) && !failures.clear(env_id));
        assert_eq!(failures.next_pause(env_id), FIRST);
    }
}
