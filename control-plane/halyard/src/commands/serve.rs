//! `halyard serve`: starts the parts, and stops them in order.

use std::{net::UdpSocket, time::Duration};

use crate::{
    config::Settings,
    service::Service,
    standalone::{self, Edge},
};
use anyhow::Context;
use base::{
    config::ListenSettings,
    db::{self, Answered, Db},
    lifetime::Lifetime,
    outbound::guard::Resolver,
    waker::Waker,
};
use publish::tls::Authority;
use serde_json::json;
use serving::{
    address_file,
    admin::{self, Readiness, ReadyCheck},
    binding::Binding,
    build,
    clock::Clock,
    layers,
    leaving::Signals,
    listener::{self, Limits, Places},
    open_files,
    settings::{ProcessVariables, Reader},
    systemd,
    telemetry::{self, Format},
};
use tokio::{net::TcpListener, time::timeout};
use tokio_util::task::TaskTracker;

pub(super) async fn run() -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let (mut settings, telemetry_settings) = Settings::read(&mut reader);
    let edge_settings = standalone::settings(&mut reader);
    reader.finish()?;
    let (metrics, export) = telemetry::install(telemetry_settings)?;
    for name in &settings.insecure {
        tracing::warn!(
            setting = name,
            "this secret is public knowledge: set one of at least 32 random bytes"
        );
    }
    for (name, warning) in &settings.warnings {
        tracing::warn!(setting = name, "{warning}");
    }
    let open_files = open_files::raise_limit();
    let listeners = bind(&settings.listen).await?;
    let http = listeners.http.local_addr()?;
    settings.urls.api_listens_on(settings.listen.http, http);

    db::require_sessions(&settings.database.url).await?;
    let db = Db::connect(&settings.database, Waker::new()).await?;
    db::migrate(db.pool())
        .await
        .context("cannot migrate the database")?;
    let clock = Clock::system();
    // Before any job runs: with the wrong secret, waiting mail could not be opened, and all of it would be given up.
    Authority::load(&db, &settings.publish, clock.now())
        .await
        .context("cannot serve edges")?;
    let lifetime = Lifetime::default();
    let resolver = Resolver::system();
    let service = Service::start(&settings, db.clone(), clock, resolver, &lifetime)
        .context("cannot send mail")?;
    let builtin_edge = settings.listen.builtin_edge;
    let edge = builtin_edge.then(|| standalone::start(&service, edge_settings, &lifetime));
    let Lifetime { stop, tasks, .. } = &lifetime;
    let publisher = &service.state.publisher;
    let quic = publisher
        .serve_edges(listeners.quic, &settings.publish, stop, tasks)
        .await
        .context("cannot serve edges")?;
    let admin = listeners.admin.local_addr()?;
    tracing::info!(%http, %quic, %admin, open_files, "control plane listening");

    tasks.spawn(async move { db.warm().await });
    tasks.spawn(telemetry::keep_metrics(metrics.clone(), stop.clone()));
    let gauges = publisher.clone();
    let measured = service.state.db.clone();
    let shown = move |format| {
        let (measured, metrics, gauges) = (measured.clone(), metrics.clone(), gauges.clone());
        async move {
            measured.measure().await;
            telemetry::render(&metrics, format) + &gauges.render_gauges()
        }
    };
    let sockets = (listeners.http, listeners.http_is_passed, listeners.admin);
    let servers = serve(
        &service,
        edge.as_ref(),
        sockets,
        settings.listen.limits,
        shown,
        &lifetime,
    );
    let signals = Signals::catch()?;
    let delay = settings.shutdown_delay;
    signals.until_stop(&lifetime.leaving, delay).await;
    shut_down(&service, edge.as_ref(), servers, &lifetime).await;
    export.stop().await;
    tracing::info!("stopped");
    Ok(())
}

/// Serves the API and the operators' address until `stop`.
fn serve<F: Future<Output = String> + Send + 'static>(
    service: &Service,
    edge: Option<&Edge>,
    (http, http_is_passed, admin): (TcpListener, bool, TcpListener),
    limits: Limits,
    shown_metrics: impl Fn(Format) -> F + Clone + Send + Sync + 'static,
    lifetime: &Lifetime,
) -> TaskTracker {
    let mut api = service
        .api(standalone::evaluation())
        .merge(service.dashboard());
    if let Some(edge) = edge {
        api = api.merge(edge.router());
    }
    let check = {
        let (service, edge) = (service.clone(), edge.cloned());
        ReadyCheck::new(move || {
            let edge_is_ready = edge.as_ref().is_none_or(Edge::is_ready);
            readiness(service.clone(), edge_is_ready)
        })
        .unless_leaving(lifetime.leaving.clone())
    };
    let api = service.common(api.merge(admin::probes(check.clone().brief())));
    let operator = admin::router(check.clone(), shown_metrics).merge(service.operator());
    let operator = layers::common(operator);

    let servers = TaskTracker::new();
    servers.spawn(systemd::report(check.clone(), lifetime.leaving.clone()));
    let places = Places::of_clients(&limits, service.state.trusted_proxies.clone());
    let until = || (lifetime.leaving.clone(), lifetime.stop.clone());
    let (leaving, stop) = until();
    match edge {
        Some(edge) => {
            let api = edge.front(api);
            let clients = listener::serve(http, api, limits, places, leaving, stop);
            servers.spawn(systemd::serve(http_is_passed, check, clients))
        }
        None => {
            let clients = listener::serve(http, api, limits, places, leaving, stop);
            servers.spawn(systemd::serve(http_is_passed, check, clients))
        }
    };
    let (places, (leaving, stop)) = (Places::of_operators(), until());
    let operator = listener::serve(admin, operator, limits, places, leaving, stop);
    servers.spawn(operator);
    servers
}

/// Stops the parts in order.
async fn shut_down(
    service: &Service,
    edge: Option<&Edge>,
    servers: TaskTracker,
    lifetime: &Lifetime,
) {
    tracing::info!("stopping");
    lifetime.stop.cancel();
    if let Some(edge) = edge {
        edge.shutdown();
    }
    servers.close();
    servers.wait().await;
    if let Some(edge) = edge {
        let reporting = standalone::report(edge, &service.state.usage);
        let reported = timeout(Duration::from_millis(500), reporting).await;
        if !matches!(reported, Ok(Ok(()))) {
            tracing::warn!("the last usage of the built-in edge was not stored in time");
        }
    }
    lifetime.stop_counting.cancel();
    lifetime.tasks.close();
    let ended = timeout(Duration::from_secs(2), lifetime.tasks.wait()).await;
    if ended.is_err() {
        tracing::warn!("background work did not end in time");
    }
}

struct Listeners {
    http: TcpListener,
    /// Whether systemd bound it.
    http_is_passed: bool,
    admin: TcpListener,
    quic: UdpSocket,
}

/// Binds all addresses, and writes them to the file that is set for that.
async fn bind(listen: &ListenSettings) -> anyhow::Result<Listeners> {
    let mut binding = Binding::new(&ProcessVariables);
    let http_is_passed = binding.is_passed("http");
    let http = binding.tcp("http", "CONTROL_HTTP_ADDR", listen.http).await;
    let admin = binding.tcp("admin", "CONTROL_ADMIN_ADDR", listen.admin);
    let admin = admin.await;
    let quic = binding.udp("quic", "CONTROL_QUIC_ADDR", listen.quic);
    let ((http, admin), quic) = binding.finish(http.zip(admin).zip(quic))?;
    if let Some(file) = &listen.address_file {
        let addresses = [
            ("http", http.local_addr()?),
            ("admin", admin.local_addr()?),
            ("quic", quic.local_addr()?),
        ];
        address_file::write(file, &addresses)?;
    }
    Ok(Listeners {
        http,
        http_is_passed,
        admin,
        quic,
    })
}

/// The control plane is ready if its database answers, their clocks agree, and the built-in edge serves.
async fn readiness(service: Service, edge_is_ready: bool) -> Readiness {
    if let Err(error) = service.clocks.agree() {
        return Readiness::NotReady(error.to_string());
    }
    if !edge_is_ready {
        return Readiness::NotReady("the built-in edge has no snapshot yet".to_owned());
    }
    match timeout(Duration::from_secs(2), service.state.db.ping()).await {
        Ok(Ok(Answered {
            latency,
            schema,
            state,
        })) => Readiness::Ready(json!({
            "status": "ready",
            "build": build::text(),
            "leads": service.leader.leads(),
            "schema": schema,
            "database_ms": latency.as_secs_f64() * 1_000.0,
            "mails_waiting": state.mails,
            "mail_late_seconds": state.mail_late,
        })),
        Ok(Err(_)) | Err(_) => Readiness::NotReady("the database does not answer".to_owned()),
    }
}
