//! A database that was put back, in all ways, whatever was written since and wherever whoever had seen more was meanwhile:
//! everybody comes to what the database has.

use std::fmt;
use std::time::{Duration, Instant};

use harness::cluster::Cluster;
use harness::patience::patience;
use harness::tunnel::Tunnel;
use harness::{Caller, Edge, Stack, User, eventually};
use reqwest::Method;
use serde_json::json;
use sqlx::{Connection, Executor, PgConnection};

use super::copy;
use crate::scene::{FLAG, eventually_serves, question, state_serving};

/// Writes that are lost, each time.
const LOST: usize = 4;

/// How the database is put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Restore {
    /// Its data is loaded over what there is.
    Data,
    /// Its files are.
    Files,
    /// The same, and its log is replayed up to a moment.
    PointInTime,
}

/// Where the control plane is meanwhile that had seen what is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meanwhile {
    /// It runs.
    Runs,
    /// It runs, and nothing goes through to the database.
    IsCutOff,
    /// It is frozen, with its connections open.
    IsFrozen,
    /// It does not run, nor does any relay or edge.
    IsStopped,
}

/// Once more than was lost is written, and once less.
const WRITTEN: [usize; 3] = [LOST - 2, LOST, LOST + 3];
const MEANWHILE: [Meanwhile; 4] = [
    Meanwhile::Runs,
    Meanwhile::IsCutOff,
    Meanwhile::IsFrozen,
    Meanwhile::IsStopped,
];

/// A control plane whose database can be put back; an edge at it, one below a relay, and one below two.
struct World {
    cluster: Cluster,
    tunnel: Tunnel,
    stack: Stack,
    relays: [Edge; 2],
    edges: [Edge; 3],
    owner: User,
    flags: String,
    env: String,
    key: String,
}

struct Row {
    restore: Restore,
    meanwhile: Meanwhile,
    written: usize,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            restore,
            meanwhile,
            written,
        } = self;
        write!(
            f,
            "{restore:?}, it {meanwhile:?}, {LOST} lost, {written} written"
        )
    }
}

impl World {
    async fn start() -> Self {
        let cluster = Cluster::start();
        let (tunnel, database) = Tunnel::to_database(cluster.url()).await;
        // Nobody has to be waited for here who is frozen.
        let settings = [
            ("DATABASE_URL", database.as_str()),
            ("SNAPSHOT_WAIT", "500ms"),
        ];
        let mut stack = Stack::start_with(&settings).await;
        let owner = stack.signup("acme").await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        for flag in [FLAG, "other"] {
            let flag =
                json!({"key": flag, "name": flag, "flag_type": "string", "default_value": "off"});
            owner.create(&flags, flag).await;
        }
        let quic = stack.quic().to_owned();
        let upper = stack.relay_below(&[&quic]).await;
        let lower = stack.relay_below(&[&upper.relay_address()]).await;
        let edges = [
            stack.edge_below(&[&quic]).await,
            stack.edge_below(&[&upper.relay_address()]).await,
            stack.edge_below(&[&lower.relay_address()]).await,
        ];
        Self {
            cluster,
            tunnel,
            stack,
            relays: [upper, lower],
            edges,
            owner,
            flags,
            env: project.dev,
            key,
        }
    }

    async fn put(&self, at: &str, flag: &str, value: &str) {
        let path = format!("{}/{flag}/environments/{}", self.flags, self.env);
        eventually("the write is possible", async || {
            let at = self.owner.at(at);
            let put = at.request(Method::PUT, &path).json(&state_serving(value));
            (at.try_send(put).await.ok()?.status == 200).then_some(())
        })
        .await;
    }

    /// Everybody who answers: the control plane, the edges, the relays.
    fn everybody(&self) -> Vec<(&str, Caller)> {
        let control = self.owner.at(&self.stack.url).with_key(&self.key);
        let names = ["edge", "edge below one", "edge below two"];
        let edges = names.into_iter().zip(&self.edges);
        let relays = ["upper relay", "lower relay"].into_iter().zip(&self.relays);
        let others = edges.chain(relays);
        let others = others.map(|(name, edge)| (name, edge.with_key(&self.key)));
        [("control plane", control)]
            .into_iter()
            .chain(others)
            .collect()
    }

    async fn everybody_serves(&self, value: &str) {
        for (_, caller) in self.everybody() {
            eventually_serves(&caller, value).await;
        }
    }

    /// Who does not come to serve it.
    async fn who_does_not_serve(&self, value: &str) -> Vec<&str> {
        let deadline = Instant::now() + patience();
        let mut others = Vec::new();
        for (name, caller) in self.everybody() {
            loop {
                let asked = caller
                    .request(Method::POST, "/v1/evaluate")
                    .json(&question());
                let answer = caller.try_send(asked).await;
                if answer.is_ok_and(|answer| answer.status == 200 && answer.body["value"] == value)
                {
                    break;
                }
                if Instant::now() > deadline {
                    others.push(name);
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
        others
    }

    async fn keep(&mut self, restore: Restore) {
        match restore {
            Restore::Data => copy::keep(self.cluster.url()).await,
            Restore::Files => self.cluster.take_snapshot(),
            Restore::PointInTime => {
                self.cluster.take_snapshot();
                self.tunnel.lead_to(self.cluster.url());
                // After the copy of the files, so that it comes from the log alone.
                self.put(&self.stack.url, "other", "replayed").await;
                let mut connection = PgConnection::connect(self.cluster.url()).await.unwrap();
                let point = "SELECT pg_create_restore_point('kept')";
                connection.execute(point).await.unwrap();
            }
        }
        self.tunnel.lead_to(self.cluster.url());
    }

    async fn put_back(&mut self, restore: Restore) {
        match restore {
            Restore::Data => copy::load(self.cluster.url()).await,
            Restore::Files => self.cluster.restore_snapshot(),
            Restore::PointInTime => self.cluster.restore_to_point("kept"),
        }
        self.tunnel.lead_to(self.cluster.url());
        eventually("the database can be written", async || {
            let mut connection = PgConnection::connect(self.cluster.url()).await.ok()?;
            let recovers: bool = sqlx::query_scalar("SELECT pg_is_in_recovery()")
                .fetch_one(&mut connection)
                .await
                .ok()?;
            (!recovers).then_some(())
        })
        .await;
    }

    async fn leave(&mut self, meanwhile: Meanwhile) {
        match meanwhile {
            Meanwhile::Runs => {}
            Meanwhile::IsCutOff => self.tunnel.hang(true),
            Meanwhile::IsFrozen => self.stack.control.suspend(),
            Meanwhile::IsStopped => {
                self.stack.control.kill();
                let edges = self.edges.iter_mut().chain(&mut self.relays);
                edges.for_each(|edge| edge.process.kill());
            }
        }
    }

    async fn come_back(&mut self, meanwhile: Meanwhile) {
        match meanwhile {
            Meanwhile::Runs => {}
            Meanwhile::IsCutOff => self.tunnel.hang(false),
            Meanwhile::IsFrozen => self.stack.control.resume(),
            Meanwhile::IsStopped => {
                self.stack.start_control().await;
                for edge in self.relays.iter_mut().chain(&mut self.edges) {
                    edge.start().await;
                }
            }
        }
    }

    /// Goes through one row; who does not come to what the database has.
    async fn go_through(&mut self, row: &Row, number: usize) -> Vec<&str> {
        let (kept, lost) = (format!("kept-{number}"), format!("lost-{number}"));
        self.put(&self.stack.url, FLAG, &kept).await;
        self.everybody_serves(&kept).await;
        self.keep(row.restore).await;
        self.put(&self.stack.url, FLAG, &lost).await;
        for more in 1..LOST {
            self.put(&self.stack.url, "other", &more.to_string()).await;
        }
        self.everybody_serves(&lost).await;

        self.leave(row.meanwhile).await;
        self.put_back(row.restore).await;
        // Somebody who has seen nothing of what is lost.
        let database = [("DATABASE_URL", self.cluster.url())];
        let second = match row.meanwhile {
            Meanwhile::Runs => None,
            _ => Some(
                self.stack
                    .another_control_with(&format!("second-{number}"), &database)
                    .await,
            ),
        };
        let url = second
            .as_ref()
            .map_or(&self.stack.url, |second| &second.url);
        for more in 0..row.written {
            self.put(url, "other", &format!("new-{more}")).await;
        }
        if row.written > LOST {
            // The log too is longer than it was.
            let mut connection = PgConnection::connect(self.cluster.url()).await.unwrap();
            connection.execute("SELECT pg_switch_wal()").await.unwrap();
            self.put(url, "other", "longer").await;
        }
        self.come_back(row.meanwhile).await;
        self.who_does_not_serve(&kept).await
    }
}

/// Each way is met by each place, and by each number of writes; so is each place by each number, among the three ways. All three
/// together, where `HALYARD_ALL_ROWS` is set: that takes ten minutes.
fn rows(restore: Restore) -> Vec<Row> {
    let whole = std::env::var_os("HALYARD_ALL_ROWS").is_some();
    let mut rows = Vec::new();
    for (place, meanwhile) in MEANWHILE.into_iter().enumerate() {
        for (number, written) in WRITTEN.into_iter().enumerate() {
            if whole || number == (place + restore as usize) % WRITTEN.len() {
                rows.push(Row {
                    restore,
                    meanwhile,
                    written,
                });
            }
        }
    }
    rows
}

async fn go_through(restore: Restore) {
    let mut world = World::start().await;
    let mut failed = Vec::new();
    for (number, row) in rows(restore).into_iter().enumerate() {
        let began = Instant::now();
        let others = world.go_through(&row, number).await;
        println!("{row}: {:?}, not served by {others:?}", began.elapsed());
        if !others.is_empty() {
            failed.push(format!("{row}: {}", others.join(", ")));
        }
    }
    assert!(
        failed.is_empty(),
        "they serve what is lost:\n{}",
        failed.join("\n")
    );
    world.put(&world.stack.url, FLAG, "at last").await;
    world.everybody_serves("at last").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_follows_data_that_was_loaded_over_newer_data_however_much_was_written_since() {
    go_through(Restore::Data).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_follows_files_that_were_put_back_however_much_was_written_since() {
    go_through(Restore::Files).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_follows_a_restore_to_a_point_in_time_however_much_was_written_since() {
    go_through(Restore::PointInTime).await;
}
