//! The greeting of an edge: what belongs to it, and which of what it holds can be built upon.
//!
//! It is answered from what the last poll found, digests included, and compiles nothing but what an edge says it holds and
//! nobody has the digest of.

use std::collections::{HashMap, HashSet};

use futures_util::{StreamExt, stream};
use protocol::{
    ids::EnvId,
    snapshot::{Digest, Version},
    summary::{Summary, bucket},
    wire::message::{Epoch, Held, Holds, Listed, Lists},
};

use crate::{
    Fingerprint,
    hub::{Ended, Identity, Interest, ListedEnvironment, Regions},
    outbox::Outbox,
    source::Source,
};

/// A greeting edge.
#[derive(Debug)]
pub struct Guest {
    /// The regions whose organizations it may hold.
    pub regions: Regions,
    /// What it wants of them.
    pub interest: Interest,
    /// Its certificate; `None` for an edge in this process.
    pub fingerprint: Option<Fingerprint>,
    /// Who it is.
    pub identity: Identity,
    /// The database history in which what it holds was received.
    pub epoch: Option<Epoch>,
    /// How far it was told that the log of that history was written.
    pub position: u64,
}

/// What a [`Guest`] is told.
#[derive(Debug)]
pub struct Greeting {
    /// The history of the environments.
    pub epoch: Epoch,
    /// What is told one by one.
    pub lists: Lists,
    /// These.
    pub environments: Vec<Listed>,
    /// What belongs to the edge and is not told, because it holds exactly that.
    confirmed: Vec<Listed>,
}

/// Why an edge is not greeted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotGreeted {
    /// What there is to send is not known to be new.
    #[error("the database is out of sight")]
    Unsighted,
    /// Another history begins: the edge has to greet again.
    #[error("the edge holds what the database never had")]
    Rewound,
    /// Edges began one a moment ago.
    #[error("the edge holds what the database never had, again")]
    RewoundAgain,
}

/// An edge holds what there never was in this history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewound {
    /// The history.
    pub epoch: Epoch,
    /// How far the edge was told that its log was written.
    pub position: u64,
    /// What it holds that is newer than what there is, or has other contents; `None` if the position is the proof.
    pub held: Option<Held>,
    /// Whose word it is: the certificate of the edge, or of the relay that passes it on.
    pub by: Option<Fingerprint>,
}

impl Greeting {
    /// How many environments belong to the edge.
    pub(crate) fn count(&self) -> usize {
        self.environments.len() + self.confirmed.len()
    }
}

impl Guest {
    /// Finds out what belongs to the edge, and what it has to be told of that.
    ///
    /// # Errors
    /// Why it cannot be greeted.
    pub async fn welcome<S: Source>(
        &self,
        source: &S,
        holds: &Holds,
    ) -> Result<Greeting, NotGreeted> {
        // The edge may come from somewhere that knew more: what was removed must not be sent to it again.
        let epoch = tokio::select! {
            epoch = source.caught_up() => epoch,
            () = source.sight().lost() => return Err(NotGreeted::Unsighted),
        };
        if self.epoch == Some(epoch) && self.position > source.sight().looked().position {
            let refused = source.rewound(Rewound {
                epoch,
                position: self.position,
                held: None,
                by: self.fingerprint,
            });
            refused.map_or(Ok(()), Err)?;
        }

        let named: Vec<EnvId> = match holds {
            Holds::Listed(holds) => holds.iter().map(|held| held.env_id).collect(),
            Holds::Summed(_) => Vec::new(),
        };
        let belonging = source.hub().listing(&self.regions, self.interest, &named);
        let list = |listed: ListedEnvironment| {
            // What cannot be sent now is not waited for.
            let is_left_out = source.is_left_out(listed.env_id);
            Listed {
                env_id: listed.env_id,
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

    /// Connects the edge to the hub after it was welcomed, given what it holds of what was told one by one. Of what it holds at
    /// the very version that there is, the digest is computed if it is not known: that alone says whether it is the same.
    ///
    /// # Errors
    /// Why it cannot be connected.
    pub async fn connect<S: Source>(
        self,
        source: &S,
        greeting: &Greeting,
        holds: &[Held],
    ) -> Result<Outbox<S>, NotGreeted> {
        let held: HashMap<_, _> = holds.iter().map(|held| (held.env_id, held)).collect();
        // Identical contents can be built upon whatever their history; older ones only within the same history.
        let same_history = self.epoch == Some(greeting.epoch);
        let mut needed = Vec::new();
        for current in &greeting.environments {
            let held = held.get(&current.env_id);
            let is_as_new = held.is_some_and(|held| held.version == current.version);
            if same_history && is_as_new && current.digest.is_none() {
                needed.push((current.env_id, current.version));
            }
        }
        let computed = compute(source, needed).await;
        let mut proof = None;
        let mut builds_on = |current: &Listed| {
            let held = *held.get(&current.env_id)?;
            let digest = match computed.get(&current.env_id) {
                Some(Some((version, digest))) if *version == current.version => Some(*digest),
                Some(None) => return None,
                // Something newer was found: the way there leads through a digest.
                Some(Some(_)) | None => current.digest,
            };
            let is_another = held.version == current.version
                && digest.is_some_and(|digest| digest != held.digest);
            let is_impossible = held.version > current.version || is_another;
            if same_history && is_impossible && current.version > 0 {
                proof = Some(*held);
            }
            let is_same = held.version == current.version && digest == Some(held.digest);
            (is_same || (same_history && !is_another)).then_some(held.version)
        };
        let listed = greeting.environments.iter();
        let mut holds: Vec<(EnvId, Option<Version>)> = listed
            .map(|current| (current.env_id, builds_on(current)))
            .collect();
        if proof.is_some() {
            let refused = source.rewound(Rewound {
                epoch: greeting.epoch,
                position: self.position,
                held: proof,
                by: self.fingerprint,
            });
            refused.map_or(Ok(()), Err)?;
        }
        let confirmed = greeting.confirmed.iter();
        holds.extend(confirmed.map(|held| (held.env_id, Some(held.version))));

        let has_certificate = self.fingerprint.is_some();
        let subscription = source.hub().subscribe(
            self.regions,
            self.interest,
            self.fingerprint,
            self.identity,
            &holds,
        );
        // Edges connected when one of these happened were ended then; this one may have connected just afterwards.
        if source.epoch() != Some(greeting.epoch) {
            subscription.end(Ended::EpochChanged);
        } else if source.sight().is_lost() && has_certificate {
            subscription.end(Ended::Unsighted);
        }
        let listed = greeting.environments.iter();
        let left_out = listed.filter(|listed| listed.version == 0);
        let left_out = left_out.map(|listed| listed.env_id).collect();
        Ok(Outbox::new(subscription, source.clone(), left_out))
    }
}

/// Computes digests of environments at these versions, or newer ones; `None` where that cannot be done.
async fn compute<S: Source>(
    source: &S,
    needed: Vec<(EnvId, Version)>,
) -> HashMap<EnvId, Option<(Version, Digest)>> {
    stream::iter(needed)
        .map(|(env_id, version)| computed(source, env_id, version))
        .buffer_unordered(8)
        .collect()
        .await
}

async fn computed<S: Source>(
    source: &S,
    env_id: EnvId,
    at_least: Version,
) -> (EnvId, Option<(Version, Digest)>) {
    (env_id, source.digest(env_id, at_least).await)
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
