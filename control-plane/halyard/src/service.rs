//! The control plane, assembled for `halyard serve`, for tests, and for each replica that a test adds.

use std::{sync::Arc, time::Duration};

use axum::{Router, extract::Request};
use serving::{clock::Clock, layers, telemetry::describe};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use utoipa::openapi::OpenApi;

use crate::config::Settings;
use api::{
    app,
    config::AppSettings,
    dashboard::Dashboard,
    http::{access::EndedSessions, rates::Rates},
    state::AppState,
};
use base::{
    clocks::Clocks,
    db::Db,
    jobs::{HOUR, Job, Jobs, MINUTE, RunsOn::Leader as OnLeader},
    leader::Leader,
    lifetime::Lifetime,
    limits::{self, Limiter},
    mail::{Mailer, Sender, StartError},
    outbound::guard::Resolver,
    telemetry::METRICS,
};
use domain::{
    accounts::{Accounts, expiry, tokens::Tokens},
    api_keys::retire::retire,
    audit::{partitions, retention},
    billing::{self, Billing},
    change_sets::schedule::ChangeSets,
    flags::{history, schedule::Schedules},
    lifecycle::{Lifecycle, removal::Removals},
    mfa::Mfa,
    migration::Migrations,
    sign_in::{Providers, records::Records},
    usage::{self, Collector},
    webhooks::{Deliveries, Webhooks},
};
use publish::{Publisher, live::Live};

/// A running control plane. The caller owns the listeners.
#[derive(Clone)]
pub struct Service {
    pub state: AppState,
    pub jobs: Jobs,
    /// Whether this machine's clock agrees with the database's.
    pub clocks: Clocks,
    /// Whether this replica leads.
    pub leader: Leader,
    app: AppSettings,
    dashboard: Option<Dashboard>,
}

impl Service {
    /// Assembles it and starts its background work. Requires an up-to-date schema. `resolver` is for user-given host names.
    ///
    /// # Errors
    /// When the configured mail route cannot be used.
    pub fn start(
        settings: &Settings,
        db: Db,
        clock: Clock,
        resolver: Resolver,
        lifetime: &Lifetime,
    ) -> Result<Self, StartError> {
        let Lifetime {
            leaving,
            stop,
            stop_counting,
            tasks,
        } = lifetime;
        describe(METRICS);
        let usage = Collector::start(
            db.clone(),
            clock.clone(),
            settings.usage,
            stop_counting,
            tasks,
        );
        let publisher = Publisher::start(
            db.clone(),
            clock.clone(),
            &settings.publish,
            usage,
            stop,
            tasks,
        );
        let state = state(
            settings,
            db.clone(),
            clock.clone(),
            resolver,
            publisher,
            lifetime,
        );
        let table = table(settings, &state, stop, tasks)?;
        let reporting = state.live.clone().publish_waves();
        tasks.spawn(stop.clone().run_until_cancelled_owned(reporting));
        let clocks = Clocks::new(clock.clone());
        let leader = Leader::start(db.clone(), clocks.clone(), leaving.begun(), tasks);
        let jobs = Jobs::new(db, clock, leader.clone(), stop.clone(), tasks.clone());
        table.into_iter().for_each(|job| jobs.start(job));
        Ok(Self {
            state,
            jobs,
            clocks,
            leader,
            app: settings.app.clone(),
            dashboard: settings
                .listen
                .dashboard
                .then(|| Dashboard::new(&settings.billing)),
        })
    }

    /// The routes for members. `evaluation` describes the edges' endpoints, for the API document.
    pub fn api(&self, evaluation: OpenApi) -> Router {
        app::router(self.state.clone(), &self.app, evaluation)
    }

    /// The dashboard, unless it is disabled.
    pub fn dashboard(&self) -> Router {
        let dashboard = self.dashboard.as_ref();
        dashboard.map(Dashboard::router).unwrap_or_default()
    }

    /// Adds what all answers have in common, and the answer to unknown paths: for a person it is a page.
    pub fn common(&self, router: Router) -> Router {
        match self.dashboard.clone() {
            Some(dashboard) => layers::common_or(router, move |request: Request| async move {
                dashboard.unknown(request).await
            }),
            None => layers::common(router),
        }
    }

    /// The operators' routes, for the admin address.
    pub fn operator(&self) -> Router {
        api::edges::operator(self.state.clone()).merge(api::jobs::operator(self.jobs.clone()))
    }
}

/// The accounts service, and its parts that others use too.
pub(crate) fn sign_in(
    settings: &Settings,
    db: &Db,
    tasks: TaskTracker,
) -> (Accounts, Arc<Tokens>, Arc<Mfa>, Mailer) {
    let secret = &settings.publish.app_secret;
    let tokens = Arc::new(Tokens::new(&settings.tokens));
    let mfa = Arc::new(Mfa::new(db.clone(), secret));
    let mailer = Mailer::new(secret, settings.mail.rates);
    let accounts = Accounts::new(
        db.clone(),
        Arc::clone(&tokens),
        Arc::clone(&mfa),
        mailer.clone(),
        &settings.setup_of_accounts(),
        tasks,
    );
    (accounts, tokens, mfa, mailer)
}

/// Assembles the shared state of handlers. Takes tens of milliseconds ([`Accounts::new`]).
///
/// # Panics
/// When the operating system has no random numbers.
fn state(
    settings: &Settings,
    db: Db,
    clock: Clock,
    resolver: Resolver,
    publisher: Publisher,
    lifetime: &Lifetime,
) -> AppState {
    let (accounts, tokens, mfa, mailer) = sign_in(settings, &db, lifetime.tasks.clone());
    let billing = Billing::new(
        db.clone(),
        clock.clone(),
        mailer.clone(),
        &settings.billing,
        &settings.urls,
    );
    let urls = Arc::new(settings.urls.clone());
    let lifecycle = Lifecycle::new(
        db.clone(),
        clock.clone(),
        mailer.clone(),
        Arc::clone(&urls),
        settings.lifecycle,
    );
    let migrations = Migrations::new(
        db.clone(),
        clock.clone(),
        resolver.clone(),
        Arc::new(publisher.clone()),
        settings.migration.clone(),
        lifetime,
    );
    let providers = Providers::new(
        db.clone(),
        resolver.clone(),
        &settings.publish.app_secret,
        settings.providers.clone(),
        Arc::clone(&urls),
    );
    let webhooks = Webhooks::new(
        db.clone(),
        clock.clone(),
        resolver,
        &settings.publish.app_secret,
        settings.webhooks.clone(),
        Arc::clone(&urls),
    );
    AppState {
        billing: Arc::new(billing),
        webhooks: Arc::new(webhooks),
        providers: Arc::new(providers),
        migrations,
        lifecycle,
        live: Live::new(
            db.clone(),
            clock.clone(),
            settings.live,
            publisher.clone(),
            &settings.publish.app_secret,
            lifetime.stop.clone(),
        ),
        removals: Removals::default(),
        long_pages: Limiter::new(limits::LONG_PAGES),
        heavy_pages: Limiter::new(limits::HEAVY_PAGES),
        bulk_edits: Limiter::new(limits::BULK_EDITS),
        content_writes: Limiter::new(limits::CONTENT_WRITES),
        checks: Limiter::new(limits::checks()),
        ended_sessions: EndedSessions::default(),
        rates: Rates::new(settings.rates, &clock),
        fleet: Arc::new(settings.fleet.clone()),
        sales: settings.sales.clone(),
        scim: settings.scim,
        trusted_proxies: settings.app.trusted_proxies.clone(),
        urls,
        accounts: Arc::new(accounts),
        tokens,
        mailer,
        mfa,
        usage: publisher.usage().clone(),
        publisher,
        clock,
        db,
    }
}

/// All background work: name, period, leader only or not, and function.
fn table(
    settings: &Settings,
    state: &AppState,
    stop: &CancellationToken,
    tasks: &TaskTracker,
) -> Result<Vec<Job>, StartError> {
    let AppState { db, clock, .. } = state;
    let with = (db.clone(), clock.clone());
    let lockout = settings.sign_in.lockout;
    let mailer = state.mailer.clone();
    let mut table = vec![
        Sender::job(&settings.mail, mailer, db.clone(), clock.clone(), tasks)?,
        Schedules::job(db.clone(), clock.clone()),
        ChangeSets::job(
            db.clone(),
            clock.clone(),
            state.mailer.clone(),
            Arc::clone(&state.urls),
            state.content_writes.clone(),
        ),
        Job::new(
            "forget_ended",
            HOUR,
            OnLeader,
            with.clone(),
            move |(db, clock): (Db, Clock)| async move {
                expiry::forget(&db, lockout, clock.now()).await
            },
        )
        .meanwhile("sign-ups, codes and links that have ended are kept for longer"),
        Job::new(
            "retire_api_keys",
            MINUTE,
            OnLeader,
            with.clone(),
            async |(db, clock)| retire(&db, &clock).await,
        )
        .meanwhile("expired API keys stay with the edges, which refuse them"),
        Job::new(
            "forget_unpaid_checkouts",
            HOUR,
            OnLeader,
            with.clone(),
            async |(db, clock)| billing::forget(&db, clock.now()).await,
        )
        .meanwhile("checkouts that nobody paid for are kept for longer"),
        state.billing.job_of_ends(settings.lifecycle),
        Job::new(
            "prune_usage_reports",
            HOUR,
            OnLeader,
            with.clone(),
            async |(db, clock)| usage::prune(&db, clock.now()).await,
        )
        .meanwhile("cannot prune the batch numbers of edges that are gone"),
        Job::new(
            "fold_usage_series",
            2 * MINUTE,
            OnLeader,
            with.clone(),
            async |(db, clock)| usage::fold(&db, clock.now()).await,
        )
        .meanwhile("series of usage are kept in minutes, and for longer"),
        state.removals.job(db.clone()),
        Job::new(
            "prune_flag_history",
            HOUR,
            OnLeader,
            with.clone(),
            async |(db, clock)| history::prune(&db, clock.now()).await,
        )
        .meanwhile("old versions of flags are kept for longer"),
    ];
    table.push(
        Records {
            providers: Arc::clone(&state.providers),
            mailer: state.mailer.clone(),
            clock: clock.clone(),
        }
        .job(),
    );
    table.extend(state.billing.job_of_settling(settings.lifecycle));
    let retention = settings.audit.retention;
    table.push(partition_audit_entries(retention, with.clone()));
    table.extend(retention.map(|kept_for| delete_audit_entries(kept_for, with)));
    table.extend(state.lifecycle.jobs());
    table.extend(Deliveries::jobs(&state.webhooks, stop, tasks));
    table.push(state.migrations.job());
    table.extend(state.live.jobs());
    table.extend(state.publisher.jobs(tasks));
    Ok(table)
}

fn partition_audit_entries(retention: Option<Duration>, with: (Db, Clock)) -> Job {
    let work = move |(db, clock): (Db, Clock)| async move {
        let done = partitions::extend(&db, retention, partitions::LARGE, clock.now());
        done.await.map(drop)
    };
    Job::new("partition_audit_entries", HOUR, OnLeader, with, work)
        .meanwhile("the newest partition of the audit log grows")
}

fn delete_audit_entries(kept_for: Duration, with: (Db, Clock)) -> Job {
    let work = move |(db, clock): (Db, Clock)| async move {
        let deleted = retention::delete(&db, kept_for, clock.now()).await;
        deleted.map(drop)
    };
    Job::new("delete_old_audit_entries", HOUR, OnLeader, with, work)
        .meanwhile("old audit entries are kept for longer")
}
