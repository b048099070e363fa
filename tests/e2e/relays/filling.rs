//! Edges that hold nothing, below a relay that was restarted: it serves what its cache held, and has no frames of that.

use std::time::{Duration, Instant};

use harness::eventually;
use harness::relay::Relay as Wire;

use super::is_connected_via;
use crate::{
    first_start::{FAR, add_environments, environments, many},
    scene::{Scene, eventually_serves},
};

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_holds_nothing_is_filled_by_a_relay_that_was_restarted() {
    let mut scene = Scene::start().await;
    drop(add_environments(&scene.stack, &scene.project).await);
    let wire = Wire::start(scene.stack.quic(), FAR).await;
    let mut relay = scene
        .stack
        .relay_below(&[&wire.address().to_string()])
        .await;
    eventually("the relay has all", async || {
        (environments(&relay).await == many() + 3).then_some(())
    })
    .await;
    relay.process.terminate();
    relay.start().await;
    eventually_serves(&relay.with_key(&scene.key), "v0").await;

    let started = Instant::now();
    let leaf = scene.stack.edge_below(&[&relay.relay_address()]).await;
    let ready = started.elapsed();
    println!(
        "{} environments arrived through a relay in {ready:?}",
        many()
    );
    assert_eq!(environments(&leaf).await, many() + 3, "ready means all");
    // Four a round trip would take 75 s with 1,500.
    assert!(ready < Duration::from_secs(60), "after {ready:?}");
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    scene.serve("v1").await;
    eventually_serves(&leaf.with_key(&scene.key), "v1").await;
}
