//! Backoff for environments that cannot be compiled or sent.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;

use base::ids::EnvId;

/// Consecutive failures. Only broken environments have an entry.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<EnvId, u32>>);

impl Failures {
    /// Records a failure: the pause is a second after the first, and doubles with each further one, up to five minutes.
    pub(super) fn next_pause(&self, env_id: EnvId) -> Duration {
        let mut failures = self.0.lock();
        let before = failures.entry(env_id).or_default();
        let seconds = 1 << (*before).min(16);
        *before += 1;
        Duration::from_secs(seconds).min(Duration::from_secs(300))
    }

    /// Whether the last attempt failed.
    pub(super) fn contains(&self, env_id: EnvId) -> bool {
        self.0.lock().contains_key(&env_id)
    }

    /// Records a success. Returns whether the last attempt had failed.
    pub(super) fn clear(&self, env_id: EnvId) -> bool {
        self.0.lock().remove(&env_id).is_some()
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
            assert!(failures.next_pause(env_id) <= Duration::from_secs(300));
        }
        assert!(failures.clear(env_id) && !failures.clear(env_id));
        assert_eq!(failures.next_pause(env_id), Duration::from_secs(1));
    }
}
