//! The control plane in process: the real router on a loopback port, a database of its own, and a clock
//! that stands still until the test moves it.

use std::{
    collections::BTreeMap,
    net::{SocketAddr, UdpSocket},
    path::Path,
    sync::Arc,
    time::Duration,
};

use axum::Router;
use base::{
    config::MailSettings,
    db::Db,
    jobs::Jobs,
    lifetime::Lifetime,
    mail::{self, Mailer},
    outbound::guard::Resolver,
    waker::Waker,
};
use control_plane::{config::Settings, service::Service, standalone};
use domain::accounts::{Accounts, tokens::Tokens};
use domain::{mfa::Mfa, usage::Collector};
use publish::{Publisher, config::PublishSettings};
use serving::{
    clock::Clock,
    leaving::Leaving,
    listener::{self, Places},
    settings::Reader,
};
use sqlx::PgPool;
use tempfile::TempDir;
use time::{OffsetDateTime, macros::datetime};
use tokio::net::TcpListener;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use crate::{caller::Caller, patience::eventually, postgres::Database, statements::Statements};

/// What the clock shows when a test begins.
pub const START: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

/// Nearly every test signs in, and few are about what that costs.
const QUICK_HASHES: [(&str, &str); 2] = [("ARGON2_MEMORY_KIB", "8"), ("ARGON2_ITERATIONS", "1")];

/// A running control plane. Dropping it stops it.
pub struct App {
    /// The time that the control plane sees.
    pub clock: Clock,
    /// The address of the API.
    pub url: String,
    /// What tells edges of changes.
    pub publisher: Publisher,
    /// What stores the usage that edges report.
    pub usage: Collector,
    /// What runs in the background.
    pub jobs: Jobs,
    /// Ends everything that runs in the background.
    pub stop: CancellationToken,
    /// How host names that users give are looked up.
    pub resolver: Resolver,
    /// How edges are published to.
    pub publish: PublishSettings,
    /// What takes mail.
    pub mailer: Mailer,
    /// How mail leaves: into a folder, unless the test says otherwise.
    pub mail: MailSettings,
    mail_folder: TempDir,
    source: BTreeMap<String, String>,
    db: Db,
    _stop: DropGuard,
    // Last, so that it is dropped after everything that uses it.
    _database: Database,
}

impl App {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same with settings other than the defaults. Passwords are hashed at next to no cost, unless the test gives the settings for
    /// that; an empty one is the service's own default.
    ///
    /// # Panics
    /// When the settings are refused, or the control plane does not start.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        Self::start_with_resolver(settings, Resolver::system()).await
    }

    /// The same where host names that users give lead to where the test says.
    ///
    /// # Panics
    /// When the settings are refused, or the control plane does not start.
    pub async fn start_with_resolver(settings: &[(&str, &str)], resolver: Resolver) -> Self {
        let database = Database::create().await;
        let url = database.url().to_owned();
        Self::start_on(database, url, settings, resolver).await
    }

    /// One whose statements are heard.
    ///
    /// # Panics
    /// When the control plane does not start.
    pub async fn start_heard_with(settings: &[(&str, &str)]) -> (Self, Statements) {
        let database = Database::create().await;
        let (statements, url) = Statements::to_database(database.url()).await;
        let app = Self::start_on(database, url, settings, Resolver::system()).await;
        (app, statements)
    }

    /// One whose connections report as notices how each statement was executed.
    ///
    /// # Panics
    /// When the control plane does not start.
    pub async fn start_explained() -> Self {
        const OPTIONS: &str = "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 \
                               -c auto_explain.log_level=notice -c auto_explain.log_format=json \
                               -c auto_explain.log_analyze=on -c auto_explain.log_timing=off";
        let database = Database::create().await;
        let mut url = reqwest::Url::parse(database.url()).expect("a URL");
        url.query_pairs_mut().append_pair("options", OPTIONS);
        Self::start_on(database, url.into(), &[], Resolver::system()).await
    }

    async fn start_on(
        database: Database,
        url: String,
        settings: &[(&str, &str)],
        resolver: Resolver,
    ) -> Self {
        log_for_failed_tests();
        let mut source: BTreeMap<_, _> = owned(&QUICK_HASHES).chain(owned(settings)).collect();
        source.insert("DATABASE_URL".to_owned(), url);
        // On a machine that is busy with other tests an honest answer about a key may take longer than the default.
        source
            .entry("KEY_LOOKUP_TIMEOUT".to_owned())
            .or_insert_with(|| "5s".to_owned());
        let mail_folder = TempDir::new().expect("a folder for mail");
        source
            .entry("SMTP_URL".to_owned())
            .or_insert_with(|| format!("dir:{}", mail_folder.path().display()));
        let mut reader = Reader::new(&source);
        let (settings, _) = Settings::read(&mut reader);
        let settings = with_few_connections(settings);
        let edge_settings = standalone::settings(&mut reader);
        reader.finish().expect("settings that can be used");

        let clock = Clock::manual(START);
        let db = Db::connect(&settings.database, Waker::new())
            .await
            .expect("the test's database");
        let stop = CancellationToken::new();
        let lifetime = lifetime(&stop);
        let service = Service::start(
            &settings,
            db.clone(),
            clock.clone(),
            resolver.clone(),
            &lifetime,
        )
        .expect("a way for mail");
        let edge = standalone::start(&service, edge_settings, &lifetime);
        let router = service
            .api(standalone::evaluation())
            .merge(service.dashboard())
            .merge(edge.router());
        let router = service.common(router);
        let url = serve(router, &settings, &stop).await;
        // From here on writes wait for it: what they make is served when they are answered.
        eventually("the built-in edge is greeted", async || {
            edge.is_ready().then_some(())
        })
        .await;
        Self {
            clock,
            url,
            resolver,
            publisher: service.state.publisher.clone(),
            usage: service.state.usage.clone(),
            publish: settings.publish.clone(),
            mailer: service.state.mailer.clone(),
            jobs: service.jobs,
            mail: settings.mail.clone(),
            source,
            mail_folder,
            db,
            _stop: stop.clone().drop_guard(),
            stop,
            _database: database,
        }
    }

    /// A caller without credentials.
    #[must_use]
    pub fn anonymous(&self) -> Caller {
        Caller::new(&self.url, self.clock.clone())
    }

    /// The database, for what the API does not show or cannot set up.
    #[must_use]
    pub const fn pool(&self) -> &PgPool {
        self.db.pool()
    }

    /// The database as the control plane uses it.
    #[must_use]
    pub const fn db(&self) -> &Db {
        &self.db
    }

    /// The API of another replica on the same database, with a pool of its own: its address.
    pub async fn another_replica(&self) -> String {
        self.another_replica_with(&[]).await
    }

    /// The same with some settings other than this one's.
    ///
    /// # Panics
    /// When the settings are refused, or it does not start.
    pub async fn another_replica_with(&self, changed: &[(&str, &str)]) -> String {
        let mut source = self.source.clone();
        source.extend(owned(changed));
        let (settings, _) = Settings::load(&source).expect("settings that can be used");
        let settings = with_few_connections(settings);
        let db = Db::connect(&settings.database, Waker::new())
            .await
            .expect("the test's database");
        let (clock, resolver) = (self.clock.clone(), self.resolver.clone());
        let service = Service::start(&settings, db, clock, resolver, &lifetime(&self.stop));
        let router = service
            .expect("a way for mail")
            .api(standalone::evaluation());
        serve(router, &settings, &self.stop).await
    }

    /// The operations on accounts as a command has them, with some settings other than this one's.
    ///
    /// # Panics
    /// When the settings are refused.
    #[must_use]
    pub fn accounts_with(&self, changed: &[(&str, &str)]) -> Accounts {
        let mut source = self.source.clone();
        source.extend(owned(changed));
        let (settings, _) = Settings::load(&source).expect("settings that can be used");
        Accounts::new(
            self.db.clone(),
            Arc::new(Tokens::new(&settings.tokens)),
            Arc::new(Mfa::new(self.db.clone(), &settings.publish.app_secret)),
            self.mailer.clone(),
            &settings.setup_of_accounts(),
            TaskTracker::new(),
        )
    }

    /// Where mail is put, unless the test says otherwise.
    pub(crate) fn mail_folder(&self) -> &Path {
        self.mail_folder.path()
    }

    /// A sender of mail beside this one's, on the same database, as another replica would have it.
    ///
    /// # Panics
    /// When mail cannot leave that way.
    pub fn another_mail_sender(&self, settings: &MailSettings) {
        let mailer = Mailer::new(&self.publish.app_secret, settings.rates);
        let db = Db::new(self.pool().clone(), Waker::new());
        let clock = self.clock.clone();
        let job = mail::Sender::job(settings, mailer, db, clock, &TaskTracker::new());
        self.jobs.start(job.expect("a way for mail"));
    }

    /// A control plane's publishing beside this one's, on the same database, as another replica would have it.
    #[must_use]
    pub fn another_publisher(&self) -> Publisher {
        let publisher = Publisher::start(
            Db::new(self.pool().clone(), Waker::new()),
            self.clock.clone(),
            &self.publish,
            self.usage.clone(),
            &self.stop,
            &TaskTracker::new(),
        );
        for job in publisher.jobs(&TaskTracker::new()) {
            self.jobs.start(job);
        }
        publisher
    }

    /// Serves separate edges too; tells where.
    ///
    /// # Panics
    /// When that is not possible.
    pub async fn serve_edges(&self) -> SocketAddr {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        self.publisher
            .serve_edges(socket, &self.publish, &self.stop, &TaskTracker::new())
            .await
            .expect("an authority")
    }
}

/// Of a replica whose usage is stored for as long as anything runs.
fn lifetime(stop: &CancellationToken) -> Lifetime {
    Lifetime {
        leaving: Leaving::before(stop),
        stop: stop.clone(),
        stop_counting: stop.clone(),
        tasks: TaskTracker::new(),
    }
}

fn owned(settings: &[(&str, &str)]) -> impl Iterator<Item = (String, String)> {
    settings
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
}

/// A test uses two or three of the connections of requests, and the pool takes turns: more of them are forked, and prepare each
/// statement, for nothing.
fn with_few_connections(mut settings: Settings) -> Settings {
    settings.database.idle_connections = 0;
    settings.database.work_connections = 4;
    settings
}

/// Serves on a port of its own until `stop`; tells where.
async fn serve(router: Router, settings: &Settings, stop: &CancellationToken) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("a bound address"));
    let limits = listener::Limits {
        drain_deadline: Duration::ZERO,
        ..settings.listen.limits
    };
    let places = Places::of_clients(&limits, settings.app.trusted_proxies.clone());
    tokio::spawn(listener::serve(
        listener,
        router,
        limits,
        places,
        Leaving::before(stop),
        stop.clone(),
    ));
    url
}

/// Test runners show what is written only when a test fails.
fn log_for_failed_tests() {
    let filter = std::env::var("LOG_LEVEL")
        .unwrap_or_else(|_| "info,base=debug,domain=debug,publish=debug,api=debug".to_owned());
    // A second test in the same process finds it installed.
    drop(
        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_test_writer()
            .try_init(),
    );
}
