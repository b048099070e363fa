//! The process `halyard-edge`: an edge, its cache, its link, its two addresses.
//!
//! Both addresses answer from the first moment on, while the copy is loaded and the link is made.

use std::{future::ready, net::UdpSocket, sync::Arc, time::Duration};

use metrics_exporter_prometheus::PrometheusHandle;
use protocol::wire::message::StreamSecret;
use quinn::TokioRuntime;
use serving::{
    admin::{self, ReadyCheck},
    clock::Clock,
    layers,
    leaving::Leaving,
    listener::{self, Limits, Places},
    systemd,
    telemetry::{describe, keep_metrics, render},
};
use tokio::{net::TcpListener, task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    Edge, EdgeSettings, METRICS,
    config::{Config, LinkSettings, SnapshotsFrom},
    files::{self, CannotServe, Files, FilesSettings},
    linked::Unlinked,
    telemetry, usage,
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
        let unlinked = Unlinked::new(settings, Clock::system());
        let (edge, check) = (unlinked.edge.clone(), unlinked.check());
        let tasks = self.answer(
            &edge,
            check.clone(),
            check,
            listeners.http,
            listeners.http_is_passed,
            listeners.admin,
        );
        let linking = unlinked.link(from, listeners.relay, Arc::new(TokioRuntime), &self.stop);
        let linked = linking.await;
        self.stopped(&edge, tasks).await;
        linked.end().await;
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
