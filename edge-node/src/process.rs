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
use protocol::wire::message::StreamSecret;
use serving::{
    admin::{self, ReadyCheck},
    clock::Clock,
    error::chain,
    layers,
    leaving::Leaving,
    listener::{self, Limits, Places},
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
    Edge, EdgeSettings, METRICS,
    config::{Config, LinkSettings, SnapshotsFrom},
    downstream::{Above, Downstream},
    files::{self, CannotServe, Files, FilesSettings},
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
///
/// # Errors
/// When it shall serve files that cannot be served; everything that is wrong with them is listed.
pub async fn run(
    config: Config,
    listeners: Listeners,
    metrics: PrometheusHandle,
    leaving: Leaving,
    stop: CancellationToken,
) -> Result<(), CannotServe> {
    describe(METRICS);
    let serving = Serving {
        limits: config.limits,
        metrics,
        leaving,
        stop,
    };
    match config.from {
        SnapshotsFrom::Link(link) => {
            serving.linked(config.edge, link, listeners).await;
            Ok(())
        }
        SnapshotsFrom::Files(files) => serving.on_files(config.edge, files, listeners).await,
    }
}

/// What serving needs, wherever snapshots come from.
struct Serving {
    limits: Limits,
    metrics: PrometheusHandle,
    leaving: Leaving,
    stop: CancellationToken,
}

impl Serving {
    /// An edge without a control plane. It answers once its files are served.
    async fn on_files(
        self,
        settings: EdgeSettings,
        from: FilesSettings,
        listeners: Listeners,
    ) -> Result<(), CannotServe> {
        let clock = Clock::system();
        let edge = Edge::new(settings, clock.clone(), None);
        edge.set_stream_secret(&StreamSecret(rand::random()));
        let usage = from.usage.clone();
        let files = Files::serve(from, edge.clone(), clock)?;
        let check = files.status().ready_check();
        // What is wrong with a file may quote it.
        let public = check.clone().brief();
        let mut tasks = self.answer(
            &edge,
            check,
            public,
            listeners.http,
            listeners.http_is_passed,
            listeners.admin,
        );
        tasks.spawn(files::follow(files, self.stop.clone()));
        tasks.spawn(usage::run(edge.clone(), None, self.stop.clone()));
        let counting = tokio::spawn(files::take_usage(edge.clone(), usage));

        self.stopped(&edge, tasks).await;
        edge.collect_usage();
        let flushed = timeout(Duration::from_secs(2), edge.flush_usage());
        if flushed.await.is_err() {
            tracing::warn!("the last counts were not written");
        }
        counting.abort();
        Ok(())
    }

    /// An edge of a control plane.
    async fn linked(self, settings: EdgeSettings, from: LinkSettings, listeners: Listeners) {
        let (lookup, asks) = LinkLookup::new();
        let clock = Clock::system();
        let edge = Edge::new(settings, clock.clone(), Some(Arc::new(lookup.clone())));
        let check = telemetry::ready_check(edge.clone());
        let mut tasks = self.answer(
            &edge,
            check.clone(),
            check,
            listeners.http,
            listeners.http_is_passed,
            listeners.admin,
        );

        let keeper = match from.cache {
            Some(folder) => open_cache(folder, &from.upstream, &edge).await,
            None => None,
        };
        let identity = from.upstream.identity.clone();
        settle(&identity);
        tasks.spawn(identity::watch(edge.clone(), identity, self.stop.clone()));
        let (uplink, uploads) = uploads();
        let below = TaskTracker::new();
        let downstream = listeners.relay.map(|socket| {
            let above = Above {
                edge: edge.clone(),
                lookup,
                uploader: uplink.uploader.clone(),
            };
            let folder = from.upstream.identity.clone();
            Downstream::serve(socket, folder, above, clock, &self.stop, &below)
        });
        let upstream = Upstream {
            settings: from.upstream,
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
        tasks.spawn(usage::run(edge.clone(), keeper.clone(), self.stop.clone()));

        self.stopped(&edge, tasks).await;
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

    /// Answers on both addresses from now on; `public` is the check that clients see.
    fn answer(
        &self,
        edge: &Edge,
        check: ReadyCheck,
        public: ReadyCheck,
        http: TcpListener,
        http_is_passed: bool,
        admin: TcpListener,
    ) -> JoinSet<()> {
        let (limits, stop) = (self.limits, &self.stop);
        let check = check.unless_leaving(self.leaving.clone());
        let public = public.unless_leaving(self.leaving.clone());
        let mut tasks = JoinSet::new();
        let probes = admin::router(check.clone(), {
            let metrics = self.metrics.clone();
            move |format| ready(render(&metrics, format))
        });
        let places = Places::of_clients(&limits, edge.parts().settings.trusted_proxies.clone());
        tasks.spawn(telemetry::report(
            edge.clone(),
            places.clone(),
            stop.clone(),
        ));
        let api = layers::common(edge.router().merge(admin::probes(public)));
        let clients = listener::serve(
            http,
            edge.front(api),
            limits,
            places,
            self.leaving.clone(),
            stop.clone(),
        );
        tasks.spawn(systemd::report(check.clone(), self.leaving.clone()));
        tasks.spawn(systemd::serve(http_is_passed, check, clients));
        tasks.spawn(listener::serve(
            admin,
            layers::common(probes),
            limits,
            Places::of_operators(),
            self.leaving.clone(),
            stop.clone(),
        ));
        tasks.spawn(keep_metrics(self.metrics.clone(), stop.clone()));
        tasks
    }

    /// Waits for the end, and drains what is under way.
    async fn stopped(&self, edge: &Edge, tasks: JoinSet<()>) {
        self.stop.cancelled().await;
        tracing::info!("stopping");
        edge.shutdown();
        tasks.join_all().await;
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
