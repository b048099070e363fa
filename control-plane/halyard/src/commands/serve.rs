//! `halyard serve`: starts the parts, and stops them in order.

use base::lifetime::Lifetime;
use std::{net::UdpSocket, time::Duration};

use crate::{config::Settings, service::Service, standalone};
use anyhow::Context;
use base::{
    clocks::Clocks,
    config::ListenSettings,
    db::{self, Db},
    outbound::guard::Resolver,
    waker::Waker,
};
use publish::tls::Authority;
use serde_json::json;
use serving::{
    address_file,
    admin::{self, Readiness, ReadyCheck},
    binding::{Binding, CannotListen},
    clock::Clock,
    layers,
    listener::{self, Places},
    open_files,
    settings::{ProcessVariables, Reader},
    telemetry,
};
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    time::timeout,
};
use tokio_util::task::TaskTracker;

/// Time to store the counters of the built-in edge.
const LAST_USAGE: Duration = Duration::from_millis(500);
/// Time for background work to end after that.
const LAST_WORK: Duration = Duration::from_secs(2);
/// A database that takes longer to answer counts as unavailable.
const DATABASE_PATIENCE: Duration = Duration::from_secs(2);

pub(super) async fn run() -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let (mut settings, log) = Settings::read(&mut reader);
    let edge_settings = standalone::settings(&mut reader);
    reader.finish()?;
    telemetry::install_log(log)?;
    for name in &settings.insecure {
        tracing::warn!(
            setting = name,
            "this secret is public knowledge: set one of at least 32 random bytes"
        );
    }

    let metrics = telemetry::install_metrics()?;
    let open_files = open_files::raise_limit();
    let listen = settings.listen.clone();
    let Listeners { http, admin, quic } = bind(&listen).await?;
    settings
        .urls
        .api_listens_on(listen.http, http.local_addr()?);
    if let Some(file) = &listen.address_file {
        let addresses = [
            ("http", http.local_addr()?),
            ("admin", admin.local_addr()?),
            ("quic", quic.local_addr()?),
        ];
        address_file::write(file, &addresses)?;
    }
    let db = Db::connect(&settings.database, Waker::new()).await?;
    db::migrate(db.pool()).await?;
    let clock = Clock::system();
    // Before any job runs: with the wrong secret, waiting mail could not be opened, and all of it would be given up.
    Authority::load(&db, &settings.publish, clock.now())
        .await
        .context("cannot serve edges")?;

    let lifetime = Lifetime::default();
    let resolver = Resolver::system();
    let service = Service::start(&settings, db.clone(), clock, resolver, &lifetime)
        .context("cannot send mail")?;
    let edge = listen
        .builtin_edge
        .then(|| standalone::start(&service, edge_settings, &lifetime));
    let Lifetime {
        stop,
        stop_counting,
        tasks,
    } = lifetime;
    let publisher = &service.state.publisher;
    let quic = publisher
        .serve_edges(quic, &settings.publish, &stop, &tasks)
        .await
        .context("cannot serve edges")?;

    let mut api = service
        .api(standalone::evaluation())
        .merge(service.dashboard());
    if let Some(edge) = &edge {
        api = api.merge(edge.router());
    }
    let check = {
        let (db, edge, clocks) = (db.clone(), edge.clone(), service.clocks.clone());
        ReadyCheck::new(move || {
            let edge_is_ready = edge.as_ref().is_none_or(|edge| edge.is_ready());
            readiness(db.clone(), clocks.clone(), edge_is_ready)
        })
    };
    let api = layers::common(api.merge(admin::probes(check.clone())));
    let shown = {
        let (metrics, publisher) = (metrics.clone(), publisher.clone());
        move || telemetry::render(&metrics) + &publisher.render_gauges()
    };
    let operator = layers::common(admin::router(check, shown).merge(service.operator()));

    let limits = listen.limits;
    let places = Places::of_clients(&limits, service.state.trusted_proxies.clone());
    let servers = TaskTracker::new();
    tracing::info!(http = %http.local_addr()?, %quic, admin = %admin.local_addr()?, open_files, "control plane listening");
    tasks.spawn(async move { db.warm().await });
    match &edge {
        Some(edge) => {
            let api = edge.front(api);
            servers.spawn(listener::serve(http, api, limits, places, stop.clone()))
        }
        None => servers.spawn(listener::serve(http, api, limits, places, stop.clone())),
    };
    let places = Places::of_operators();
    servers.spawn(listener::serve(
        admin,
        operator,
        limits,
        places,
        stop.clone(),
    ));
    tasks.spawn(telemetry::keep_metrics_small(metrics, stop.clone()));

    told_to_stop().await?;
    tracing::info!("stopping");
    stop.cancel();
    if let Some(edge) = &edge {
        edge.shutdown();
    }
    servers.close();
    servers.wait().await;
    if let Some(edge) = &edge
        && !matches!(
            timeout(LAST_USAGE, standalone::report(edge, &service.state.usage)).await,
            Ok(Ok(()))
        )
    {
        tracing::warn!("the last usage of the built-in edge was not stored in time");
    }
    stop_counting.cancel();
    tasks.close();
    if timeout(LAST_WORK, tasks.wait()).await.is_err() {
        tracing::warn!("background work did not end in time");
    }
    tracing::info!("stopped");
    Ok(())
}

struct Listeners {
    http: TcpListener,
    admin: TcpListener,
    quic: UdpSocket,
}

async fn bind(listen: &ListenSettings) -> Result<Listeners, CannotListen> {
    let mut binding = Binding::default();
    let http = binding.tcp("CONTROL_HTTP_ADDR", listen.http).await;
    let admin = binding.tcp("CONTROL_ADMIN_ADDR", listen.admin).await;
    let quic = binding.udp("CONTROL_QUIC_ADDR", listen.quic);
    match (http, admin, quic) {
        (Some(http), Some(admin), Some(quic)) => Ok(Listeners { http, admin, quic }),
        _ => Err(binding.missing()),
    }
}

/// The control plane is ready if its database answers, their clocks agree, and the built-in edge serves.
async fn readiness(db: Db, clocks: Clocks, edge_is_ready: bool) -> Readiness {
    if let Err(error) = clocks.agree() {
        return Readiness::NotReady(error.to_string());
    }
    if !edge_is_ready {
        return Readiness::NotReady("the built-in edge has no snapshot yet".to_owned());
    }
    match timeout(DATABASE_PATIENCE, db.ping()).await {
        Ok(Ok(())) => Readiness::Ready(json!({"status": "ready"})),
        Ok(Err(_)) | Err(_) => Readiness::NotReady("the database does not answer".to_owned()),
    }
}

async fn told_to_stop() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
