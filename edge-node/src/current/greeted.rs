//! What an edge holds when it greets, and what it keeps of that.

use std::collections::{HashMap, HashSet};

use protocol::wire::message::{Epoch, Held};

use super::{Current, Greeting, Listing};

impl Current {
    /// The epoch of the latest greeting, or else that of the cache, and what is held from it.
    pub(crate) fn holds(&self) -> (Option<Epoch>, Vec<Held>) {
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let mut epoch = self.expected.lock().epoch();
        let mut holds = Vec::with_capacity(slots.len());
        for slot in slots {
            let mut turn = slot.turn();
            epoch = epoch.or(turn.epoch);
            // Versions of another epoch cannot be compared: not naming them has them sent whole. Should that epoch come back, with
            // a backup that is restored twice, what was not named must not count as compared.
            if turn.epoch != epoch {
                turn.epoch = None;
            }
            if let Some(environment) = slot.load().filter(|_| turn.epoch == epoch) {
                let version = environment.head().version;
                holds.push(Held {
                    env_id: slot.env_id,
                    version,
                    digest: environment.digest(),
                });
            }
        }
        (epoch, holds)
    }

    /// Adopts what belongs to the edge: drops everything else, and is complete once all that is listed has arrived.
    pub(crate) fn expect(&self, epoch: Epoch, listing: &Listing) -> Greeting {
        // Before anything is compared, so that what is applied meanwhile counts as received in this epoch.
        self.expected.lock().begin(epoch, &listing.environments);
        let mut greeting = Greeting::default();
        let slots: Vec<_> = self.slots.lock().values().cloned().collect();
        let listed = listing.environments.iter();
        let listed: HashMap<_, _> = listed.map(|listed| (listed.env_id, listed)).collect();
        let confirmed: HashSet<_> = listing.confirmed.iter().collect();
        for slot in slots {
            let wanted = listed.get(&slot.env_id);
            if wanted.is_none() && !confirmed.contains(&slot.env_id) {
                self.remove(slot.env_id, || {});
                greeting.dropped.push(slot.env_id);
                continue;
            }
            let mut turn = slot.turn();
            let Some(environment) = slot.load() else {
                continue;
            };
            let (version, digest) = (environment.head().version, environment.digest());
            let is_same = wanted
                .is_none_or(|wanted| version == wanted.version && wanted.digest == Some(digest));
            if turn.epoch != Some(epoch) && is_same {
                turn.epoch = Some(epoch);
                greeting.adopted.push(slot.env_id);
            }
            // What is newer than what there is was never drawn: other contents will come.
            let is_current = wanted.is_none_or(|wanted| match wanted.digest {
                Some(expected) => digest == expected,
                None => version >= wanted.version,
            });
            if turn.epoch == Some(epoch) && is_current {
                self.expected.lock().arrived(slot.env_id, version);
            }
        }
        greeting
    }
}
