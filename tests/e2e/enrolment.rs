//! Who may join: certificates of this installation that were not revoked.

use std::sync::atomic::{AtomicU32, Ordering};

use harness::{Stack, eventually};

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
async fn enrolled_edges_are_listed_by_name() {
    let mut stack = Stack::start().await;
    let edge = stack.enrolled_edge(&[]);
    assert!(stack.halyard(&["edge", "list"]).contains(&edge.name));
}
