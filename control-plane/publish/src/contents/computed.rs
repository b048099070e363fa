//! Computed digests that wait to be stored, so that greetings need not compute them.

use std::collections::HashMap;

use parking_lot::Mutex;
use protocol::snapshot::{Digest, Version};

use base::ids::EnvId;

/// The time between two resets: data read in one era is invalid in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Era(u64);

/// The newest digests that were not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Computed(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    era: Era,
    digests: HashMap<EnvId, (Version, Digest)>,
}

impl Computed {
    pub(super) fn era(&self) -> Era {
        self.0.lock().era
    }

    /// Notes a digest; false if its contents were read in another era.
    pub(super) fn note(&self, era: Era, env_id: EnvId, version: Version, digest: Digest) -> bool {
        let mut state = self.0.lock();
        let is_now = state.era == era;
        if is_now {
            state.digests.insert(env_id, (version, digest));
        }
        is_now
    }

    pub(super) fn forget(&self) {
        let mut state = self.0.lock();
        state.era.0 += 1;
        state.digests.clear();
    }

    pub(crate) fn take(&self, most: usize) -> Vec<(EnvId, Version, Digest)> {
        let mut state = self.0.lock();
        let taken: Vec<EnvId> = state.digests.keys().take(most).copied().collect();
        let take = |env_id: EnvId| {
            let (version, digest) = state.digests.remove(&env_id)?;
            Some((env_id, version, digest))
        };
        taken.into_iter().filter_map(take).collect()
    }

    /// Puts back digests that could not be stored, unless newer ones were noted meanwhile.
    pub(crate) fn put_back(&self, taken: Vec<(EnvId, Version, Digest)>) {
        let mut state = self.0.lock();
        for (env_id, version, digest) in taken {
            state.digests.entry(env_id).or_insert((version, digest));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_was_read_before_everything_was_forgotten_is_not_noted() {
        let computed = Computed::default();
        let (env_id, digest) = (EnvId(Uuid::from_u128(1)), Digest([1; 32]));
        let before = computed.era();
        assert!(computed.note(before, env_id, 7, digest));
        computed.forget();
        assert!(!computed.note(before, env_id, 8, digest));
        assert_eq!(computed.take(10), []);
        assert!(computed.note(computed.era(), env_id, 3, digest));
        let taken = computed.take(10);
        assert_eq!(taken, [(env_id, 3, digest)]);
        computed.put_back(taken);
        assert_eq!(computed.take(10).len(), 1);
    }
}
