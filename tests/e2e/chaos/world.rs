//! Two control planes on a cluster of their own, a relay and an edge below them, an edge below the relay, and everything between
//! them through something that can be broken.

use std::sync::Arc;
use std::time::Duration;

use harness::cluster::Cluster;
use harness::process::Process;
use harness::relay::{Line, Relay};
use harness::tunnel::Tunnel;
use harness::{Caller, Control, Disk, Edge, Stack, eventually};
use reqwest::Method;
use serving::clock::Clock;

use super::clocks::Clocks;
use super::faults::configure;
use super::history::History;
use super::load::{ONE, OTHER, Place, SEGMENTED, SOLO, Writer};
use super::recorder::Recorder;

/// A process of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Control,
    Second,
    Relay,
    Beside,
    Leaf,
}

impl Node {
    pub const ALL: [Self; 5] = [
        Self::Control,
        Self::Second,
        Self::Relay,
        Self::Beside,
        Self::Leaf,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Second => "second",
            Self::Relay => "relay",
            Self::Beside => "beside",
            Self::Leaf => "leaf",
        }
    }
}

pub struct World {
    pub recorder: Arc<Recorder>,
    pub writer: Writer,
    pub places: Vec<Place>,
    stack: Stack,
    second: Control,
    relay: Edge,
    beside: Edge,
    leaf: Edge,
    /// From edges to whom they are connected to.
    pub lines: Vec<Relay>,
    /// From control planes to the database.
    pub tunnels: [Tunnel; 2],
    pub disks: [Disk; 2],
    pub clocks: Clocks,
    // Last: the processes are to be gone before their database.
    pub cluster: Cluster,
    /// What every second world has: a standby that gets each commit before it is acknowledged.
    pub standby: Option<Cluster>,
}

impl World {
    pub async fn start(seed: u64) -> Self {
        let cluster = Cluster::start();
        // Processes are killed, and no machine: what others write to its disks is not to be waited for.
        configure(&cluster, &["ALTER SYSTEM SET fsync = off"]).await;
        let standby = seed.is_multiple_of(2).then(|| cluster.standby());
        if standby.is_some() {
            let synchronous = "ALTER SYSTEM SET synchronous_standby_names = '*'";
            configure(&cluster, &[synchronous]).await;
        }
        let (tunnel, first) = Tunnel::to_database(cluster.url()).await;
        let (other, second_url) = Tunnel::to_database(cluster.url()).await;
        let clocks = Clocks::new();
        let settings = clocks.settings(Node::Control);
        // A session is to outlast a jump of the clock.
        let more = [("DATABASE_URL", &*first), ("TOKEN_TTL_MINUTES", "1440")];
        let mut stack = Stack::start_with(&with(&settings, &more)).await;
        let settings = clocks.settings(Node::Second);
        let more = [("DATABASE_URL", &*second_url)];
        let settings = with(&settings, &more);
        let second = stack.another_control_with("second", &settings).await;
        let owner = stack.signup("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let mut lines = Vec::new();
        let mut line = async |to: &str| {
            let line = Relay::start(to, Line::GOOD).await;
            let address = line.address().to_string();
            lines.push(line);
            address
        };
        let control = stack.quic().to_owned();
        let upstream = [&*line(&control).await, &line(&second.quic).await];
        let mut relay = stack.enrolled_relay_below(&upstream, None);
        clocks.give(&mut relay.process, Node::Relay);
        relay.start().await;
        let upstream = [&*line(&second.quic).await, &line(&control).await];
        let mut beside = stack.enrolled_edge_below(&upstream, &[]);
        let upstream = line(&relay.relay_address()).await;
        let mut leaf = stack.enrolled_edge_below(&[&upstream], &[]);
        clocks.give(&mut beside.process, Node::Beside);
        clocks.give(&mut leaf.process, Node::Leaf);
        let disks = [&mut beside, &mut leaf].map(Disk::below);
        beside.start().await;
        leaf.start().await;

        let history = History {
            pairs: vec![[ONE.to_owned(), OTHER.to_owned()]],
            noted: [ONE, OTHER, SOLO].map(str::to_owned).to_vec(),
            built_in: vec!["control".to_owned(), "second".to_owned()],
            ..History::default()
        };
        let recorder = Arc::new(Recorder::new(seed, history));
        let servers = [("control", &stack.url), ("second", &second.url)];
        let servers = servers.map(|(name, url)| {
            let caller = Caller::of_another_service(url, Clock::system());
            (name.to_owned(), caller.with_token(&owner.access_token))
        });
        let ids = [project.id, project.dev];
        let writer = Writer::new(Arc::clone(&recorder), owner, ids, servers.to_vec());
        writer.set_up().await;
        let mut world = Self {
            recorder,
            writer,
            places: Vec::new(),
            stack,
            second,
            relay,
            beside,
            leaf,
            lines,
            tunnels: [tunnel, other],
            disks,
            clocks,
            cluster,
            standby,
        };
        world.places = Node::ALL.map(|node| world.place(node, &key)).to_vec();
        world.serves_the_segment().await;
        world
    }

    pub fn process(&mut self, node: Node) -> &mut Process {
        match node {
            Node::Control => &mut self.stack.control,
            Node::Second => &mut self.second.process,
            Node::Relay => &mut self.relay.process,
            Node::Beside => &mut self.beside.process,
            Node::Leaf => &mut self.leaf.process,
        }
    }

    fn place(&mut self, node: Node, key: &str) -> Place {
        let process = self.process(node);
        let caller = |name: &str| Caller::of_another_service(&process.url(name), Clock::system());
        Place {
            name: node.name().to_owned(),
            sdk: caller("http").with_key(key),
            admin: caller("admin"),
        }
    }

    /// Waits until each edge has all that was set up: what was before is not part of the history.
    async fn serves_the_segment(&self) {
        let number = self.writer.number();
        for place in &self.places {
            let question = serde_json::json!({"flag_keys": [ONE, OTHER, SOLO, SEGMENTED], "context": {"key": "user-1", "attributes": {"n": 1}}});
            eventually(
                &format!("{} serves {number} writes", place.name),
                async || {
                    let request = place.sdk.request(Method::POST, "/v1/evaluate/bulk");
                    let answer = place.sdk.try_send(request.json(&question)).await.ok()?;
                    let served = [ONE, OTHER, SOLO].map(|key| answer.body[key]["value"] != "off");
                    (served == [true; 3] && answer.body[SEGMENTED]["value"] == "in").then_some(())
                },
            )
            .await;
        }
    }

    /// Waits until a process that was started is ready, and starts it again if it ended for lack of a database.
    pub async fn is_ready(&mut self, node: Node) {
        let admin = self.places[node as usize].admin.clone();
        let process = self.process(node);
        eventually(&format!("{} is ready", node.name()), || {
            if !process.runs() {
                process.kill();
                process.start_unwatched();
            }
            let request = admin.request(Method::GET, "/ready");
            let answer = admin.try_send(request.timeout(Duration::from_secs(5)));
            async { answer.await.ok().filter(|answer| answer.status == 200) }
        })
        .await;
    }

    /// Waits until every edge serves that version or a newer one, and has told its streams.
    pub async fn converges_to(&self, version: u64) {
        for place in &self.places {
            let what = format!("{} serves and tells version {version}", place.name);
            eventually(&what, async || {
                let newest = self.recorder.newest(&place.name);
                (newest.served >= version && newest.told >= version).then_some(())
            })
            .await;
        }
    }

    /// Has the control planes find the database where it is now.
    pub fn lead_to_the_database(&self) {
        for tunnel in &self.tunnels {
            tunnel.lead_to(self.cluster.url());
        }
    }

    /// Fills or frees one of the disks.
    pub fn with_disk(&mut self, disk: usize, change: impl Fn(&Disk, &mut Process)) {
        let edges = [&mut self.beside, &mut self.leaf];
        change(&self.disks[disk], &mut edges[disk].process);
    }

    /// The names of those that panicked.
    pub fn panicked(&mut self) -> Vec<&'static str> {
        let mut nodes = Node::ALL.to_vec();
        nodes.retain(|&node| self.process(node).log().contains("panicked"));
        nodes.into_iter().map(Node::name).collect()
    }
}

fn with<'a>(
    settings: &'a [(&'static str, String)],
    more: &[(&'static str, &'a str)],
) -> Vec<(&'static str, &'a str)> {
    let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
    settings.chain(more.iter().copied()).collect()
}
