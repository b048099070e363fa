//! An edge of a control plane: its copy on disk, its link, the edges below it. Without the addresses that it answers on.
//!
//! The copy is loaded before the link is made, so that the greeting can say what is held. A copy that hangs delays the link
//! only for a bounded time.

use std::{
    net::UdpSocket,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use quinn::Runtime;
use serving::{admin::ReadyCheck, clock::Clock, error::chain};
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Edge, EdgeSettings,
    config::LinkSettings,
    downstream::{Above, Downstream},
    identity,
    keeper::{Keeper, Origin},
    telemetry,
    upstream::{Asks, Attempts, Identity, LinkLookup, Upstream, UpstreamSettings, uploads},
    usage,
};

/// An edge whose link is not made yet. It answers already.
pub struct Unlinked {
    /// What answers.
    pub edge: Edge,
    clock: Clock,
    lookup: LinkLookup,
    asks: Asks,
}

/// An edge that stays linked.
pub struct Linked {
    edge: Edge,
    keeper: Option<Keeper>,
    tasks: TaskTracker,
    below: TaskTracker,
    unlink: CancellationToken,
    link: JoinHandle<()>,
}

impl Unlinked {
    /// One that holds nothing.
    #[must_use]
    pub fn new(settings: EdgeSettings, clock: Clock) -> Self {
        let (lookup, asks) = LinkLookup::new();
        let edge = Edge::new(settings, clock.clone(), Some(Arc::new(lookup.clone())));
        Self {
            edge,
            clock,
            lookup,
            asks,
        }
    }

    /// What it says of itself.
    #[must_use]
    pub fn check(&self) -> ReadyCheck {
        telemetry::ready_check(self.edge.clone())
    }

    /// Loads the copy, and keeps the edge linked from then on. With a socket it serves other edges until `stop` is cancelled.
    pub async fn link(
        self,
        from: LinkSettings,
        relay: Option<UdpSocket>,
        runtime: Arc<dyn Runtime>,
        stop: &CancellationToken,
    ) -> Linked {
        let Self {
            edge,
            clock,
            lookup,
            asks,
        } = self;
        let keeper = match from.cache {
            Some(folder) => open_cache(folder, &from.upstream, &edge).await,
            None => None,
        };
        let identity = from.upstream.identity.clone();
        settle(&identity);
        let tasks = TaskTracker::new();
        tasks.spawn(identity::watch(edge.clone(), identity, stop.clone()));
        let (uplink, uploads) = uploads();
        let below = TaskTracker::new();
        let downstream = relay.map(|socket| {
            let above = Above {
                edge: edge.clone(),
                lookup,
                uploader: uplink.uploader.clone(),
            };
            let folder = from.upstream.identity.clone();
            let runtime = Arc::clone(&runtime);
            Downstream::serve(socket, folder, above, clock, runtime, stop, &below)
        });
        let upstream = Upstream {
            settings: from.upstream,
            runtime,
            edge: edge.clone(),
            keeper: keeper.clone(),
            renewals: Attempts::default(),
            applying: TaskTracker::new(),
            downstream: downstream.unwrap_or_default(),
        };
        // The link outlives the requests: what the last of them counted is uploaded before it ends.
        let unlink = CancellationToken::new();
        let link = tokio::spawn(upstream.run(asks, uploads, unlink.clone()));
        let reporting = usage::report(edge.clone(), uplink);
        tokio::spawn(unlink.clone().run_until_cancelled_owned(reporting));
        tasks.spawn(usage::run(edge.clone(), keeper.clone(), stop.clone()));
        Linked {
            edge,
            keeper,
            tasks,
            below,
            unlink,
            link,
        }
    }
}

impl Linked {
    /// Ends the link, after `stop` was cancelled and the last request answered. What these counted is uploaded or kept.
    pub async fn end(self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.below.close();
        self.below.wait().await;
        usage::finish(&self.edge, self.keeper.as_ref()).await;
        self.unlink.cancel();
        if let Err(error) = self.link.await {
            tracing::error!(
                error = chain(&error),
                "the task of the link to the control plane failed"
            );
        }
        if let Some(keeper) = self.keeper {
            close_cache(keeper).await;
        }
    }
}

fn settle(identity: &Path) {
    if let Err(error) = identity::settle(identity) {
        tracing::warn!(
            error = chain(&error),
            "the renewed identity of this edge stays beside the old one; it is used all the same"
        );
    }
}

async fn close_cache(keeper: Keeper) {
    let stopped = spawn_blocking(move || keeper.stop(Duration::from_secs(2))).await;
    if !matches!(stopped, Ok(true)) {
        tracing::warn!("the disk is too slow; the last changes are not in the cache");
    }
}

async fn open_cache(folder: PathBuf, upstream: &UpstreamSettings, edge: &Edge) -> Option<Keeper> {
    let identity = match Identity::read(&upstream.identity) {
        Ok(identity) => identity,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(
                error,
                "cannot read the edge's identity; continuing without a cache"
            );
            return None;
        }
    };
    let origin = Origin {
        certificate: identity.fingerprint(),
        region: upstream.region.clone(),
    };
    match Keeper::start(folder, origin, edge.clone()) {
        Ok((keeper, loaded)) => {
            if timeout(Duration::from_secs(30), loaded).await.is_err() {
                tracing::warn!("the cache is slow to load; continuing without it");
            }
            Some(keeper)
        }
        Err(error) => {
            tracing::error!(%error, "cannot start the cache's thread; continuing without a cache");
            None
        }
    }
}
