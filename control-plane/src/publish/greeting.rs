//! The greeting of an edge: what belongs to it, and which of what it holds can be built upon.
//!
//! It is answered from what the last poll found, digests included, and compiles nothing.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::Arc,
};

use futures_util::{StreamExt, stream};
use protocol::{
    snapshot::Version,
    summary::{Summary, bucket},
    wire::message::{Epoch, Held, Holds, Listed, Lists},
};

use super::{
    Publisher,
    contents::Contents,
    hub::{Ended, Fingerprint, Identity, Interest, ListedEnvironment, Regions},
    outbox::Outbox,
};
use crate::ids::EnvId;

/// Environments compiled at the same time for the greeting of an older edge.
const PARALLEL: usize = 8;

/// A greeting edge.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) regions: Regions,
    pub(super) interest: Interest,
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) identity: Identity,
    /// The database history in which what it holds was received.
    pub(super) epoch: Option<Epoch>,
    /// How far it was told that the log of that history was written.
    pub(super) position: u64,
}

/// What a [`Guest`] is told.
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) epoch: Epoch,
    /// What is told one by one.
    pub(super) lists: Lists,
    pub(super) environments: Vec<Listed>,
    /// What belongs to the edge and is not told, because it holds exactly that.
    confirmed: Vec<Listed>,
}

/// Why an edge is not greeted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotGreeted {
    #[error("the database is out of sight")]
    Unsighted,
    /// Another history begins: the edge has to greet again.
    #[error("the edge holds what the database never had")]
    Rewound,
    /// Edges began one a moment ago.
    #[error("the edge holds what the database never had, again")]
    RewoundAgain,
}

impl Greeting {
    /// How many environments belong to the edge.
    pub(super) fn count(&self) -> usize {
        self.environments.len() + self.confirmed.len()
    }
}

impl Publisher {
    /// Finds out what belongs to an edge, and what it has to be told of that.
    pub(super) async fn welcome(
        &self,
        guest: &Guest,
        holds: &Holds,
    ) -> Result<Greeting, NotGreeted> {
        let shared = &self.0;
        // From here on the writes of other replicas wait for this edge too.
        shared.replicas.announced().await;
        // The edge may come from a replica that knew more: what was removed must not be sent to it again.
        let known = async {
            self.caught_up().await;
            self.epoch().await
        };
        let epoch = tokio::select! {
            epoch = known => epoch,
            () = shared.sight.lost() => return Err(NotGreeted::Unsighted),
        };
        if guest.epoch == Some(epoch) && guest.position > shared.sight.looked().position {
            return Err(self.rewound(epoch));
        }

        let named: Vec<EnvId> = match holds {
            Holds::Listed(holds) => holds.iter().map(|held| held.env_id.into()).collect(),
            Holds::Summed(_) => Vec::new(),
        };
        let belonging = shared.hub.listing(&guest.regions, guest.interest, &named);
        let list = |listed: ListedEnvironment| {
            // What cannot be sent now is not waited for.
            let is_left_out = shared.contents.is_broken(listed.env_id);
            Listed {
                env_id: listed.env_id.into(),
                version: if is_left_out { 0 } else { listed.version },
                digest: listed.digest.filter(|_| !is_left_out),
            }
        };
        let belonging: Vec<Listed> = belonging.into_iter().map(list).collect();
        Ok(match holds {
            Holds::Listed(_) => Greeting {
                epoch,
                lists: Lists::Everything,
                environments: belonging,
                confirmed: Vec::new(),
            },
            Holds::Summed(theirs) => compare(epoch, belonging, theirs),
        })
    }

    /// Connects an edge to the hub that was welcomed, and holds this of what was told one by one.
    pub(super) fn connect(
        &self,
        guest: Guest,
        greeting: &Greeting,
        holds: &[Held],
    ) -> Result<Outbox, NotGreeted> {
        let shared = &self.0;
        let held: HashMap<_, _> = holds.iter().map(|held| (held.env_id, held)).collect();
        // Identical contents can be built upon whatever their history; older ones only within the same history.
        let same_history = guest.epoch == Some(greeting.epoch);
        let mut is_rewound = false;
        let mut builds_on = |current: &Listed| {
            let held = held.get(&current.env_id)?;
            is_rewound |= same_history && held.version > current.version && current.version > 0;
            let fits = match current.digest {
                Some(digest) if held.version == current.version => held.digest == digest,
                _ => same_history,
            };
            fits.then_some(held.version)
        };
        let listed = greeting.environments.iter();
        let mut holds: Vec<(EnvId, Option<Version>)> = listed
            .map(|current| (current.env_id.into(), builds_on(current)))
            .collect();
        if is_rewound {
            return Err(self.rewound(greeting.epoch));
        }
        let confirmed = greeting.confirmed.iter();
        holds.extend(confirmed.map(|held| (held.env_id.into(), Some(held.version))));

        let subscription = shared.hub.subscribe(
            guest.regions,
            guest.interest,
            guest.fingerprint,
            guest.identity,
            &holds,
        );
        // Edges connected when one of these happened were ended then; this one may have connected just afterwards.
        if *shared.epoch.borrow() != Some(greeting.epoch) {
            subscription.end(Ended::EpochChanged);
        } else if shared.sight.is_lost() && guest.fingerprint.is_some() {
            subscription.end(Ended::Unsighted);
        }
        let listed = greeting.environments.iter();
        let left_out = listed.filter(|listed| listed.version == 0);
        let left_out = left_out.map(|listed| listed.env_id.into()).collect();
        Ok(Outbox::new(
            subscription,
            Arc::clone(&shared.contents),
            left_out,
        ))
    }

    /// Computes the digests that are not known yet, for edges of older versions, which need them. What cannot be compiled is
    /// left out.
    pub(super) async fn complete(&self, greeting: &mut Greeting) {
        let listed = mem::take(&mut greeting.environments);
        let compiled: Vec<Option<Listed>> = stream::iter(listed)
            .map(|listed| {
                let contents = Arc::clone(&self.0.contents);
                async move { digested(&contents, listed).await }
            })
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        greeting.environments = compiled.into_iter().flatten().collect();
    }

    /// An edge proves that the database was rewound; the next poll begins another history.
    fn rewound(&self, epoch: Epoch) -> NotGreeted {
        if self.0.claims.make(epoch) {
            self.0.db.changed().wake();
            NotGreeted::Rewound
        } else {
            NotGreeted::RewoundAgain
        }
    }
}

/// The environment with its digest; `None` if it cannot be compiled.
async fn digested(contents: &Contents, listed: Listed) -> Option<Listed> {
    if listed.digest.is_some() {
        return Some(listed);
    }
    let current = contents.current(listed.env_id.into(), listed.version).await;
    let (version, digest) = current.ok()??;
    Some(Listed {
        version,
        digest: Some(digest),
        ..listed
    })
}

/// Tells apart what the edge holds exactly, by its sums, and what it has to be told. An environment without a digest is
/// always told.
fn compare(epoch: Epoch, belonging: Vec<Listed>, theirs: &Summary) -> Greeting {
    let mut ours = Summary::default();
    let mut differing = HashSet::new();
    for listed in &belonging {
        match listed.digest {
            Some(digest) => ours.add(&Held {
                env_id: listed.env_id,
                version: listed.version,
                digest,
            }),
            None => {
                differing.insert(bucket(listed.env_id));
            }
        }
    }
    differing.extend(ours.differences(theirs));
    let (environments, confirmed) = belonging
        .into_iter()
        .partition(|listed| differing.contains(&bucket(listed.env_id)));
    let mut buckets: Vec<u8> = differing.into_iter().collect();
    buckets.sort_unstable();
    Greeting {
        epoch,
        lists: Lists::Buckets(buckets),
        environments,
        confirmed,
    }
}

#[cfg(test)]
mod tests {
    use protocol::snapshot::Digest;
    use uuid::Uuid;

    use super::*;

    fn listed(number: u128, digest: Option<u8>) -> Listed {
        Listed {
            env_id: Uuid::from_u128(number).into(),
            version: 1,
            digest: digest.map(|byte| Digest([byte; 32])),
        }
    }

    fn held(number: u128, digest: u8) -> Held {
        Held {
            env_id: Uuid::from_u128(number).into(),
            version: 1,
            digest: Digest([digest; 32]),
        }
    }

    #[test]
    fn only_buckets_that_differ_are_told() {
        // 1 and 257 share a bucket; 2 has no digest; 3 is the same; 4 is new; 5 is gone.
        let belonging = vec![
            listed(1, Some(1)),
            listed(257, Some(2)),
            listed(2, None),
            listed(3, Some(1)),
            listed(4, Some(1)),
        ];
        let theirs = [held(1, 1), held(257, 1), held(2, 1), held(3, 1), held(5, 1)];
        let greeting = compare(Epoch([1; 16]), belonging, &theirs.iter().collect());
        assert_eq!(greeting.lists, Lists::Buckets(vec![1, 2, 4, 5]));
        assert_eq!(greeting.confirmed, [listed(3, Some(1))]);
        assert_eq!(greeting.environments.len(), 4);
    }
}
