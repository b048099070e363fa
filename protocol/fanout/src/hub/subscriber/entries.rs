//! Where an edge differs from the listing.

use std::collections::HashMap;

use super::Subscriber;
use protocol::ids::EnvId;

use crate::hub::{holding::Holding, listing::Listed, regions::Interest};

/// Entries for which room is kept.
const LASTING: usize = 64;

/// How much of what is listed an edge holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::hub) struct Counts {
    /// At whatever version.
    pub(in crate::hub) held: usize,
    /// At a version older than the listed one.
    pub(in crate::hub) behind: usize,
}

impl Counts {
    fn add(&mut self, holding: Option<&Holding>, listed: Option<&Listed>) {
        let (held, behind) = Self::weigh(holding, listed);
        self.held += usize::from(held);
        self.behind += usize::from(behind);
    }

    fn subtract(&mut self, holding: Option<&Holding>, listed: Option<&Listed>) {
        let (held, behind) = Self::weigh(holding, listed);
        self.held -= usize::from(held);
        self.behind -= usize::from(behind);
    }

    fn weigh(holding: Option<&Holding>, listed: Option<&Listed>) -> (bool, bool) {
        let held = holding.and_then(|holding| holding.held);
        match held.zip(listed) {
            Some((held, listed)) => (true, held < listed.version),
            None => (false, false),
        }
    }
}

impl Subscriber {
    /// Whether a listed environment is one of those that the edge holds unless it says otherwise.
    pub(super) fn wants(&self, env_id: EnvId, listed: &Listed) -> bool {
        self.regions.allow(&listed.region)
            && match self.interest {
                Interest::All => true,
                Interest::Named => self.named.contains(&env_id),
            }
    }

    /// What the edge holds of an environment, or awaits.
    pub(in crate::hub) fn holding(
        &self,
        env_id: EnvId,
        listed: Option<&Listed>,
    ) -> Option<Holding> {
        if let Some(holding) = self.deviations.get(&env_id) {
            return Some(*holding);
        }
        let listed = listed.filter(|listed| self.wants(env_id, listed))?;
        if self.fresh.contains(listed.slot) {
            return Some(Holding::fresh());
        }
        Some(Holding::settled(
            listed.version,
            listed.since.max(self.since),
        ))
    }

    /// Changes what the edge holds of an environment, which is listed as `before` until then, and as `now` afterwards.
    pub(super) fn change<T>(
        &mut self,
        env_id: EnvId,
        before: Option<&Listed>,
        now: Option<&Listed>,
        change: impl FnOnce(&mut Self, &mut Option<Holding>) -> T,
    ) -> T {
        let mut holding = self.holding(env_id, before);
        if before.is_some_and(|before| self.fresh.remove(before.slot)) {
            self.wholes.push_back(env_id);
        }
        self.counts.subtract(holding.as_ref(), before);
        let result = change(self, &mut holding);
        self.counts.add(holding.as_ref(), now);
        self.keep(env_id, holding, now);
        result
    }

    fn keep(&mut self, env_id: EnvId, holding: Option<Holding>, listed: Option<&Listed>) {
        let is_as_listed = |holding: &Holding| {
            listed.is_some_and(|listed| {
                self.wants(env_id, listed) && holding.is_settled_at(listed.version)
            })
        };
        match holding {
            Some(holding) if !is_as_listed(&holding) => {
                self.deviations.insert(env_id, holding);
            }
            Some(_) => self.follow_listing(env_id),
            None => {
                self.named.remove(&env_id);
                self.follow_listing(env_id);
            }
        }
    }

    fn follow_listing(&mut self, env_id: EnvId) {
        self.deviations.remove(&env_id);
        // Many at once are an exception, and their room is not kept.
        if self.deviations.is_empty() && self.deviations.capacity() > LASTING {
            self.deviations = HashMap::new();
            self.updates.shrink_to(LASTING);
            self.wholes.shrink_to(LASTING);
        }
    }
}
