//! What an edge holds when it greets.

use std::collections::{HashMap, HashSet, VecDeque};

use protocol::snapshot::Version;
use tokio::time::Instant;

use super::{Counts, Subscriber};
use protocol::ids::EnvId;

use crate::hub::{
    holding::Holding,
    listing::{Listed, Listing},
    regions::{Interest, Regions},
    slots::Slots,
};

impl Subscriber {
    /// An edge that holds the given versions of the environments that belong to it.
    pub(in crate::hub) fn greet(
        regions: Regions,
        interest: Interest,
        belonging: &[(EnvId, Option<Version>)],
        listing: &Listing,
    ) -> Self {
        let mut edge = Self {
            regions,
            interest,
            since: Instant::now(),
            named: HashSet::new(),
            deviations: HashMap::new(),
            fresh: Slots::default(),
            updates: VecDeque::new(),
            wholes: VecDeque::new(),
            counts: Counts::default(),
        };
        let mut greeted = Slots::default();
        for (env_id, held) in belonging {
            let listed = listing.get(*env_id);
            // An edge that names an environment twice is taken at its first word.
            let is_new = match listed {
                Some(listed) => greeted.insert(listed.slot),
                None => !edge.deviations.contains_key(env_id),
            };
            if is_new {
                edge.greet_with(*env_id, *held, listed);
            }
        }
        if interest == Interest::All {
            // Found while the greeting was being prepared.
            for (env_id, listed) in listing.iter() {
                if !greeted.contains(listed.slot) {
                    edge.list(env_id, None, listed);
                }
            }
        }
        edge
    }

    pub(super) fn greet_with(
        &mut self,
        env_id: EnvId,
        held: Option<Version>,
        listed: Option<&Listed>,
    ) {
        if self.interest == Interest::Named {
            self.named.insert(env_id);
        }
        let listed_here = listed.filter(|listed| self.regions.allow(&listed.region));
        match (held, listed_here) {
            (None, Some(listed)) => {
                self.fresh.insert(listed.slot);
            }
            (Some(version), Some(listed)) if version == listed.version => self.counts.held += 1,
            (Some(version), Some(listed)) => {
                self.change(env_id, None, Some(listed), |edge, holding| {
                    let holding = holding.insert(Holding::settled(version, edge.since));
                    edge.queue(env_id, holding, Some(listed.version));
                });
            }
            // Deleted, or given to another region, while the greeting was being prepared.
            (held, None) => self.change(env_id, None, listed, |edge, holding| {
                let holding = holding.insert(Holding {
                    held,
                    since: held.map(|_| edge.since),
                    initial: held.is_none(),
                    gone: true,
                    ..Holding::default()
                });
                edge.queue(env_id, holding, None);
            }),
        }
    }
}
