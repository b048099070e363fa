//! What goes on when parts are gone, and how they find each other again.

use std::time::{Duration, Instant};

use harness::eventually;
use serde_json::Value;

use crate::scene::{Scene, eventually_serves, state_serving, value_at};

#[tokio::test]
async fn an_edge_goes_on_when_the_control_plane_is_killed_and_catches_up_after() {
    let mut scene = Scene::start().await;
    scene.stack.control.kill();
    for _ in 0..50 {
        assert_eq!(scene.value().await, "v0");
    }

    scene.stack.start_control().await;
    scene.serve("v1").await;
    let restarted = Instant::now();
    scene.edge_serves("v1").await;
    assert!(
        restarted.elapsed() < Duration::from_secs(10),
        "caught up in {:?}",
        restarted.elapsed()
    );
    // Connected again: from here on writes wait for it.
    scene.serve("v2").await;
    scene.edge_serves("v2").await;
}

#[tokio::test]
async fn an_edge_restarted_without_a_control_plane_serves_its_copy() {
    let mut scene = Scene::start().await;
    scene.serve("kept").await;
    assert_eq!(scene.value().await, "kept");
    scene.edge.process.terminate();
    scene.stack.control.kill();

    scene.edge.start().await;
    assert_eq!(scene.value().await, "kept");
    let unknown = scene.edge.with_key(&format!("srv_{}", "0".repeat(48)));
    let refused = unknown.post("/v1/evaluate", crate::scene::question()).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test]
async fn an_edge_that_was_away_gets_what_it_missed() {
    let mut scene = Scene::start().await;
    scene.edge.process.kill();
    for round in 1..=5 {
        scene.serve(&format!("v{round}")).await;
    }
    scene.edge.start().await;
    scene.edge_serves("v5").await;
}

#[tokio::test]
async fn a_write_does_not_fail_for_an_edge_that_is_frozen() {
    let mut scene = Scene::start().await;
    let second = scene.stack.edge().await;
    scene.edge.process.suspend();
    let began = Instant::now();
    scene.serve("v1").await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "answered after {:?}",
        began.elapsed()
    );
    assert_eq!(
        value_at(&second.with_key(&scene.key)).await,
        "v1",
        "the other edge is not held up"
    );

    scene.edge.process.resume();
    eventually_serves(&scene.sdk(), "v1").await;
}

#[tokio::test]
async fn an_edge_leaves_a_control_plane_that_is_frozen_and_lags_until_then() {
    let mut scene = Scene::start().await;
    let frozen = scene.stack.another_control("frozen").await;
    // Tried in this order.
    let upstream = format!("{},{}", frozen.quic, scene.stack.quic());
    let edge = scene.stack.edge_with(&[("EDGE_UPSTREAM", &upstream)]).await;
    let sdk = edge.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    let lost = edges_named_by_replicas(&scene, &edge.name).await;
    assert_eq!(lost.len(), 2, "it and the built-in one: {lost:?}");

    frozen.process.suspend();
    assert_eq!(value_at(&sdk).await, "v0", "it goes on serving");
    let path = format!("{}?wait=edges", scene.state_path());
    let written = scene.owner.change(&path, state_serving("v1")).await;
    let lagging: Vec<_> = written.header("x-edges-lagging").split(',').collect();
    let acknowledged = written.header("x-edges-acknowledged");
    for name in &lost {
        // By now the edge may have moved, which the built-in one cannot.
        let has_moved = *name == edge.name && acknowledged.split(',').any(|edge| edge == name);
        assert!(
            lagging.contains(&name.as_str()) || has_moved,
            "{name} is not in {lagging:?}"
        );
    }
    eventually_serves(&sdk, "v1").await;

    frozen.process.resume();
    scene.serve("v2").await;
    eventually_serves(&sdk, "v2").await;
    let built_in = scene.owner.at(&frozen.url).with_key(&scene.key);
    eventually_serves(&built_in, "v2").await;
}

/// The edges of the replica that has named this one as its own, once it has.
async fn edges_named_by_replicas(scene: &Scene, name: &str) -> Vec<String> {
    let pool = sqlx::PgPool::connect(scene.stack.database().url())
        .await
        .unwrap();
    eventually(&format!("a replica names {name}"), || async {
        let all = "SELECT presence FROM replicas";
        let all: Vec<Value> = sqlx::query_scalar(all).fetch_all(&pool).await.unwrap();
        all.iter()
            .map(|presence| -> Vec<String> {
                let edges = presence.as_array().unwrap().iter();
                edges
                    .map(|edge| edge["name"].as_str().unwrap().to_owned())
                    .collect()
            })
            .find(|names| names.iter().any(|named| named == name))
    })
    .await
}

#[tokio::test]
async fn an_edge_without_a_copy_and_without_a_control_plane_says_so() {
    let mut scene = Scene::start().await;
    let mut fresh = scene.stack.enrolled_edge(&[]);
    scene.stack.control.kill();
    fresh.start_unready().await;
    let sdk = fresh.with_key(&scene.key);
    let answer = sdk.post("/v1/evaluate", crate::scene::question()).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "1");
    assert_eq!(fresh.admin().get("/ready").await.status, 503);

    scene.stack.start_control().await;
    eventually_serves(&sdk, "v0").await;
}

#[tokio::test]
async fn both_stop_in_order_when_told_to() {
    let mut scene = Scene::start().await;
    let _open = scene.sdk().stream("/v1/stream/dev").await;
    let began = Instant::now();
    assert!(scene.edge.process.terminate().success());
    assert!(scene.stack.control.terminate().success());
    assert!(
        began.elapsed() < Duration::from_secs(25),
        "stopped after {:?}",
        began.elapsed()
    );
}
