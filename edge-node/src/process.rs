//! The process `halyard-edge`: an edge, its cache, its link, its two addresses.
//!
//! Both addresses answer from the first moment on. The cache is loaded meanwhile, and the link is made afterwards, so
//! that the greeting can say what is held. A cache that hangs delays the link only for a bounded time.

use std::{
    future::ready,
    net::UdpSocket,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use metrics_exporter_prometheus::PrometheusHandle;
use serving::{
    admin,
    clock::Clock,
    error::chain,
    layers,
    leaving::Leaving,
    listener::{self, Places},
    systemd,
    telemetry::{describe, keep_metrics, render},
};
use tokio::{
    net::TcpListener,
    task::{JoinSet, spawn_blocking},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Edge, METRICS,
    config::Config,
    downstream::{Above, Downstream},
    identity,
    keeper::{Keeper, Origin},
    telemetry,
    upstream::{Attempts, Identity, LinkLookup, Upstream, UpstreamSettings, uploads},
    usage,
};

/// The listeners, bound by the caller.
#[derive(Debug)]
pub struct Listeners {
    /// For SDK traffic.
    pub http: TcpListener,
    /// Whether systemd bound it.
    pub http_is_passed: bool,
    /// For probes and metrics.
    pub admin: TcpListener,
    /// For other edges, if this one is a relay.
    pub relay: Option<UdpSocket>,
}

/// Runs an edge until `stop` is cancelled, then drains it. While it is `leaving` it does all it did, but is not ready.
pub async fn run(
    config: Config,
    listeners: Listeners,
    metrics: PrometheusHandle,
    leaving: Leaving,
    stop: CancellationToken,
) {
    describe(METRICS);
    let (lookup, asks) = LinkLookup::new();
    let clock = Clock::system();
    let edge = Edge::new(config.edge, clock.clone(), Some(Arc::new(lookup.clone())));
    let check = telemetry::ready_check(edge.clone()).unless_leaving(leaving.clone());
    let limits = config.limits;
    let mut tasks = JoinSet::new();
    let admin = admin::router(check.clone(), {
        let metrics = metrics.clone();
        move |format| ready(render(&metrics, format))
    });
    let places = Places::of_clients(&limits, edge.parts().settings.trusted_proxies.clone());
    tasks.spawn(telemetry::report(
        edge.clone(),
        places.clone(),
        stop.clone(),
    ));
    let api = layers::common(edge.router().merge(admin::probes(check.clone())));
    let clients = listener::serve(
        listeners.http,
        edge.front(api),
        limits,
        places,
        leaving.clone(),
        stop.clone(),
    );
    tasks.spawn(systemd::report(check.clone(), leaving.clone()));
    tasks.spawn(systemd::serve(listeners.http_is_passed, check, clients));
    tasks.spawn(listener::serve(
        listeners.admin,
        layers::common(admin),
        limits,
        Places::of_operators(),
        leaving,
        stop.clone(),
    ));
    tasks.spawn(keep_metrics(metrics, stop.clone()));

    let keeper = match config.cache {
        Some(folder) => open_cache(folder, &config.upstream, &edge).await,
        None => None,
    };
    let identity = config.upstream.identity.clone();
    settle(&identity);
    tasks.spawn(identity::watch(edge.clone(), identity, stop.clone()));
    let (uplink, uploads) = uploads();
    let below = TaskTracker::new();
    let downstream = listeners.relay.map(|socket| {
        let above = Above {
            edge: edge.clone(),
            lookup,
            uploader: uplink.uploader.clone(),
        };
        let folder = config.upstream.identity.clone();
        Downstream::serve(socket, folder, above, clock, &stop, &below)
    });
    let upstream = Upstream {
        settings: config.upstream,
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

    stop.cancelled().await;
    tracing::info!("stopping");
    edge.shutdown();
    tasks.join_all().await;
    below.close();
    below.wait().await;
    usage::finish(&edge, keeper.as_ref()).await;
    unlink.cancel();
    if let Err(error) = link.await {
        tracing::error!(
            error = chain(&error),
            "the task of the link to the control plane failed"
        );
    }
    if let Some(keeper) = keeper {
        close_cache(keeper).await;
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
