//! The environments as polls find them: applied to what is known, and read by greetings.

use std::collections::HashSet;

use protocol::snapshot::{Digest, Version};

use super::{
    Hub, Interest, Regions,
    state::{Heard, State},
};
use crate::{ids::EnvId, publish::store::Seen};

/// What a poll changed.
#[derive(Debug, Default)]
pub(in crate::publish) struct Sighting {
    /// The environments whose version rose, with their previous version.
    pub(in crate::publish) raised: Vec<(EnvId, Version)>,
    /// The environments found below the version that was known. Versions of one history only rise, so this proves that
    /// the database was rewound. Until the next poll they count as unknown.
    pub(in crate::publish) lowered: Vec<EnvId>,
}

/// An environment that belongs to an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::publish) struct ListedEnvironment {
    pub(in crate::publish) env_id: EnvId,
    pub(in crate::publish) version: Version,
    /// The digest of this version, if it is known.
    pub(in crate::publish) digest: Option<Digest>,
}

impl Hub {
    /// Applies the result of a poll.
    pub(in crate::publish) fn see(&self, seen: &[Seen]) -> Sighting {
        let mut state = self.state();
        let sighting = state.see(seen);
        drop(state);
        self.progress.send_replace(());
        sighting
    }

    /// Applies a poll of everything: what is not in it is gone.
    pub(in crate::publish) fn see_all(&self, seen: &[Seen]) -> Sighting {
        let present: HashSet<EnvId> = seen.iter().filter_map(Seen::present).collect();
        let mut state = self.state();
        let missing: Vec<EnvId> = state
            .environments
            .keys()
            .filter(|env_id| !present.contains(env_id))
            .copied()
            .collect();
        missing.into_iter().for_each(|env_id| state.remove(env_id));
        // The database forgets removals too; a poll of everything names those that still matter.
        state.removed.clear();
        let sighting = state.see(seen);
        drop(state);
        self.progress.send_replace(());
        sighting
    }

    /// The digest of a version was computed: remembered if that version is listed.
    pub(in crate::publish) fn digested(&self, env_id: EnvId, version: Version, digest: Digest) {
        if let Some(listed) = self.state().environments.get_mut(&env_id)
            && listed.version == version
        {
            listed.digest.get_or_insert(digest);
        }
    }

    /// The environments that belong to an edge.
    pub(in crate::publish) fn listing(
        &self,
        regions: &Regions,
        interest: Interest,
        named: &[EnvId],
    ) -> Vec<ListedEnvironment> {
        let state = self.state();
        let listed = |env_id: &EnvId| {
            let listed = state.environments.get(env_id)?;
            regions.allow(&listed.region).then_some(ListedEnvironment {
                env_id: *env_id,
                version: listed.version,
                digest: listed.digest,
            })
        };
        match interest {
            Interest::All => state.environments.keys().filter_map(listed).collect(),
            Interest::Named => named.iter().filter_map(listed).collect(),
        }
    }
}

impl State {
    fn see(&mut self, seen: &[Seen]) -> Sighting {
        let mut sighting = Sighting::default();
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
                    Heard::Same => {}
                },
                Seen::Removed { env_id } => self.remove(*env_id),
            }
        }
        sighting
    }
}
