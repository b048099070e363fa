//! The greeting of an edge: what belongs to it, and which of what it holds can be built upon.

use std::{collections::HashMap, sync::Arc};

use futures_util::{StreamExt, stream};
use protocol::{
    snapshot::Version,
    wire::message::{Epoch, Held},
};

use super::{
    Publisher, Shared,
    contents::ContentsError,
    hub::{Ended, Fingerprint, Identity, Interest, Regions},
    outbox::Outbox,
};
use crate::ids::EnvId;

/// Environments compiled at the same time for one greeting.
const PARALLEL: usize = 8;

/// A greeting edge.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) regions: Regions,
    pub(super) interest: Interest,
    pub(super) fingerprint: Option<Fingerprint>,
    pub(super) identity: Identity,
    /// The database history in which `holds` was received.
    pub(super) epoch: Option<Epoch>,
    pub(super) holds: Vec<Held>,
}

/// The answer to a [`Guest`].
#[derive(Debug)]
pub(super) struct Greeting {
    pub(super) epoch: Epoch,
    pub(super) environments: Vec<Held>,
    pub(super) outbox: Outbox,
}

impl Publisher {
    /// Connects an edge to the hub.
    pub(super) async fn greet(&self, guest: Guest) -> Result<Greeting, ContentsError> {
        let shared = &self.0;
        // The edge may come from a replica that knew more: what was removed must not be sent to it again.
        self.caught_up().await;
        let epoch = self.epoch().await;
        let held: HashMap<_, _> = guest
            .holds
            .into_iter()
            .map(|held| (held.env_id, held))
            .collect();
        let named: Vec<EnvId> = held.keys().map(|env_id| (*env_id).into()).collect();
        let listing = shared.hub.listing(&guest.regions, guest.interest, &named);
        let belonging = listing.iter().map(|listed| listed.env_id).collect();
        let environments = shared.compile(belonging).await?;

        // Identical contents can be built upon whatever their history; older ones only within the same history.
        let same_history = guest.epoch == Some(epoch);
        let builds_on = |current: &Held| {
            let held = held.get(&current.env_id)?;
            let fits = if held.version == current.version {
                held.digest == current.digest
            } else {
                same_history
            };
            fits.then_some(held.version)
        };
        let holds: Vec<(EnvId, Option<Version>)> = environments
            .iter()
            .map(|current| (current.env_id.into(), builds_on(current)))
            .collect();
        let subscription = shared.hub.subscribe(
            guest.regions,
            guest.interest,
            guest.fingerprint,
            guest.identity,
            &holds,
        );
        // Edges connected when the history changed were ended then; this one may have connected just afterwards.
        if *shared.epoch.borrow() != Some(epoch) {
            subscription.end(Ended::EpochChanged);
        }
        Ok(Greeting {
            epoch,
            environments,
            outbox: Outbox::new(subscription, Arc::clone(&shared.contents)),
        })
    }
}

impl Shared {
    /// Version and digest of those environments that still exist.
    async fn compile(&self, environments: Vec<EnvId>) -> Result<Vec<Held>, ContentsError> {
        let compiled: Vec<_> = stream::iter(environments)
            .map(async |env_id| {
                let at_least = self.hub.version(env_id).unwrap_or(0);
                let current = self.contents.current(env_id, at_least).await?;
                Ok(current.map(|(version, digest)| Held {
                    env_id: env_id.into(),
                    version,
                    digest,
                }))
            })
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        compiled.into_iter().filter_map(Result::transpose).collect()
    }
}
