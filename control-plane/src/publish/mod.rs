//! From a committed change to edges that serve it.
//!
//! `version` makes a change visible in its transaction. The `publisher` looks at the database for what changed and tells
//! the `hub`, which knows what each edge holds. Whoever sends to an edge first (`session` over QUIC, `local` for the
//! built-in one) has `contents` compiled, and shares the bytes with the others. Acknowledgements go back to the hub, where
//! the write waits.

mod compile;
mod contents;
mod hub;
mod link;
mod listener;
mod local;
mod outbox;
mod publisher;
mod store;
mod subscriber;
mod subscription;
pub mod tls;
mod tracked;
pub mod version;

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use protocol::{
    snapshot::{KeyHash, Version},
    wire::message::{Epoch, Held},
};
use serving::clock::Clock;
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    contents::{Contents, ContentsError},
    hub::Hub,
    outbox::Outbox,
    publisher::Publisher,
    version::Change,
};
pub use self::{
    hub::Fingerprint,
    link::ServeError,
    local::{LocalLink, LocalMessage},
    subscriber::{Interest, Regions},
};
use crate::{
    db::{self, Db},
    ids::EnvId,
};

/// Environments compiled at the same time for one greeting.
const GREETING_PARALLEL: usize = 8;

/// What the parts of publishing share.
#[derive(Debug)]
struct Shared {
    db: Db,
    clock: Clock,
    hub: Arc<Hub>,
    contents: Arc<Contents>,
    /// None until the first look, and between two histories of the database.
    epoch: watch::Sender<Option<Epoch>>,
    snapshot_wait: Duration,
}

/// Publishing, as the rest of the process sees it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// Starts to look for changes, until `shutdown`. A write waits at most `snapshot_wait` for edges.
    #[must_use]
    pub fn start(
        db: Db,
        clock: Clock,
        snapshot_wait: Duration,
        shutdown: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        let shared = Arc::new(Shared {
            hub: Arc::default(),
            contents: Arc::new(Contents::new(db.clone())),
            epoch: watch::Sender::new(None),
            db: db.clone(),
            clock,
            snapshot_wait,
        });
        let publisher = Publisher::new(Arc::clone(&shared));
        tasks.spawn(shutdown.clone().run_until_cancelled_owned(publisher.run()));
        tasks.spawn(
            shutdown
                .clone()
                .run_until_cancelled_owned(async move { listener::run(&db).await }),
        );
        Self(shared)
    }

    /// Waits until the connected edges serve the change, at most `SNAPSHOT_WAIT`. Call it after the commit.
    pub async fn reached(&self, change: &Change) {
        self.0.hub.reached(change, self.0.snapshot_wait).await;
    }

    /// Finds the environment of an API key that is valid now, if it may be held by an edge of these regions.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn look_up_key(
        &self,
        regions: &Regions,
        hash: &KeyHash,
    ) -> db::Result<Option<(EnvId, Version)>> {
        let mut conn = self.0.db.acquire().await?;
        let found = store::find_key(&mut conn, hash, self.0.clock.now()).await?;
        Ok(found
            .filter(|(_, _, region)| regions.allow(region))
            .map(|(env_id, version, _)| (env_id, version)))
    }

    /// Waits until it is known what there is to be served.
    pub async fn ready(&self) {
        self.epoch().await;
    }

    async fn epoch(&self) -> Epoch {
        let mut epoch = self.0.epoch.subscribe();
        match epoch.wait_for(Option::is_some).await.map(|epoch| *epoch) {
            Ok(Some(epoch)) => epoch,
            // The sender lives as long as the handle.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// Connects an edge to the hub: works out what belongs to it, and which of what it holds can be built upon.
    async fn greet(&self, guest: Guest) -> Result<Greeting, ContentsError> {
        let shared = &self.0;
        let epoch = self.epoch().await;
        let held: HashMap<_, _> = guest
            .holds
            .into_iter()
            .map(|held| (held.env_id, held))
            .collect();
        let named: Vec<EnvId> = held.keys().map(|env_id| (*env_id).into()).collect();
        let belonging = shared.hub.belonging(&guest.regions, guest.interest, &named);
        let compiled: Vec<_> = stream::iter(belonging)
            .map(async |env_id| {
                let at_least = shared.hub.version(env_id).unwrap_or(0);
                let current = shared.contents.current(env_id, at_least).await?;
                Ok(current.map(|(version, digest)| Held {
                    env_id: env_id.into(),
                    version,
                    digest,
                }))
            })
            .buffer_unordered(GREETING_PARALLEL)
            .collect()
            .await;
        let environments = compiled
            .into_iter()
            .filter_map(Result::transpose)
            .collect::<Result<Vec<Held>, ContentsError>>()?;

        let same_history = guest.epoch == Some(epoch);
        let holds: Vec<(EnvId, Option<Version>)> = environments
            .iter()
            .map(|current| {
                let held = held.get(&current.env_id).filter(|held| {
                    if held.version == current.version {
                        held.digest == current.digest
                    } else {
                        same_history
                    }
                });
                (current.env_id.into(), held.map(|held| held.version))
            })
            .collect();
        let subscription =
            shared
                .hub
                .subscribe(guest.regions, guest.interest, guest.fingerprint, &holds);
        Ok(Greeting {
            epoch,
            environments,
            outbox: Outbox::new(subscription, Arc::clone(&shared.contents)),
        })
    }
}

/// An edge that greets.
#[derive(Debug)]
struct Guest {
    regions: Regions,
    interest: Interest,
    fingerprint: Option<Fingerprint>,
    /// The history under which `holds` was learned.
    epoch: Option<Epoch>,
    holds: Vec<Held>,
}

/// The answer to a [`Guest`].
#[derive(Debug)]
struct Greeting {
    epoch: Epoch,
    environments: Vec<Held>,
    outbox: Outbox,
}
