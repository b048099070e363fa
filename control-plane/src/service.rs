//! The control plane, put together: the same for `halyard serve`, for tests, and for each replica that a test adds.

use axum::Router;
use serving::{clock::Clock, telemetry::describe};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use utoipa::openapi::OpenApi;

use crate::{
    accounts::expiry,
    api_keys::retire::retire,
    app,
    audit::retention,
    billing,
    clocks::Clocks,
    config::{AppSettings, Settings},
    dashboard,
    db::Db,
    edges,
    flags::{history, schedule::Schedules},
    jobs::{self, HOUR, Job, Jobs, MINUTE, RunsOn::Leader as OnLeader},
    leader::Leader,
    mail::{Sender, StartError},
    outbound::guard::Resolver,
    publish::Publisher,
    state::AppState,
    telemetry::METRICS,
    usage::{self, Collector},
    webhooks::Deliveries,
};

/// When what runs ends. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Lifetime {
    /// Ends requests and jobs.
    pub stop: CancellationToken,
    /// Ends the writing of usage: later than `stop`, so that what the last requests counted is stored.
    pub stop_counting: CancellationToken,
    /// What runs besides requests.
    pub tasks: TaskTracker,
}

/// A control plane that runs. Listeners are its owner's.
#[derive(Clone)]
pub struct Service {
    /// What handlers share.
    pub state: AppState,
    /// Its background work.
    pub jobs: Jobs,
    /// Whether this machine's clock is that of the database.
    pub clocks: Clocks,
    app: AppSettings,
    dashboard: Option<Router>,
}

impl Service {
    /// Puts it together and starts its background work. The schema is up to date. `resolver` looks up host names that users give.
    ///
    /// # Errors
    /// When mail cannot be sent the way that is set.
    pub fn start(
        settings: &Settings,
        db: Db,
        clock: Clock,
        resolver: Resolver,
        lifetime: &Lifetime,
    ) -> Result<Self, StartError> {
        let Lifetime {
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
        let state = AppState::new(
            settings,
            db.clone(),
            clock.clone(),
            resolver,
            publisher,
            lifetime,
        );
        let table = table(settings, &state, stop, tasks)?;
        let telling = state.live.clone().tell_waves();
        tasks.spawn(stop.clone().run_until_cancelled_owned(telling));
        let clocks = Clocks::new(clock.clone());
        let leader = Leader::start(db, clocks.clone(), stop, tasks);
        let jobs = Jobs::new(clock, leader, stop.clone(), tasks.clone());
        table.into_iter().for_each(|job| jobs.start(job));
        Ok(Self {
            state,
            jobs,
            clocks,
            app: settings.app.clone(),
            dashboard: settings
                .listen
                .dashboard
                .then(|| dashboard::router(&settings.billing)),
        })
    }

    /// What members call. `evaluation` is what edges say of their paths, for the API document.
    pub fn api(&self, evaluation: OpenApi) -> Router {
        app::router(self.state.clone(), &self.app, evaluation)
    }

    /// What members look at in a browser, unless it is switched off.
    pub fn dashboard(&self) -> Router {
        self.dashboard.clone().unwrap_or_default()
    }

    /// What operators call, on the admin address.
    pub fn operator(&self) -> Router {
        edges::routes::operator(self.state.clone()).merge(jobs::routes::operator(self.jobs.clone()))
    }
}

/// All background work: name, period, whether the leader does it alone, and what is done.
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
    table.extend(state.billing.job_of_settling(settings.lifecycle));
    if let Some(kept_for) = settings.audit.retention {
        let job = Job::new(
            "delete_old_audit_entries",
            HOUR,
            OnLeader,
            with,
            move |(db, clock): (Db, Clock)| async move {
                retention::delete(&db, kept_for, clock.now())
                    .await
                    .map(drop)
            },
        );
        table.push(job.meanwhile("old audit entries are kept for longer"));
    }
    table.extend(state.lifecycle.jobs());
    table.extend(Deliveries::jobs(&state.webhooks, stop, tasks));
    table.push(state.migrations.job());
    table.extend(state.live.jobs());
    table.extend(state.publisher.jobs(tasks));
    Ok(table)
}
