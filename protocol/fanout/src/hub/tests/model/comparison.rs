//! What has to be the same in both.

use super::{Simple, Wait, World};
use protocol::ids::EnvId;

use crate::hub::{
    Change, Version, Whom,
    holding::{Delivery, Holding},
    state::State,
};

impl World {
    pub(super) fn is_known(&self, change: &Change) -> bool {
        let mut environments = change.environments.iter();
        environments.all(|env_id| self.is_known_in(*env_id, change.version))
    }

    fn is_known_in(&self, env_id: EnvId, version: Version) -> bool {
        match self.listed.get(&env_id) {
            Some((listed, _)) => *listed >= version,
            None => self.removed.contains(&env_id),
        }
    }

    /// The environments of a wait in which it waits for this edge.
    pub(super) fn pending(&self, simple: &Simple, wait: &Wait) -> impl Iterator<Item = EnvId> {
        let version = wait.change.version;
        let environments = wait.change.environments.iter().copied();
        environments.filter(move |env_id| {
            self.is_known_in(*env_id, version)
                && match wait.whom {
                    Whom::All => simple.serves(*env_id, version) == Some(false),
                    Whom::KeepingUp if self.listed.contains_key(env_id) => {
                        simple.is_awaited(*env_id, version)
                    }
                    Whom::KeepingUp => simple.is_awaited_gone(*env_id),
                }
        })
    }

    pub(super) fn compare(&self) {
        let state = self.hub.state();
        for (id, (_, simple)) in &self.connections {
            let edge = &state.connected[id].subscriber;
            assert_eq!(edge.has_updates(), !simple.updates.is_empty());
            assert_eq!(edge.has_wholes(), !simple.wholes.is_empty());
            for env_id in &self.known {
                let holding = edge.holding(*env_id, state.listing.get(*env_id));
                let expected = simple.holdings.get(env_id).copied();
                assert_eq!(
                    holding.map(essence),
                    expected.map(essence),
                    "{env_id:?} of {edge:?}"
                );
            }
            self.compare_counts(&state, *id, simple);
        }
        for wait in &self.waits {
            let is_known = match wait.whom {
                Whom::KeepingUp => self.is_blind || self.is_known(&wait.change),
                Whom::All => self.is_known(&wait.change),
            };
            let mut edges = self.connections.values();
            let is_pending = edges.any(|(_, simple)| self.pending(simple, wait).next().is_some());
            let is_nobody_there = self.connections.is_empty() && wait.whom == Whom::KeepingUp;
            assert_eq!(
                state.is_over(wait.id),
                is_nobody_there || (is_known && !is_pending)
            );
        }
    }

    fn compare_counts(&self, state: &State, id: u64, simple: &Simple) {
        let (mut held, mut behind) = (0, 0);
        for (env_id, (version, _)) in &self.listed {
            if let Some(at) = simple.holdings.get(env_id).and_then(|holding| holding.held) {
                held += 1;
                behind += usize::from(at < *version);
            }
        }
        let counts = state.connected[&id].subscriber.counts();
        assert_eq!((counts.held, counts.behind), (held, behind));
    }
}

/// Without what has no meaning: times, and what was sent once it was answered.
fn essence(holding: Holding) -> Holding {
    Holding {
        since: None,
        sent: match holding.delivery {
            Delivery::Contents => holding.sent,
            Delivery::Idle | Delivery::Queued | Delivery::Removal => 0,
        },
        ..holding
    }
}
