//! Two control planes on a cluster of their own, a relay, an edge beside it and one below it, which stay; and what comes and goes
//! around them finds here.

use std::path::PathBuf;
use std::sync::Arc;

use harness::cluster::Cluster;
use harness::user::DefaultProject;
use harness::{Caller, Control, Edge, Receiver, Stack, User, eventually};
use serde_json::json;
use serving::clock::Clock;
use sqlx::PgPool;
use tokio::sync::Mutex;

/// Rates that nobody reaches, so that they are kept for everybody; queues that are full soon; short waits.
const SETTINGS: [(&str, &str); 20] = [
    ("AUDIT_RETENTION", "365d"),
    // Each keeps what it prepared: many take an hour until all have met all statements.
    ("DATABASE_CONNECTIONS", "8"),
    ("DEFAULT_PLAN", "enterprise"),
    ("IMPRESSION_BUFFER_SIZE", "100"),
    ("LIFECYCLE_INTERVAL", "5s"),
    ("LOG_LEVEL", "info"),
    ("MAIL_CODES_PER_HOUR", "1000000"),
    ("MAIL_INVITATIONS_PER_HOUR", "1000000"),
    ("MAIL_NEWS_PER_HOUR", "1000000"),
    ("RATE_EVALUATION", "1000000"),
    ("RATE_MANAGEMENT", "1000000"),
    ("RATE_MIGRATION", "1000"),
    ("RATE_SIGN_IN", "1000000"),
    ("SIGN_IN_ALLOWED_CIDRS", "127.0.0.0/8"),
    ("SNAPSHOT_WAIT", "50ms"),
    ("TOKEN_TTL_MINUTES", "1440"),
    ("UNKNOWN_KEY_TTL", "1s"),
    ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
    ("WEBHOOK_RETRY_WAITS", "100ms,200ms"),
    ("WEBHOOK_TIMEOUT", "1s"),
];
const OF_EDGES: [(&str, &str); 3] = [
    ("LOG_LEVEL", "info"),
    ("RATE_EVALUATION", "1000000"),
    ("UNKNOWN_KEY_TTL", "1s"),
];

/// A process that stays.
pub struct Node {
    pub name: &'static str,
    pub id: u32,
    /// Where SDKs call it.
    pub sdk: Caller,
    pub admin: Caller,
    /// The folder of its cache.
    pub cache: Option<PathBuf>,
}

pub struct World {
    pub nodes: Arc<Vec<Node>>,
    /// Owner of the organization that stays.
    pub owner: User,
    pub project: DefaultProject,
    pub key: String,
    pub receiver: Arc<Receiver>,
    /// Where edges may connect to: control planes, and the relay that stays.
    pub upstream: Vec<String>,
    /// A relay that does not stay.
    pub passing: Arc<Mutex<Edge>>,
    pub pool: PgPool,
    pub stack: Arc<Mutex<Stack>>,
    pub second: Control,
    edges: Vec<Edge>,
    // Last: the processes are to be gone before their database.
    _cluster: Cluster,
}

impl World {
    /// `before` is called before anybody has signed up.
    pub async fn start(before: impl AsyncFnOnce(&PgPool)) -> Self {
        let cluster = Cluster::start();
        let pool = PgPool::connect(cluster.url()).await.expect("a database");
        // No machine fails, and what others write to its disks is not to be waited for.
        for statement in ["ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"] {
            let done = sqlx::query(statement).execute(&pool).await;
            done.expect("a superuser may");
        }
        let database = ("DATABASE_URL", cluster.url());
        let mut stack = Stack::start_with(&[&SETTINGS[..], &[database]].concat()).await;
        let second = stack.another_control("second").await;
        let controls = [&*stack.quic().to_owned(), &second.quic];
        let mut relay = stack.enrolled_relay_below(&controls, None);
        start(&mut relay).await;
        let mut passing = stack.enrolled_relay_below(&controls, None);
        start(&mut passing).await;
        let mut beside = stack.enrolled_edge_below(&[controls[1], controls[0]], &OF_EDGES);
        beside.start().await;
        let below = [&*passing.relay_address(), &relay.relay_address()];
        let mut leaf = stack.enrolled_edge_below(&below, &OF_EDGES);
        leaf.start().await;
        before(&pool).await;

        let caller = |url: &str| Caller::of_another_service(url, Clock::system()).patient();
        let anonymous = caller(&stack.url);
        let owner = User::register(&anonymous, "acme").await;
        owner.prove_address(&pool).await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let state = json!({"enabled": true, "default_value": true});
        let flag = json!({"key": "standing", "name": "Standing", "states": {"dev": state}});
        let content = format!("/v1/projects/{}/content", project.id);
        owner.act(&content, json!({"flags": [flag]})).await;
        let edges = [("relay", relay), ("beside", beside), ("leaf", leaf)];
        let controls = [("control", &stack.control), ("second", &second.process)];
        let controls = controls.map(|(name, process)| (name, process, None));
        let of_edges = edges.iter();
        let of_edges = of_edges.map(|(name, edge)| (*name, &edge.process, Some(edge.cache())));
        let nodes = controls.into_iter().chain(of_edges);
        let nodes = nodes.map(|(name, process, cache)| Node {
            name,
            id: process.id(),
            sdk: caller(&process.url("http")).with_key(&key),
            admin: caller(&process.url("admin")),
            cache,
        });
        let nodes = Arc::new(nodes.collect());
        let upstream = [stack.quic(), &second.quic, &edges[0].1.relay_address()];
        Self {
            nodes,
            owner,
            project,
            key,
            receiver: Arc::new(Receiver::start()),
            upstream: upstream.map(str::to_owned).to_vec(),
            passing: Arc::new(Mutex::new(passing)),
            pool,
            stack: Arc::new(Mutex::new(stack)),
            second,
            edges: edges.into_iter().map(|(_, edge)| edge).collect(),
            _cluster: cluster,
        }
    }

    /// Stops the control planes, and starts them again after that.
    pub async fn restart_around(&mut self, work: impl Future<Output = ()>) {
        let mut stack = self.stack.lock().await;
        assert!(stack.control.terminate().success());
        assert!(self.second.process.terminate().success());
        work.await;
        stack.start_control().await;
        drop(stack);
        self.second.process.start().await;
    }

    /// The names of those that panicked.
    pub async fn panicked(&self) -> Vec<String> {
        let stack = self.stack.lock().await;
        let passing = self.passing.lock().await;
        let controls = [&stack.control, &self.second.process, &passing.process];
        let edges = self.edges.iter().map(|edge| &edge.process);
        let panicked = controls.into_iter().chain(edges);
        let panicked = panicked.filter(|process| process.log().contains("panicked"));
        panicked
            .map(|process| process.log_file().display().to_string())
            .collect()
    }
}

async fn start(relay: &mut Edge) {
    for (setting, value) in OF_EDGES {
        relay.process.set(setting, value);
    }
    relay.start().await;
}

/// Waits until this is answered so.
pub async fn until_answered(sdk: &Caller, what: &str, is_it: impl Fn(&harness::Response) -> bool) {
    let question = json!({"flag_key": what, "context": {"key": "user-1", "attributes": {"n": 1}}});
    let place = format!("{} answers about {what}", sdk.base());
    eventually(&place, async || {
        let request = sdk.request(reqwest::Method::POST, "/v1/evaluate");
        let answer = sdk.try_send(request.json(&question)).await.ok()?;
        is_it(&answer).then_some(())
    })
    .await;
}
