//! Who may join: certificates of this installation that were not revoked, and what renews them.

use std::path::Path;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU32, Ordering};

use harness::{Caller, Edge, Stack, eventually};
use serde_json::Value;
use serving::clock::Clock;

use crate::scene::{Scene, eventually_serves, value_at};

#[tokio::test]
async fn a_revoked_edge_is_cut_off_and_cannot_come_back() {
    let mut scene = Scene::start().await;
    let name = scene.edge.name.clone();
    let _printed = scene.stack.halyard(&["edge", "revoke", &name]);
    let round = AtomicU32::new(0);
    eventually("the revoked edge no longer follows", || async {
        let value = format!("r{}", round.fetch_add(1, Ordering::Relaxed));
        scene.serve(&value).await;
        (scene.value().await != value).then_some(())
    })
    .await;

    // It says so, and goes on with what it holds, also after a restart.
    let held = value_at(&scene.sdk()).await;
    let is_told = async |edge: &Edge| {
        eventually("the edge says that it is revoked", async || {
            let ready = edge.admin().get("/ready").await;
            (ready.status == 200 && ready.body["link"] == "revoked").then_some(())
        })
        .await;
        eventually("its metrics say so too", async || {
            let metrics = edge.admin().get("/metrics").await;
            let metrics = metrics.body.as_str().unwrap();
            let revoked = "halyard_edge_certificate_refused{reason=\"revoked\"} 1\n";
            metrics.contains(revoked).then_some(())
        })
        .await;
    };
    is_told(&scene.edge).await;
    let log = scene.edge.process.log();
    let told = log
        .lines()
        .filter(|line| line.contains("this edge is revoked: it hears of no change"));
    let told: Vec<_> = told.collect();
    assert_eq!(told.len(), 1, "{log}");
    assert!(told[0].contains("ERROR"), "{log}");
    scene.edge.process.terminate();
    scene.edge.start().await;
    assert_eq!(value_at(&scene.sdk()).await, held);
    is_told(&scene.edge).await;

    scene.edge.process.kill();
    std::fs::remove_dir_all(scene.edge.cache()).unwrap();
    scene.edge.start_unready().await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let answer = scene
        .sdk()
        .post("/v1/evaluate", crate::scene::question())
        .await;
    assert_eq!(answer.status, 503);
    scene.edge.admin().get("/ready").await.expect_error(
        503,
        "no snapshot, and the certificate of this edge is not accepted: revoked",
    );
}

#[tokio::test]
async fn a_link_that_is_only_missing_is_told_apart_from_one_that_is_refused() {
    let mut scene = Scene::start().await;
    let link = async || scene.edge.admin().get("/ready").await.body["link"].clone();
    assert_eq!(link().await, "connected");
    scene.stack.control.kill();
    eventually("the edge has no link", async || {
        (link().await == "none").then_some(())
    })
    .await;
}

/// What `halyard edge list` shows of an edge.
fn row_of(stack: &Stack, name: &str) -> Vec<String> {
    let listed = stack.halyard(&["edge", "list"]);
    let row = listed.lines().find(|line| line.starts_with(name));
    let row = row.unwrap_or_else(|| panic!("{name} is not in {listed}"));
    row.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_revoked_edge_stays_in_the_list_and_the_history_tells_who_did_what() {
    let mut stack = Stack::start().await;
    let edge = stack.enrolled_edge(&[]);
    // An edge that never connected has no time before this one.
    const REVOKED: usize = 10;
    assert_eq!(row_of(&stack, &edge.name)[REVOKED], "-");
    assert_eq!(
        stack.halyard(&["edge", "revoke", &edge.name]),
        format!(
            "revoked {}: its link ends within seconds; it answers from what it holds until you stop it\n",
            edge.name
        )
    );
    assert!(row_of(&stack, &edge.name)[REVOKED].ends_with('Z'));
    let refused = stack.control.refused(&["edge", "revoke", &edge.name]);
    assert!(refused.contains("no edge named edge-1 is enrolled"));

    let history = stack.halyard(&["edge", "history", &edge.name]);
    let actions = history.lines().map(|line| line.split_whitespace().nth(1));
    let expected = ["ACTION", "edge.enrolled", "edge.revoked"];
    assert!(actions.eq(expected.map(Some)), "{history}");
    let enrolled = history.lines().nth(1).unwrap();
    assert!(enrolled.contains("is_relay=false region=-"), "{history}");
    let none = stack.halyard(&["edge", "history", "nobody"]);
    assert_eq!(none.lines().count(), 1);
}

#[tokio::test]
async fn the_command_that_enrolling_prints_starts_the_edge() {
    let scene = Scene::start().await;
    let folder = tempfile::tempdir().unwrap();
    let identity = folder.path().join("my edge");
    let out = identity.to_str().unwrap();
    let enroll = ["edge", "enroll", "--name", "second", "--out", out];
    let printed = scene.stack.halyard(&enroll);
    let command: String = printed
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .flat_map(|line| [line, "\n"])
        .collect();
    // Other tests run on this machine, so the system chooses the addresses.
    assert!(command.contains("127.0.0.1:8081") && command.contains("127.0.0.1:9091"));
    let command = command.replace("127.0.0.1:8081", "127.0.0.1:0");
    let command = command.replace("127.0.0.1:9091", "127.0.0.1:0");
    let addresses = folder.path().join("addresses");
    let _edge = Shell::start(&command, &addresses);
    let http = eventually("the edge tells where it listens", async || {
        let told = std::fs::read_to_string(&addresses).ok()?;
        let line = told.lines().find_map(|line| line.strip_prefix("http="));
        line.map(|address| format!("http://{address}"))
    })
    .await;
    scene.serve("v1").await;
    let sdk = Caller::new(&http, Clock::system()).with_key(&scene.key);
    eventually_serves(&sdk, "v1").await;
    assert!(folder.path().join("my edge-cache").is_dir());
}

/// What a shell runs, killed with its value.
struct Shell(Child);

impl Shell {
    /// Runs a command with nothing of the test's environment, which tells in a file where it listens.
    fn start(command: &str, addresses: &Path) -> Self {
        let command = Command::new("/bin/sh")
            .arg("-c")
            .arg(format!("exec /usr/bin/env {command}"))
            .env_clear()
            .env("ADDRESS_FILE", addresses)
            .spawn();
        Self(command.unwrap())
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[tokio::test]
async fn an_edge_of_another_installation_is_refused() {
    let mut scene = Scene::start().await;
    let mut other = Stack::start().await;
    let quic = scene.stack.quic().to_owned();
    let mut foreign = other.enrolled_edge(&[]);
    foreign.process.set("EDGE_UPSTREAM", &quic);
    foreign.start_unready().await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(foreign.admin().get("/ready").await.status, 503);

    // Nobody else noticed.
    scene.serve("v1").await;
    assert_eq!(value_at(&scene.sdk()).await, "v1");
    assert!(scene.stack.control.runs());
}

#[tokio::test]
async fn enrolled_edges_are_listed_by_name_and_kind() {
    let mut stack = Stack::start().await;
    let edge = stack.enrolled_edge(&[]);
    let relay = stack.enrolled_relay(&[]);
    let listed = stack.halyard(&["edge", "list"]);
    let kind_of = |name: &str| {
        let row = listed.lines().find(|line| line.starts_with(name));
        row.unwrap().split_whitespace().nth(2).unwrap()
    };
    assert_eq!(kind_of("NAME"), "KIND");
    assert_eq!(kind_of(&edge.name), "edge");
    assert_eq!(kind_of(&relay.name), "relay");
    let edges = stack.admin().get("/edges").await.body;
    let relays: Vec<_> = edges
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["is_relay"] == true)
        .map(|edge| edge["name"].as_str().unwrap())
        .collect();
    assert_eq!(relays, [&relay.name]);
}

/// How `/edges` shows an edge.
async fn shown(scene: &Scene, name: &str) -> Option<Value> {
    let edges = scene.stack.admin().get("/edges").await.body;
    let edges = edges.as_array().unwrap().iter();
    edges.clone().find(|edge| edge["name"] == *name).cloned()
}

#[tokio::test]
async fn an_edge_that_cannot_renew_its_certificate_says_that_it_has_expired() {
    let mut scene = Scene::start().await;
    let mut edge = scene.stack.enrolled_edge_valid_for("10s");
    // Where it writes down what it asks for.
    let in_the_way = edge.identity().join("edge.next.draft/in-the-way");
    std::fs::create_dir_all(in_the_way).unwrap();
    edge.start().await;
    eventually(
        "the edge says that its certificate has expired",
        async || {
            let told = "ERROR";
            let has = "the certificate of this edge has expired: it hears of no change until";
            let log = edge.process.log();
            log.lines()
                .any(|line| line.contains(told) && line.contains(has))
                .then_some(())
        },
    )
    .await;
    // Refused at first by its fingerprint, and then in the handshake.
    let ready = edge.admin().get("/ready").await;
    assert_eq!(ready.status, 200);
    let link = ready.body["link"].as_str().unwrap();
    assert!(["expired", "invalid"].contains(&link), "{link}");
}

#[tokio::test]
async fn an_edge_renews_its_certificate_and_connects_again_before_the_old_one_ends() {
    let mut scene = Scene::start().await;
    let mut edge = scene.stack.enrolled_edge_valid_for("24s");
    let file = edge.identity().join("edge.pem");
    let old = std::fs::read(&file).unwrap();
    edge.start().await;
    let first = shown(&scene, &edge.name).await.unwrap();
    assert_eq!(first["certificate_renewed_at"], Value::Null);
    let metrics = edge.admin().get("/metrics").await;
    let metrics = metrics.body.as_str().unwrap();
    assert!(metrics.contains("halyard_edge_certificate_days_left 0.000"));

    eventually("the certificate is renewed", async || {
        (std::fs::read(&file).unwrap() != old).then_some(())
    })
    .await;
    let again = eventually("the edge comes back", async || {
        let edge = shown(&scene, &edge.name).await?;
        let since = &edge["connected_since"];
        (edge["connected"] == true && *since != first["connected_since"]).then_some(edge)
    })
    .await;
    assert!(again["connected_since"].as_str() < first["certificate_expires_at"].as_str());
    assert_ne!(again["certificate_renewed_at"], Value::Null);
    let listed = scene.stack.halyard(&["edge", "list"]);
    let row = listed.lines().find(|line| line.starts_with(&edge.name));
    let renewed_at = row.unwrap().split_whitespace().last().unwrap();
    assert!(renewed_at.ends_with('Z'), "{listed}");
    assert!(!edge.process.log().contains("ERROR"));
    scene.serve("v1").await;
    let sdk = edge.with_key(&scene.key);
    eventually("it follows", async || {
        (value_at(&sdk).await == "v1").then_some(())
    })
    .await;

    let _printed = scene.stack.halyard(&["edge", "revoke", &edge.name]);
    eventually(
        "a revoked edge is cut off, whatever it renewed",
        async || {
            let ready = edge.admin().get("/ready").await;
            (ready.body["connected"] == false).then_some(())
        },
    )
    .await;
    scene.serve("v2").await;
    assert_eq!(value_at(&sdk).await, "v1");
}
