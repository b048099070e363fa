//! Who may connect to a relay, and what becomes of those who may no longer; keys that are looked up through it.

use std::fs;
use std::time::{Duration, Instant};

use harness::{Edge, eventually};
use serde_json::json;
use sqlx::PgPool;

use super::{is_connected_via, one_level};
use crate::scene::{Scene, eventually_serves, question, readiness, value_at};

/// Three seconds are promised; the rest is for a machine that is busy.
const CUT_OFF: Duration = Duration::from_secs(4);

async fn is_refused_times(edge: &Edge, times: usize) {
    eventually(
        &format!("{} is told why, {times} times", edge.name),
        || async {
            let log = edge.process.log();
            (log.matches("revoked certificate").count() >= times).then_some(())
        },
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_edge_below_a_relay_is_cut_off_and_cannot_come_back() {
    let mut scene = Scene::start().await;
    let (relay, mut leaf) = one_level(&mut scene).await;
    let beside = scene.stack.edge_below(&[&relay.relay_address()]).await;

    let _printed = scene.stack.halyard(&["edge", "revoke", &leaf.name]);
    let revoked = Instant::now();
    eventually("the link of the revoked edge ends", || async {
        (readiness(&leaf).await["connected"] == false).then_some(())
    })
    .await;
    let taken = revoked.elapsed();
    println!("the link ended after {taken:?}");
    assert!(taken < CUT_OFF, "{taken:?}");
    is_refused_times(&leaf, 1).await;
    scene.serve("v1").await;
    assert_eq!(value_at(&leaf.with_key(&scene.key)).await, "v0");
    assert_eq!(value_at(&beside.with_key(&scene.key)).await, "v1");

    leaf.process.kill();
    fs::remove_dir_all(leaf.cache()).unwrap();
    let times = leaf.process.log().matches("revoked certificate").count();
    leaf.start_unready().await;
    is_refused_times(&leaf, times + 1).await;
    let sdk = leaf.with_key(&scene.key);
    assert_eq!(sdk.post("/v1/evaluate", question()).await.status, 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edges_of_a_revoked_relay_go_elsewhere() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let upstream = [&relay.relay_address(), quic.as_str()];
    let leaf = scene.stack.edge_below(&upstream).await;
    is_connected_via(&scene, &leaf, Some(&relay)).await;

    let _printed = scene.stack.halyard(&["edge", "revoke", &relay.name]);
    let revoked = Instant::now();
    is_connected_via(&scene, &leaf, None).await;
    let taken = revoked.elapsed();
    println!("the edge moved after {taken:?}");
    assert!(taken < Duration::from_secs(10), "{taken:?}");
    scene.serve("v1").await;
    eventually_serves(&leaf.with_key(&scene.key), "v1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_is_no_relay_does_not_serve_others() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let mut pretender = scene
        .stack
        .enrolled_edge_below(&[&quic], &[("EDGE_RELAY_ADDR", "127.0.0.1:0")]);
    let log = pretender.process.refuses_to_start().await;
    assert!(log.contains("--relay"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_on_demand_looks_keys_up_through_a_relay() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let address = relay.relay_address();
    let mut leaf = scene
        .stack
        .enrolled_edge_below(&[&address], &[("EDGE_SUBSCRIBE", "on-demand")]);
    leaf.start().await;
    assert_eq!(value_at(&leaf.with_key(&scene.key)).await, "v0");
    // What it holds now it is also kept up to date with.
    scene.serve("v1").await;
    eventually_serves(&leaf.with_key(&scene.key), "v1").await;

    for name in ["one", "two", "three"] {
        let owner = scene.stack.signup(name).await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F", "flag_type": "string", "default_value": name});
        owner.create(&flags, flag).await;
        let sdk = leaf.with_key(&owner.api_key(&project.dev).await);
        let question = json!({"flag_key": "f", "context": {"key": "user-1"}});
        let answer = sdk.post("/v1/evaluate", question).await;
        assert_eq!((answer.status, &answer.body["value"]), (200, &json!(name)));
    }
    let made_up = leaf.with_key(&format!("srv_{:048x}", 7));
    let refused = made_up.post("/v1/evaluate", question()).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_works_at_once_below_a_relay_and_a_revoked_one_no_longer() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = one_level(&mut scene).await;
    let path = format!("/v1/environments/{}/api-keys", scene.env);
    let body = json!({"name": "second", "type": "server"});
    let made = scene.owner.create(&path, body).await;
    let sdk = leaf.with_key(&made.text("/key"));
    assert_eq!(value_at(&sdk).await, "v0");
    let revoke = format!("/v1/api-keys/{}", made.text("/id"));
    scene.owner.remove(&revoke).await;
    let refused = sdk.post("/v1/evaluate", question()).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_the_control_plane_does_not_know_as_one_is_an_edge() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let mut relay = scene.stack.enrolled_relay_below(&[&quic], None);
    // As after a restore of a database from before it was enrolled as a relay.
    let pool = PgPool::connect(scene.stack.database().url()).await.unwrap();
    sqlx::query("UPDATE edge_certificates SET is_relay = false WHERE name = $1")
        .bind(&relay.name)
        .execute(&pool)
        .await
        .unwrap();
    relay.start().await;
    eventually_serves(&relay.with_key(&scene.key), "v0").await;
    for number in 1..=20 {
        let value = format!("v{number}");
        scene.serve(&value).await;
        eventually_serves(&relay.with_key(&scene.key), &value).await;
    }
    let log = relay.process.log();
    assert_eq!(log.matches("connected to the control plane").count(), 1);
    assert!(
        !log.contains("protocol violation"),
        "it says nothing that only a relay may say"
    );
}
