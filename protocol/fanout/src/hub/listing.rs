//! The environments as polls find them. All edges share this vector of versions; an edge keeps where it differs.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use protocol::snapshot::{Digest, Version};
use tokio::time::Instant;

use super::{
    Ended, Hub, Interest, Regions,
    state::{Heard, State},
};
use protocol::ids::EnvId;

/// Environments that are looked at in one hold of the lock.
pub(super) const AT_ONCE: usize = 512;

/// An environment that a poll found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It exists, at this version.
    Environment {
        /// Which.
        env_id: EnvId,
        /// Its version.
        version: Version,
        /// The data region of its organization.
        region: Arc<str>,
        /// The digest of exactly this version, if it is known.
        digest: Option<Digest>,
    },
    /// It is gone.
    Removed {
        /// Which.
        env_id: EnvId,
    },
}

impl Seen {
    /// The environment, if it exists.
    const fn present(&self) -> Option<EnvId> {
        match self {
            Self::Environment { env_id, .. } => Some(*env_id),
            Self::Removed { .. } => None,
        }
    }
}

/// An environment as the last poll found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// Its number as long as it is listed.
    pub(super) slot: u32,
    pub(super) version: Version,
    pub(super) region: Arc<str>,
    /// The digest of this version, if it is known.
    pub(super) digest: Option<Digest>,
    /// When this version was found.
    pub(super) since: Instant,
    /// Whether a lower version was found, or other contents: what edges should serve is not known any more.
    pub(super) is_doubtful: bool,
}

impl Listed {
    /// Whether its version is known to have other contents.
    pub(super) fn is_contradicted_by(&self, digest: Option<Digest>) -> bool {
        self.digest
            .zip(digest)
            .is_some_and(|(known, found)| known != found)
    }
}

/// All environments that exist.
#[derive(Debug, Default)]
pub(super) struct Listing {
    environments: HashMap<EnvId, Listed>,
    slots: Vec<Option<EnvId>>,
    free: Vec<u32>,
}

impl Listing {
    pub(super) fn get(&self, env_id: EnvId) -> Option<&Listed> {
        self.environments.get(&env_id)
    }

    pub(super) fn get_mut(&mut self, env_id: EnvId) -> Option<&mut Listed> {
        self.environments.get_mut(&env_id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (EnvId, &Listed)> {
        let environments = self.environments.iter();
        environments.map(|(env_id, listed)| (*env_id, listed))
    }

    pub(super) fn len(&self) -> usize {
        self.environments.len()
    }

    /// The environment with this number.
    pub(super) fn at(&self, slot: u32) -> Option<EnvId> {
        self.slots.get(slot as usize).copied().flatten()
    }

    /// How many numbers there are, in use or not.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Lists a version. Returns what was listed before.
    pub(super) fn insert(
        &mut self,
        env_id: EnvId,
        version: Version,
        region: &Arc<str>,
        digest: Option<Digest>,
    ) -> Option<Listed> {
        let slot = match self.get(env_id) {
            Some(before) => before.slot,
            None => self.number(env_id),
        };
        let listed = Listed {
            slot,
            version,
            region: Arc::clone(region),
            digest,
            since: Instant::now(),
            is_doubtful: false,
        };
        self.environments.insert(env_id, listed)
    }

    /// The number may be given to another environment from now on.
    pub(super) fn remove(&mut self, env_id: EnvId) -> Option<Listed> {
        let listed = self.environments.remove(&env_id)?;
        self.slots[listed.slot as usize] = None;
        self.free.push(listed.slot);
        Some(listed)
    }

    fn number(&mut self, env_id: EnvId) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = Some(env_id);
            return slot;
        }
        self.slots.push(Some(env_id));
        u32::try_from(self.slots.len() - 1).expect("there are fewer environments than 2^32")
    }
}

/// What a poll changed.
#[derive(Debug, Default)]
pub struct Sighting {
    /// The environments whose version rose, with their previous version.
    pub raised: Vec<(EnvId, Version)>,
    /// The environments found below the version that was known. Versions of one history only rise, so this proves that
    /// the database was rewound. No write counts as arrived in them until their version is known again.
    pub lowered: Vec<EnvId>,
    /// The environments found with other contents than were known at their version, which proves the same.
    pub contradicted: Vec<EnvId>,
}

/// An environment that belongs to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListedEnvironment {
    pub(crate) env_id: EnvId,
    pub(crate) version: Version,
    /// The digest of this version, if it is known.
    pub(crate) digest: Option<Digest>,
}

impl Hub {
    /// Applies the result of a poll.
    pub fn see(&self, seen: &[Seen]) -> Sighting {
        let mut sighting = Sighting::default();
        self.state().is_blind = false;
        for seen in seen.chunks(AT_ONCE) {
            self.state().see(seen, &mut sighting);
        }
        self.state().forget_removed();
        self.polled.send_replace(());
        sighting
    }

    /// Applies a poll of everything: what is not in it is gone.
    pub fn see_all(&self, seen: &[Seen]) -> Sighting {
        let present: HashSet<EnvId> = seen.iter().filter_map(Seen::present).collect();
        let missing: Vec<EnvId> = {
            let state = self.state();
            let ids = state.listing.iter().map(|(env_id, _)| env_id);
            ids.filter(|env_id| !present.contains(env_id)).collect()
        };
        for missing in missing.chunks(AT_ONCE) {
            let mut state = self.state();
            missing.iter().for_each(|env_id| state.remove(*env_id));
        }
        self.see(seen)
    }

    /// What was known of environments was wrong, and this is what there is. All edges greet again: what they hold is compared
    /// with it then.
    pub fn correct(&self, seen: &[Seen]) {
        let mut state = self.state();
        for seen in seen {
            if let Seen::Environment {
                env_id,
                version,
                region,
                digest,
            } = seen
            {
                state.listing.insert(*env_id, *version, region, *digest);
            }
        }
        state.dismiss(Ended::EpochChanged, |_| true);
        state.review_all();
        drop(state);
        self.roster.notify_one();
    }

    /// The digest of a version was computed: remembered if that version is listed. False if it is known to have another one.
    #[must_use]
    pub fn digested(&self, env_id: EnvId, version: Version, digest: Digest) -> bool {
        let mut state = self.state();
        let listed = state.listing.get_mut(env_id);
        let Some(listed) = listed.filter(|listed| listed.version == version) else {
            return true;
        };
        let is_known_otherwise = listed.is_contradicted_by(Some(digest));
        listed.digest.get_or_insert(digest);
        if is_known_otherwise {
            listed.is_doubtful = true;
            state.review(env_id);
        }
        !is_known_otherwise
    }

    /// The version of each environment that is known to be current.
    pub fn versions(&self) -> Vec<(EnvId, Version)> {
        let state = self.state();
        let listed = state.listing.iter();
        let listed = listed.filter(|(_, listed)| !listed.is_doubtful);
        listed
            .map(|(env_id, listed)| (env_id, listed.version))
            .collect()
    }

    /// An environment, as it is listed.
    pub(crate) fn find(&self, env_id: EnvId) -> Option<ListedEnvironment> {
        let state = self.state();
        let listed = state.listing.get(env_id)?;
        Some(ListedEnvironment {
            env_id,
            version: listed.version,
            digest: listed.digest,
        })
    }

    /// The environments that belong to an edge.
    pub(crate) fn listing(
        &self,
        regions: &Regions,
        interest: Interest,
        named: &[EnvId],
    ) -> Vec<ListedEnvironment> {
        let allowed = |env_id: EnvId, listed: &Listed| {
            let listed = regions.allow(&listed.region).then_some(listed)?;
            Some(ListedEnvironment {
                env_id,
                version: listed.version,
                digest: listed.digest,
            })
        };
        let state = self.state();
        match interest {
            Interest::All => {
                let mut listing = Vec::with_capacity(state.listing.len());
                let all = state.listing.iter();
                listing.extend(all.filter_map(|(env_id, listed)| allowed(env_id, listed)));
                listing
            }
            Interest::Named => named
                .iter()
                .filter_map(|env_id| allowed(*env_id, state.listing.get(*env_id)?))
                .collect(),
        }
    }
}

impl State {
    fn see(&mut self, seen: &[Seen], sighting: &mut Sighting) {
        for seen in seen {
            match seen {
                Seen::Environment {
                    env_id,
                    version,
                    region,
                    digest,
                } => match self.list(*env_id, *version, region, *digest) {
                    Heard::Raised(before) => sighting.raised.push((*env_id, before)),
                    Heard::Lowered => sighting.lowered.push(*env_id),
                    Heard::Contradicted => sighting.contradicted.push(*env_id),
                    Heard::Same => {}
                },
                Seen::Removed { env_id } => self.remove(*env_id),
            }
        }
    }
}
