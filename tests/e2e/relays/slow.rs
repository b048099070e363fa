//! Slow lines below a relay: it is killed in the middle of a push, and kills overtake what is large.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use harness::relay::{Line, Relay};
use harness::{Caller, Edge, eventually};
use tokio_util::sync::CancellationToken;

use super::is_connected_via;
use crate::{
    bulk::Bulk,
    scene::{Scene, eventually_serves, value_at},
    slow_link::kill,
};

/// What is promised of a line of 1 Mbit/s.
const EFFECTIVE: Duration = Duration::from_millis(500);
const KILLS: u32 = 8;
const BETWEEN_KILLS: Duration = Duration::from_millis(1_300);

/// A relay that has a large environment, and the line to it.
struct Below {
    scene: Scene,
    bulk: Bulk,
    relay: Edge,
    line: Relay,
}

impl Below {
    async fn start(flags: u64, line: Line) -> Self {
        let mut scene = Scene::start().await;
        let quic = scene.stack.quic().to_owned();
        let bulk = Bulk::make(&scene.stack, flags).await;
        let relay = scene.stack.relay_below(&[&quic]).await;
        for edge in [&relay, &scene.edge] {
            eventually("the large environment is served", async || {
                bulk.is_served_by(edge).await.then_some(())
            })
            .await;
        }
        let line = Relay::start(&relay.relay_address(), line).await;
        Self {
            scene,
            bulk,
            relay,
            line,
        }
    }

    /// An edge that is being sent the large environment over the line, and has the small one.
    async fn receiving_edge(&mut self, other_upstream: &[&str]) -> Edge {
        let address = self.line.address().to_string();
        let upstream = [&[address.as_str()], other_upstream].concat();
        let mut edge = self.scene.stack.enrolled_edge_below(&upstream, &[]);
        edge.start_unready().await;
        eventually_serves(&edge.with_key(&self.scene.key), "v0").await;
        let small = self.line.delivered();
        eventually("the large environment is on its way", async || {
            (self.line.delivered() > small + 300_000).then_some(())
        })
        .await;
        edge
    }
}

/// Reads the flag of the scene all the time; the numbers in its values never go down. How often it was read.
async fn never_older(sdk: Caller, done: CancellationToken, reads: Arc<AtomicU64>) {
    let mut newest = 0;
    while !done.is_cancelled() {
        let value = value_at(&sdk).await;
        let number = value.as_str().and_then(|value| value.strip_prefix('v'));
        let number: u64 = number.and_then(|number| number.parse().ok()).unwrap();
        assert!(number >= newest, "v{number} after v{newest}");
        newest = number;
        reads.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edges_of_a_relay_killed_in_the_middle_of_a_push_go_elsewhere() {
    // 4.5 MB take about nine seconds.
    let line = Line {
        rate: 500_000,
        queue: 64 << 10,
        delay: Duration::from_millis(5),
        ..Line::GOOD
    };
    let mut below = Below::start(100, line).await;
    let quic = below.scene.stack.quic().to_owned();
    let leaf = below.receiving_edge(&[&quic]).await;
    let sdk = leaf.with_key(&below.scene.key);
    let (done, reads) = (CancellationToken::new(), Arc::<AtomicU64>::default());
    let reading = never_older(sdk.clone(), done.clone(), Arc::clone(&reads));
    let reader = tokio::spawn(reading);
    assert!(!below.bulk.is_served_by(&leaf).await, "it is on its way");

    let killed = Instant::now();
    below.relay.process.kill();
    below.scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;
    let moved = killed.elapsed();
    println!("the edge moved and had the change after {moved:?}");
    assert!(moved < Duration::from_secs(8), "{moved:?}");
    eventually("the large environment is served", async || {
        below.bulk.is_served_by(&leaf).await.then_some(())
    })
    .await;
    is_connected_via(&below.scene, &leaf, None).await;

    // The relay comes back with what it had, and nobody tells it what is newer: it serves nobody.
    below.scene.serve("v2").await;
    eventually_serves(&sdk, "v2").await;
    below.scene.stack.control.kill();
    below.relay.start_unready().await;
    let relayed = below.relay.with_key(&below.scene.key);
    eventually_serves(&relayed, "v0").await;
    let sessions = leaf.process.log().matches("connected to").count();
    let before = reads.load(Ordering::Relaxed);
    eventually("the edge has tried the relay in vain", async || {
        let failures = leaf.admin().get("/metrics").await;
        let failures = metric(failures.body.as_str()?, "halyard_edge_link_failures_total")?;
        (failures >= 4.0 && reads.load(Ordering::Relaxed) > before + 100).then_some(())
    })
    .await;
    let log = leaf.process.log();
    assert_eq!(log.matches("connected to").count(), sessions, "{log}");

    below.scene.stack.start_control().await;
    below.scene.serve("v3").await;
    eventually_serves(&sdk, "v3").await;
    eventually_serves(&relayed, "v3").await;
    done.cancel();
    reader.await.expect("never anything older");
}

fn metric(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(name));
    lines.find_map(|value| value.trim().parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_overtakes_a_large_environment_on_its_way_through_a_relay() {
    // 9 MB over 1 Mbit/s take more than a minute.
    let line = Line {
        rate: 125_000,
        queue: 64 << 10,
        delay: Duration::from_millis(20),
        ..Line::GOOD
    };
    let mut below = Below::start(200, line).await;
    let leaf = below.receiving_edge(&[]).await;
    let sdk = leaf.with_key(&below.scene.key);
    let beside = below.relay.with_key(&below.scene.key);
    let began = Instant::now();
    let mut taken = Vec::new();
    for number in 0..KILLS {
        // Spread over more than one look of the link at its empty queue.
        let at = began + BETWEEN_KILLS * number;
        tokio::time::sleep(at.saturating_duration_since(Instant::now())).await;
        taken.push(kill(&below.scene, [&sdk, &beside]).await);
    }
    println!("kills took {taken:?} below the relay and at the relay");
    assert!(
        !below.bulk.is_served_by(&leaf).await,
        "it must still be on its way"
    );
    // What the machine is busy with besides holds up the relay too.
    let is_late = |[slow, fast]: &[Duration; 2]| *slow > EFFECTIVE + *fast;
    assert!(!taken.iter().any(is_late), "{taken:?}");
}
