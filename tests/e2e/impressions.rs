//! A tenant that reports impressions without end, beside another one, at an edge that has no control plane.

use futures_util::future::join_all;
use harness::{Caller, Edge, User, eventually};
use serde_json::{Value, json};

use crate::{
    relays::is_connected_via,
    scene::{FLAG, Scene, value_at},
};

/// The rate would end it sooner.
const SETTINGS: [(&str, &str); 2] = [("USAGE_FLUSH_INTERVAL", "200ms"), ("RATE_EVALUATION", "0")];
const EVALUATIONS: u64 = 300;
const IMPRESSIONS: u64 = 50;
/// Clients, and the impressions that each reports: of 6 KB each, in all more than an edge has room for.
const FLOOD: (usize, usize) = (16, 800);
const DROPPED: &str = "halyard_edge_impressions_dropped_total";

/// Another organization, with a key that the edge knows.
async fn stranger(scene: &Scene, edge: &Edge) -> (User, Caller) {
    let stranger = scene.stack.signup("stranger").await;
    let key = stranger
        .api_key(&stranger.default_project().await.dev)
        .await;
    let sdk = edge.with_key(&key);
    let shown = json!({"flag_key": "banner"});
    eventually("the edge knows the stranger's key", || async {
        let answer = sdk.post("/v1/track", shown.clone()).await;
        (answer.status == 204).then_some(())
    })
    .await;
    (stranger, sdk)
}

async fn use_the_flag(sdk: &Caller) {
    for _ in 0..EVALUATIONS {
        value_at(sdk).await;
    }
    for number in 0..IMPRESSIONS {
        let shown = json!({"flag_key": FLAG, "user_key": format!("user-{number}")});
        sdk.post("/v1/track", shown).await.expect_status(204);
    }
}

async fn flood(sdk: &Caller) {
    let long = "\u{1f600}".repeat(512);
    let body = json!({"flag_key": long, "variant_key": long, "user_key": long});
    let (clients, each) = FLOOD;
    join_all((0..clients).map(async |_| {
        for _ in 0..each {
            let answer = sdk.post("/v1/track", body.clone()).await;
            answer.expect_status(204);
        }
    }))
    .await;
}

async fn dropped(edge: &Edge) -> f64 {
    let metrics = edge.admin().get("/metrics").await;
    let mut lines = metrics.body.as_str().unwrap().lines();
    let value = lines.find_map(|line| line.strip_prefix(DROPPED));
    value.map_or(0.0, |value| value.trim().parse().unwrap())
}

/// The sum of what the entries of a list count about the scene's flag.
fn sum(entries: &Value) -> u64 {
    let entries = entries.as_array().unwrap().iter();
    let of_flag = entries.filter(|entry| entry["flag_key"] == FLAG);
    of_flag.map(|entry| entry["count"].as_u64().unwrap()).sum()
}

async fn all_is_stored(scene: &Scene) {
    eventually("all that the first tenant did is stored", || async {
        let evaluations = scene.owner.get("/v1/metrics/evaluations").await;
        let shown = scene.owner.get("/v1/metrics/impressions").await;
        let stored = (sum(&evaluations.body["counters"]), sum(&shown.body));
        (stored == (EVALUATIONS, IMPRESSIONS)).then_some(())
    })
    .await;
}

/// Forgets what was evaluated while the scene was set up.
async fn reset(scene: &Scene) {
    let path = "/v1/metrics/evaluations/reset";
    scene.owner.act(path, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn impressions_of_one_tenant_cost_no_other_what_an_edge_counted_alone() {
    let mut scene = Scene::start_with(&SETTINGS).await;
    let (_stranger, theirs) = stranger(&scene, &scene.edge).await;
    reset(&scene).await;
    scene.stack.control.kill();
    use_the_flag(&scene.sdk()).await;
    flood(&theirs).await;
    eventually("more came than there is room for", || async {
        (dropped(&scene.edge).await > 0.0).then_some(())
    })
    .await;
    // What is on its disk is as complete.
    assert!(scene.edge.process.terminate().success());
    scene.edge.start().await;
    scene.stack.start_control().await;
    all_is_stored(&scene).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nor_do_they_at_an_edge_below_a_relay() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let address = relay.relay_address();
    let mut leaf = scene.stack.enrolled_edge_below(&[&address], &SETTINGS);
    leaf.start().await;
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    let (_stranger, theirs) = stranger(&scene, &leaf).await;
    reset(&scene).await;
    scene.stack.control.kill();
    use_the_flag(&leaf.with_key(&scene.key)).await;
    flood(&theirs).await;
    eventually("more came than there is room for", || async {
        (dropped(&leaf).await > 0.0).then_some(())
    })
    .await;
    scene.stack.start_control().await;
    all_is_stored(&scene).await;
}
