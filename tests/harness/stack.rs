//! The whole service as real processes: a control plane on a database of its own, and edges that joined
//! by certificate, each with a cache folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Method;
use serving::clock::Clock;
use tempfile::TempDir;

use crate::{
    caller::Caller, patience::eventually, places::Release, ports::PortSetting, postgres::Database,
    process::Process, user::User,
};

const CONTROL_PORTS: &[PortSetting] = &[
    PortSetting {
        name: "http",
        setting: "CONTROL_HTTP_ADDR",
    },
    PortSetting {
        name: "admin",
        setting: "CONTROL_ADMIN_ADDR",
    },
    PortSetting {
        name: "quic",
        setting: "CONTROL_QUIC_ADDR",
    },
];

/// On a machine that is busy with other tests an honest answer about a key may take longer than the default.
const PATIENT: (&str, &str) = ("KEY_LOOKUP_TIMEOUT", "5s");

pub(crate) const EDGE_PORTS: &[PortSetting] = &[
    PortSetting {
        name: "http",
        setting: "EDGE_HTTP_ADDR",
    },
    PortSetting {
        name: "admin",
        setting: "EDGE_ADMIN_ADDR",
    },
];

/// A running service. Dropping it kills everything.
pub struct Stack {
    pub control: Process,
    /// The address of the API.
    pub url: String,
    quic: String,
    settings: BTreeMap<&'static str, String>,
    edges: usize,
    /// Of the control plane it was started with.
    release: Release,
    folder: TempDir,
    // Last, so that the processes are gone before their database.
    database: Database,
}

impl Stack {
    /// Starts a control plane and waits until it is ready. Edges are added with [`Self::edge`].
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// The same with more settings.
    pub async fn start_with(settings: &[(&'static str, &str)]) -> Self {
        Self::start_of(Release::Current, settings).await
    }

    /// The same with the control plane of a release, which makes its own schema. Answers to users of the previous one are not held
    /// against the API document.
    pub async fn start_of(release: Release, settings: &[(&'static str, &str)]) -> Self {
        let database = match release {
            Release::Current => Database::create().await,
            Release::Previous => Database::empty().await,
        };
        let url = match release {
            Release::Current => database.services_url(),
            Release::Previous => database.url().to_owned(),
        };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut all = BTreeMap::from([
            ("DATABASE_URL", url),
            ("LOG_FORMAT", "text".to_owned()),
            (
                "LOG_LEVEL",
                "info,base=debug,domain=debug,publish=debug,api=debug,edge_node=debug".to_owned(),
            ),
            (PATIENT.0, PATIENT.1.to_owned()),
        ]);
        all.extend(
            settings
                .iter()
                .map(|&(name, value)| (name, value.to_owned())),
        );
        let control = Control::start(release, "control", all.clone(), folder.path()).await;
        Self {
            control: control.process,
            url: control.url,
            quic: control.quic,
            settings: all,
            edges: 0,
            release,
            folder,
            database,
        }
    }

    /// Starts the control plane again after [`Process::kill`], where it was, and waits until it is ready.
    pub async fn start_control(&mut self) {
        self.control.start().await;
        ready(&mut self.control).await;
    }

    /// Starts one more control plane on the same database, and waits until it is ready.
    pub async fn another_control(&self, name: &str) -> Control {
        self.another_control_with(name, &[]).await
    }

    /// The same with more settings.
    pub async fn another_control_with(
        &self,
        name: &str,
        settings: &[(&'static str, &str)],
    ) -> Control {
        let mut all = self.settings.clone();
        all.extend(
            settings
                .iter()
                .map(|&(name, value)| (name, value.to_owned())),
        );
        Control::start(Release::Current, name, all, self.folder.path()).await
    }

    /// The same of a release.
    pub async fn another_control_of(&self, release: Release, name: &str) -> Control {
        Control::start(release, name, self.settings.clone(), self.folder.path()).await
    }

    /// Enrolls one more edge, starts it, and waits until it is ready.
    pub async fn edge(&mut self) -> Edge {
        self.edge_with(&[]).await
    }

    /// The same with more settings.
    pub async fn edge_with(&mut self, settings: &[(&'static str, &str)]) -> Edge {
        let mut edge = self.enrolled_edge(settings);
        edge.start().await;
        edge
    }

    /// Enrolls one more edge that does not run yet.
    pub fn enrolled_edge(&mut self, settings: &[(&'static str, &str)]) -> Edge {
        self.enrolled_edge_with(&[], settings)
    }

    /// The same for one data region.
    pub fn enrolled_edge_of(&mut self, region: &str, settings: &[(&'static str, &str)]) -> Edge {
        self.enrolled_edge_with(&["--region", region], settings)
    }

    /// The same for an edge that may be a relay.
    pub fn enrolled_relay(&mut self, settings: &[(&'static str, &str)]) -> Edge {
        self.enrolled_edge_with(&["--relay"], settings)
    }

    /// The same with certificates that are valid for this time, such as `24s`.
    pub fn enrolled_edge_valid_for(&mut self, life: &str) -> Edge {
        self.enrolled_edge_with(&["--valid-for", life], &[])
    }

    pub(crate) fn enrolled_edge_with(
        &mut self,
        arguments: &[&str],
        settings: &[(&'static str, &str)],
    ) -> Edge {
        self.edges += 1;
        let name = format!("edge-{}", self.edges);
        let folder = self.folder.path().join(&name);
        let identity = folder.join("identity");
        fs::create_dir_all(&folder).expect("a folder for the edge");
        let out = identity
            .to_str()
            .expect("temporary folders have plain names");
        let enroll = ["edge", "enroll", "--name", &name, "--out", out];
        let _printed = self.halyard(&[&enroll, arguments].concat());
        Edge::new(&name, &folder, &self.quic, settings)
    }

    /// Runs a command of `halyard` on this database and returns what it printed.
    #[must_use]
    pub fn halyard(&self, arguments: &[&str]) -> String {
        self.control.run(arguments)
    }

    /// Where the link for edges listens.
    #[must_use]
    pub fn quic(&self) -> &str {
        &self.quic
    }

    /// A caller of the control plane's probes and metrics.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.control.url("admin"), Clock::system())
    }

    /// The database, for what the API cannot set up.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// A caller of the API without credentials.
    #[must_use]
    pub fn anonymous(&self) -> Caller {
        let new = match self.release {
            Release::Current => Caller::new,
            Release::Previous => Caller::of_another_service,
        };
        new(&self.url, Clock::system())
    }

    /// Registers an organization; see [`User::register`].
    pub async fn signup(&self, name: &str) -> User {
        User::register(&self.anonymous(), name).await
    }

    /// [`Self::signup`] by somebody who has proven their address.
    pub async fn proven(&self, name: &str) -> User {
        let owner = self.signup(name).await;
        let pool = sqlx::PgPool::connect(self.database().url()).await;
        owner.prove_address(&pool.expect("a database")).await;
        owner
    }
}

/// One of several control planes.
pub struct Control {
    pub process: Process,
    /// The address of the API.
    pub url: String,
    /// Where the link for edges listens.
    pub quic: String,
}

impl Control {
    async fn start(
        release: Release,
        name: &str,
        settings: BTreeMap<&'static str, String>,
        folder: &Path,
    ) -> Self {
        let arguments = ["serve"];
        let mut process =
            Process::new(name, "halyard", &arguments, settings, CONTROL_PORTS, folder);
        process.install(release);
        process.start().await;
        ready(&mut process).await;
        Self {
            url: process.url("http"),
            quic: process.address("quic"),
            process,
        }
    }

    /// A caller of its probes and metrics.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.process.url("admin"), Clock::system())
    }
}

/// A separate edge.
pub struct Edge {
    pub process: Process,
    /// The name it was enrolled under.
    pub name: String,
    folder: PathBuf,
}

impl Edge {
    fn new(name: &str, folder: &Path, quic: &str, settings: &[(&'static str, &str)]) -> Self {
        let inside = |part: &str| folder.join(part).to_string_lossy().into_owned();
        let mut all = BTreeMap::from([
            ("EDGE_UPSTREAM", quic.to_owned()),
            ("EDGE_IDENTITY", inside("identity")),
            ("EDGE_CACHE_DIR", inside("cache")),
            ("LOG_FORMAT", "text".to_owned()),
            ("LOG_LEVEL", "info,edge_node=debug".to_owned()),
            ("SHUTDOWN_DELAY", "0".to_owned()),
            (PATIENT.0, PATIENT.1.to_owned()),
        ]);
        all.extend(
            settings
                .iter()
                .map(|&(name, value)| (name, value.to_owned())),
        );
        Self {
            process: Process::new(name, "halyard-edge", &[], all, EDGE_PORTS, folder),
            name: name.to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// Starts it, again after [`Process::kill`], and waits until it is ready.
    pub async fn start(&mut self) {
        self.process.start().await;
        ready(&mut self.process).await;
    }

    /// Starts it where it cannot become ready, and waits until it answers at all.
    pub async fn start_unready(&mut self) {
        self.process.start().await;
        answers(&mut self.process, "/health").await;
    }

    /// The folder of its identity.
    #[must_use]
    pub fn identity(&self) -> PathBuf {
        self.folder.join("identity")
    }

    /// The folder of its cache.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// Where SDKs call it, once it was started.
    #[must_use]
    pub fn url(&self) -> String {
        self.process.url("http")
    }

    /// A caller with an API key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Caller {
        Caller::new(&self.url(), Clock::system()).with_key(key)
    }

    /// A caller of its probes and metrics.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.process.url("admin"), Clock::system())
    }
}

async fn ready(process: &mut Process) {
    answers(process, "/ready").await;
}

pub(crate) async fn answers(process: &mut Process, path: &str) {
    let admin = process.url("admin");
    let caller = Caller::new(&admin, Clock::system());
    eventually(&format!("{admin}{path} answers 200"), || {
        assert!(process.runs(), "it ended by itself: {}", process.log());
        let request = caller.request(Method::GET, path);
        let answer = caller.try_send(request);
        async { answer.await.ok().filter(|answer| answer.status == 200) }
    })
    .await;
}
