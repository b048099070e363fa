//! Control planes that are gone or see nothing: edges below relays go on serving, and say how old that is.

use std::time::{Duration, Instant};

use harness::{Edge, eventually};

use super::{Tree, is_connected_via};
use crate::scene::{Scene, eventually_serves, readiness, value_at};

/// A control plane looks every second, and a machine that is busy takes its time.
const SLACK: u64 = 2_000;
/// Heartbeats of three seconds tell the age at each of three levels, and each may come just before there is news.
const YOUNG: u64 = 12_000;

async fn age(edge: &Edge) -> u64 {
    let age = &readiness(edge).await["snapshot_age_ms"];
    age.as_u64().unwrap()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_below_relays_go_on_without_a_control_plane_and_follow_when_it_is_back() {
    let mut tree = Tree::start().await;
    let sdk = tree.leaf.with_key(&tree.scene.key);
    tree.scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;
    tree.scene.stack.control.kill();
    let killed = Instant::now();
    for _ in 0..50 {
        assert_eq!(value_at(&sdk).await, "v1");
    }
    tree.leaf.process.terminate();
    tree.leaf.start().await;
    assert_eq!(value_at(&sdk).await, "v1", "from its cache");
    for relay in [&mut tree.lower, &mut tree.upper] {
        relay.process.terminate();
        relay.start().await;
    }
    assert_eq!(value_at(&sdk).await, "v1");
    // Relays that have their copies alone tell nobody that these are fresh.
    let told = readiness(&tree.leaf).await;
    let may_be = told["snapshot_age_ms"].as_u64();
    let passed = milliseconds(killed.elapsed());
    assert!(
        may_be.is_none_or(|age| age + SLACK > passed),
        "{told}, {passed} ms after the kill"
    );

    tree.scene.stack.start_control().await;
    tree.scene.serve("v2").await;
    eventually_serves(&sdk, "v2").await;
    is_connected_via(&tree.scene, &tree.leaf, Some(&tree.lower)).await;
    tree.scene.serve("v3").await;
    assert_eq!(value_at(&sdk).await, "v3", "it is waited for again");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_below_relays_says_how_old_the_last_look_is() {
    let mut tree = Tree::start().await;
    eventually("it is young", async || {
        (age(&tree.leaf).await < YOUNG).then_some(())
    })
    .await;
    tree.scene.stack.control.kill();
    let killed = Instant::now();
    eventually("the age grows", async || {
        let passed = milliseconds(killed.elapsed());
        let told = age(&tree.leaf).await;
        assert!(
            told + SLACK > passed,
            "{told} ms old, {passed} ms after the kill"
        );
        (passed > 6_000).then_some(())
    })
    .await;
    tree.scene.stack.start_control().await;
    eventually("it is young again", async || {
        (age(&tree.leaf).await < YOUNG).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_without_looks_sends_its_edges_elsewhere() {
    let mut scene = Scene::start().await;
    let (tunnel, blind) = scene.blind_control().await;
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&blind.quic]).await;
    let upstream = [&relay.relay_address(), quic.as_str()];
    let leaf = scene.stack.edge_below(&upstream).await;
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    let sdk = leaf.with_key(&scene.key);

    tunnel.hang(true);
    let cut = Instant::now();
    scene.serve("v1").await;
    // Until the relay gives up its edges they go on, and know how old it is.
    eventually("some seconds have passed", async || {
        let passed = milliseconds(cut.elapsed());
        let told = age(&leaf).await;
        let is_old = value_at(&sdk).await == "v0";
        assert!(
            told + SLACK > passed || !is_old,
            "{told} ms old, {passed} ms after the cut"
        );
        (passed > 5_000).then_some(())
    })
    .await;
    eventually_serves(&sdk, "v1").await;
    let moved = cut.elapsed();
    println!("the edge moved and had the change after {moved:?}");
    assert!(moved < Duration::from_secs(20), "{moved:?}");
    is_connected_via(&scene, &leaf, None).await;

    // The relay is of use again when it is told more.
    tunnel.hang(false);
    eventually_serves(&relay.with_key(&scene.key), "v1").await;
    let below = scene.stack.edge_below(&[&relay.relay_address()]).await;
    assert_eq!(value_at(&below.with_key(&scene.key)).await, "v1");
}
