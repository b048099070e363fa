//! The whole service as real processes: a control plane on a database of its own, and edges that joined
//! by certificate, each with a cache folder of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reqwest::Method;
use serving::clock::Clock;
use tempfile::TempDir;

use crate::caller::Caller;
use crate::patience::eventually;
use crate::postgres::Database;
use crate::process::{Process, free_address};
use crate::user::User;

/// A running service. Dropping it kills everything.
pub struct Stack {
    pub control: Process,
    /// The address of the API.
    pub url: String,
    admin: String,
    quic: String,
    settings: BTreeMap<&'static str, String>,
    edges: usize,
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
        let database = Database::create().await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut all = BTreeMap::from([
            ("DATABASE_URL", database.url().to_owned()),
            ("LOG_FORMAT", "text".to_owned()),
            (
                "LOG_LEVEL",
                "info,control_plane=debug,edge_node=debug".to_owned(),
            ),
        ]);
        all.extend(
            settings
                .iter()
                .map(|&(name, value)| (name, value.to_owned())),
        );
        let control = Control::new("control", all.clone(), folder.path());
        let mut stack = Self {
            control: control.process,
            url: control.url,
            admin: control.admin,
            quic: control.quic,
            settings: all,
            edges: 0,
            folder,
            database,
        };
        stack.start_control().await;
        stack
    }

    /// Starts the control plane, again after [`Process::kill`], and waits until it is ready.
    pub async fn start_control(&mut self) {
        self.control.start();
        ready(&mut self.control, &self.admin).await;
    }

    /// Starts one more control plane on the same database, and waits until it is ready.
    pub async fn another_control(&self, name: &str) -> Control {
        let mut control = Control::new(name, self.settings.clone(), self.folder.path());
        control.process.start();
        ready(&mut control.process, &control.admin).await;
        control
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

    fn enrolled_edge_with(
        &mut self,
        arguments: &[&str],
        settings: &[(&'static str, &str)],
    ) -> Edge {
        self.edges += 1;
        let name = format!("edge-{}", self.edges);
        let folder = self.folder.path().join(&name);
        let identity = folder.join("identity");
        std::fs::create_dir_all(&folder).expect("a folder for the edge");
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
        Caller::new(&self.admin, Clock::system())
    }

    /// The database, for what the API cannot set up.
    #[must_use]
    pub const fn database(&self) -> &Database {
        &self.database
    }

    /// A caller of the API without credentials.
    #[must_use]
    pub fn anonymous(&self) -> Caller {
        Caller::new(&self.url, Clock::system())
    }

    /// Registers an organization; see [`User::register`].
    pub async fn signup(&self, name: &str) -> User {
        User::register(&self.anonymous(), name).await
    }
}

/// One of several control planes.
pub struct Control {
    pub process: Process,
    /// The address of the API.
    pub url: String,
    /// Where the link for edges listens.
    pub quic: String,
    admin: String,
}

impl Control {
    fn new(name: &str, mut settings: BTreeMap<&'static str, String>, folder: &Path) -> Self {
        let (http, admin, quic) = (free_address(), free_address(), free_address());
        settings.insert("CONTROL_HTTP_ADDR", http.clone());
        settings.insert("CONTROL_ADMIN_ADDR", admin.clone());
        settings.insert("CONTROL_QUIC_ADDR", quic.clone());
        Self {
            process: Process::new(name, "halyard", &["serve"], settings, folder),
            url: format!("http://{http}"),
            admin: format!("http://{admin}"),
            quic,
        }
    }

    /// A caller of its probes and metrics.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.admin, Clock::system())
    }
}

/// A separate edge.
pub struct Edge {
    pub process: Process,
    /// The name it was enrolled under.
    pub name: String,
    /// Where SDKs call it.
    pub url: String,
    admin: String,
    folder: PathBuf,
}

impl Edge {
    fn new(name: &str, folder: &Path, quic: &str, settings: &[(&'static str, &str)]) -> Self {
        let (http, admin) = (free_address(), free_address());
        let inside = |part: &str| folder.join(part).to_string_lossy().into_owned();
        let mut all = BTreeMap::from([
            ("EDGE_UPSTREAM", quic.to_owned()),
            ("EDGE_IDENTITY", inside("identity")),
            ("EDGE_CACHE_DIR", inside("cache")),
            ("EDGE_HTTP_ADDR", http.clone()),
            ("EDGE_ADMIN_ADDR", admin.clone()),
            ("LOG_FORMAT", "text".to_owned()),
            ("LOG_LEVEL", "info,edge_node=debug".to_owned()),
        ]);
        all.extend(
            settings
                .iter()
                .map(|&(name, value)| (name, value.to_owned())),
        );
        Self {
            process: Process::new(name, "halyard-edge", &[], all, folder),
            name: name.to_owned(),
            url: format!("http://{http}"),
            admin: format!("http://{admin}"),
            folder: folder.to_owned(),
        }
    }

    /// Starts it, again after [`Process::kill`], and waits until it is ready.
    pub async fn start(&mut self) {
        self.process.start();
        ready(&mut self.process, &self.admin).await;
    }

    /// Starts it where it cannot become ready, and waits until it answers at all.
    pub async fn start_unready(&mut self) {
        self.process.start();
        answers(&mut self.process, &self.admin, "/health").await;
    }

    /// The folder of its cache.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.folder.join("cache")
    }

    /// A caller with an API key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Caller {
        Caller::new(&self.url, Clock::system()).with_key(key)
    }

    /// A caller of its probes and metrics.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.admin, Clock::system())
    }
}

async fn ready(process: &mut Process, admin: &str) {
    answers(process, admin, "/ready").await;
}

async fn answers(process: &mut Process, admin: &str, path: &str) {
    let caller = Caller::new(admin, Clock::system());
    eventually(&format!("{admin}{path} answers 200"), || {
        assert!(process.runs(), "it ended by itself: {}", process.log());
        let request = caller.request(Method::GET, path);
        let answer = caller.try_send(request);
        async { answer.await.ok().filter(|answer| answer.status == 200) }
    })
    .await;
}
