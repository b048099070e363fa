//! Writes, and what is read below relays after them.

use std::time::{Duration, Instant};

use super::{Tree, names, one_level};
use crate::scene::{Scene, eventually_serves, state_serving, value_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_served_below_two_relays_when_its_write_is_answered() {
    let tree = Tree::start().await;
    let scene = &tree.scene;
    let sdks = [&tree.leaf, &tree.lower, &tree.upper].map(|edge| edge.with_key(&scene.key));
    let mut older = Vec::new();
    for round in 0..60 {
        let value = format!("v{round}");
        scene.serve(&value).await;
        for sdk in &sdks {
            let read = value_at(sdk).await;
            if read != value.as_str() {
                older.push(format!("{read} instead of {value} at {}", sdk.base()));
            }
        }
    }
    assert_eq!(older, [""; 0], "older than what was answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_waits_names_the_edges_below_relays() {
    let tree = Tree::start().await;
    let scene = &tree.scene;
    let path = format!("{}?wait=edges", scene.state_path());
    let written = scene.owner.change(&path, state_serving("v1")).await;
    let acknowledged = names(written.header("x-edges-acknowledged"));
    for edge in [&scene.edge, &tree.upper, &tree.lower, &tree.leaf] {
        assert!(
            acknowledged.contains(&edge.name.as_str()),
            "{} is not in {acknowledged:?}",
            edge.name
        );
        let value = value_at(&edge.with_key(&scene.key)).await;
        assert_eq!(value, "v1", "who acknowledged serves it");
    }
    assert_eq!(acknowledged.len(), 5, "and the built-in one");
    assert_eq!(written.header("x-edges-lagging"), "");

    tree.leaf.process.suspend();
    let written = scene.owner.put(&path, state_serving("v2")).await;
    tree.leaf.process.resume();
    written.expect_status(200);
    assert_eq!(written.header("x-edges-lagging"), tree.leaf.name);
    assert_eq!(names(written.header("x-edges-acknowledged")).len(), 4);
    eventually_serves(&tree.leaf.with_key(&scene.key), "v2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_is_frozen_holds_up_one_write_and_not_the_next() {
    let mut scene = Scene::start().await;
    let (relay, leaf) = one_level(&mut scene).await;
    let beside = scene.stack.edge_below(&[&relay.relay_address()]).await;
    let sdk = beside.with_key(&scene.key);
    leaf.process.suspend();
    scene.serve("first").await;

    let began = Instant::now();
    for round in 0..5 {
        let value = format!("v{round}");
        scene.serve(&value).await;
        assert_eq!(value_at(&sdk).await, value, "the edge beside it");
    }
    let taken = began.elapsed();
    leaf.process.resume();
    println!("five writes beside a frozen edge took {taken:?}");
    // One that waited for it would take the three seconds of `SNAPSHOT_WAIT`.
    assert!(taken < Duration::from_secs(3), "{taken:?}");
    let sdk = leaf.with_key(&scene.key);
    eventually_serves(&sdk, "v4").await;

    // It is waited for again once it has caught up.
    eventually_reads_its_writes(&scene, &sdk).await;
}

/// Waits until what is written is served when the write is answered, ten times in a row.
async fn eventually_reads_its_writes(scene: &Scene, sdk: &harness::Caller) {
    let mut in_a_row = 0;
    let began = Instant::now();
    for round in 0.. {
        assert!(began.elapsed() < harness::patience::patience());
        let value = format!("again-{round}");
        scene.serve(&value).await;
        in_a_row = if value_at(sdk).await == value.as_str() {
            in_a_row + 1
        } else {
            0
        };
        if in_a_row == 10 {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_deleted_is_gone_below_relays_too() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = one_level(&mut scene).await;
    let sdk = leaf.with_key(&scene.key);
    scene.expect_deletions_at(&sdk).await;
}
