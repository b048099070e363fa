//! Who may join: certificates of this installation that were not revoked, and what renews them.

use std::sync::atomic::{AtomicU32, Ordering};

use harness::{Stack, eventually};
use serde_json::Value;

use crate::scene::{Scene, value_at};

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

    scene.edge.process.kill();
    std::fs::remove_dir_all(scene.edge.cache()).unwrap();
    scene.edge.start_unready().await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    let answer = scene
        .sdk()
        .post("/v1/evaluate", crate::scene::question())
        .await;
    assert_eq!(answer.status, 503);
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
async fn an_edge_renews_its_certificate_and_stays_when_the_old_one_has_ended() {
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
    let renewed = shown(&scene, &edge.name).await.unwrap();
    assert_eq!(renewed["connected_since"], first["connected_since"]);
    assert_ne!(renewed["certificate_renewed_at"], Value::Null);
    let listed = scene.stack.halyard(&["edge", "list"]);
    let row = listed.lines().find(|line| line.starts_with(&edge.name));
    let renewed_at = row.unwrap().split_whitespace().last().unwrap();
    assert!(renewed_at.ends_with('Z'), "{listed}");

    // Its link ends with the old one, and the next is made with the new one.
    let again = eventually("the edge comes back", async || {
        let edge = shown(&scene, &edge.name).await?;
        let since = &edge["connected_since"];
        (edge["connected"] == true && *since != first["connected_since"]).then_some(edge)
    })
    .await;
    assert!(again["connected_since"].as_str() >= first["certificate_expires_at"].as_str());
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
