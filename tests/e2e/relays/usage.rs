//! What edges below relays count arrives, once.

use harness::{Caller, Edge, eventually};
use serde_json::json;

use super::is_connected_via;
use crate::scene::{FLAG, Scene, value_at};

const EVALUATIONS: &str = "/v1/metrics/evaluations";
const FAST: (&str, &str) = ("USAGE_FLUSH_INTERVAL", "200ms");

/// Evaluations of the scene's flag in its environment.
async fn counted(scene: &Scene) -> u64 {
    let answer = scene.owner.get(EVALUATIONS).await;
    answer.expect_status(200);
    let counters = answer.body["counters"].as_array().unwrap().iter();
    counters
        .filter(|counter| counter["env_id"] == *scene.env && counter["flag_key"] == FLAG)
        .map(|counter| counter["count"].as_u64().unwrap())
        .sum()
}

async fn is_counted(scene: &Scene, expected: u64) {
    eventually(&format!("{expected} evaluations are counted"), || async {
        (counted(scene).await == expected).then_some(())
    })
    .await;
}

async fn ask(sdk: &Caller, times: usize) {
    for _ in 0..times {
        value_at(sdk).await;
    }
}

/// A relay, and an edge with these settings below it. What was evaluated before does not count.
async fn counting_below(scene: &mut Scene, settings: &[(&'static str, &str)]) -> (Edge, Edge) {
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let address = relay.relay_address();
    let mut leaf = scene.stack.enrolled_edge_below(&[&address], settings);
    leaf.start().await;
    is_connected_via(scene, &leaf, Some(&relay)).await;
    let reset = format!("{EVALUATIONS}/reset");
    scene.owner.act(&reset, json!({})).await;
    (relay, leaf)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_edge_below_a_relay_counts_survives_the_end_of_the_relay() {
    let mut scene = Scene::start().await;
    let (mut relay, leaf) = counting_below(&mut scene, &[FAST]).await;
    let sdk = leaf.with_key(&scene.key);
    ask(&sdk, 150).await;
    relay.process.kill();
    ask(&sdk, 100).await;
    relay.start().await;
    ask(&sdk, 50).await;
    is_counted(&scene, 300).await;

    // Both in order: what is on its way is handed over before either has stopped.
    ask(&sdk, 20).await;
    assert!(relay.process.terminate().success());
    ask(&sdk, 30).await;
    relay.start().await;
    is_counted(&scene, 350).await;
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    is_counted(&scene, 350).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_edge_below_a_relay_counts_survives_the_end_of_the_control_plane() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = counting_below(&mut scene, &[FAST]).await;
    let sdk = leaf.with_key(&scene.key);
    ask(&sdk, 100).await;
    scene.stack.control.kill();
    ask(&sdk, 100).await;
    scene.stack.start_control().await;
    ask(&sdk, 100).await;
    is_counted(&scene, 300).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_usage_has_edges_below_relays_report() {
    let mut scene = Scene::start().await;
    let rarely = ("USAGE_FLUSH_INTERVAL", "1h");
    let (_relay, leaf) = counting_below(&mut scene, &[rarely]).await;
    ask(&leaf.with_key(&scene.key), 7).await;
    is_counted(&scene, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_below_a_relay_reports_before_it_has_stopped() {
    let mut scene = Scene::start().await;
    let rarely = ("USAGE_FLUSH_INTERVAL", "1h");
    let (_relay, mut leaf) = counting_below(&mut scene, &[rarely]).await;
    ask(&leaf.with_key(&scene.key), 5).await;
    assert!(leaf.process.terminate().success());
    assert_eq!(counted(&scene).await, 5);
}
