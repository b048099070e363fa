//! The environments of a relay, as the hub lists them: the region and the version of each.

use std::{collections::HashMap, sync::Arc, time::Duration};

use fanout::{Regions, Seen};
use protocol::{ids::EnvId, wire::message::Held};

/// The environments that are served, and their data regions.
#[derive(Debug, Default)]
pub(super) struct Served {
    environments: HashMap<EnvId, Held>,
    /// The regions that this edge may hold; `None` until the server above accepts it as a relay.
    own: Option<Regions>,
    /// How long an acknowledgement may wait for the edges below.
    patience: Duration,
    /// Reported one by one if it may hold all.
    regions: HashMap<EnvId, Arc<str>>,
}

impl Served {
    pub(super) const fn own(&self) -> Option<&Regions> {
        self.own.as_ref()
    }

    pub(super) const fn patience(&self) -> Duration {
        self.patience
    }

    pub(super) fn set_own(&mut self, own: Regions, patience: Duration) {
        self.own = Some(own);
        self.patience = patience;
    }

    /// Takes the environments held after a greeting, unless a newer version was applied meanwhile. Returns those that are
    /// no longer held.
    pub(super) fn greet(&mut self, holds: &[Held], is_same_history: bool) -> Vec<EnvId> {
        let before = std::mem::take(&mut self.environments);
        for held in holds {
            let newer = before
                .get(&held.env_id)
                .filter(|before| is_same_history && before.version > held.version);
            self.environments
                .insert(held.env_id, *newer.unwrap_or(held));
        }
        let environments = &self.environments;
        self.regions
            .retain(|env_id, _| environments.contains_key(env_id));
        let before = before.into_keys();
        before
            .filter(|env_id| !environments.contains_key(env_id))
            .collect()
    }

    pub(super) fn apply(&mut self, held: Held) {
        self.environments.insert(held.env_id, held);
    }

    pub(super) fn remove(&mut self, env_id: EnvId) {
        self.environments.remove(&env_id);
        self.regions.remove(&env_id);
    }

    /// There are few regions, so their names are shared.
    pub(super) fn place(&mut self, region: &str, environments: &[EnvId]) {
        let known = self.regions.values().find(|known| ***known == *region);
        let region: Arc<str> = known.map_or_else(|| region.into(), Arc::clone);
        let placed = environments.iter();
        self.regions
            .extend(placed.map(|env_id| (*env_id, Arc::clone(&region))));
    }

    pub(super) fn held(&self, env_id: EnvId) -> Option<&Held> {
        self.environments.get(&env_id)
    }

    /// The region of an environment, as far as it is known.
    pub(super) fn region(&self, env_id: EnvId) -> Option<Arc<str>> {
        match self.own.as_ref()? {
            Regions::Only(region) => Some(Arc::clone(region)),
            Regions::All => self.regions.get(&env_id).cloned(),
        }
    }

    /// An environment that is passed on: served, and of a known region.
    pub(super) fn seen(&self, env_id: EnvId) -> Option<Seen> {
        let held = self.held(env_id)?;
        Some(Seen::Environment {
            env_id,
            version: held.version,
            region: self.region(env_id)?,
            digest: Some(held.digest),
        })
    }

    pub(super) fn all_seen(&self) -> Vec<Seen> {
        let environments = self.environments.keys();
        environments
            .filter_map(|env_id| self.seen(*env_id))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use protocol::snapshot::{Digest, Version};
    use uuid::Uuid;

    use super::*;

    fn held(number: u128, version: Version) -> Held {
        Held {
            env_id: EnvId::new(Uuid::from_u128(number)),
            version,
            digest: Digest([0; 32]),
        }
    }

    #[test]
    fn an_environment_has_the_relays_region_or_the_one_that_was_told() {
        let (first, second) = (held(1, 1), held(2, 1));
        let mut served = Served::default();
        served.greet(&[first, second], false);
        served.place("us", &[first.env_id]);
        assert!(
            served.all_seen().is_empty(),
            "nobody said that this is a relay"
        );
        served.set_own(Regions::All, Duration::ZERO);
        assert_eq!(served.region(first.env_id).as_deref(), Some("us"));
        assert_eq!(served.all_seen().len(), 1, "the other has no region yet");
        served.set_own(Regions::Only("eu".into()), Duration::ZERO);
        assert_eq!(served.region(second.env_id).as_deref(), Some("eu"));
        assert_eq!(served.all_seen().len(), 2);
    }

    #[test]
    fn what_was_applied_during_a_greeting_of_the_same_history_stays() {
        let mut served = Served::default();
        served.apply(held(1, 7));
        served.apply(held(2, 7));
        let dropped = served.greet(&[held(1, 6)], true);
        assert_eq!(dropped, [held(2, 7).env_id]);
        let env = |number| EnvId::new(Uuid::from_u128(number));
        assert_eq!(served.held(env(1)), Some(&held(1, 7)));
        assert_eq!(served.held(env(2)), None, "dropped");
        served.greet(&[held(1, 2)], false);
        assert_eq!(served.held(env(1)), Some(&held(1, 2)));
    }
}
