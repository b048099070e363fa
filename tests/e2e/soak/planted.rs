//! A leak that a test plants is found.

use std::collections::{BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::sample::Samples;
use super::verdict::{Trend, trends};
use super::world::Node;
use crate::scene::Scene;

const PAUSE: Duration = Duration::from_millis(50);

/// What grows at an edge while streams are opened all the time, of which so many stay open.
async fn growing(scene: &Scene, stay: usize, time: Duration) -> BTreeSet<String> {
    let sdk = scene.sdk();
    let node = Node {
        name: "edge",
        id: scene.edge.process.id(),
        sdk: sdk.clone(),
        admin: scene.edge.admin(),
        cache: None,
    };
    let (mut open, mut samples) = (VecDeque::new(), Samples::default());
    let began = Instant::now();
    while began.elapsed() < time {
        let mut stream = sdk.stream("/v1/stream/dev").await;
        stream.next_named("connected").await;
        open.push_back(stream);
        if open.len() > stay {
            open.pop_front();
        }
        samples
            .take(began.elapsed().as_secs_f64(), std::slice::from_ref(&node))
            .await;
        sleep(PAUSE).await;
    }
    let grown = trends(&samples).into_iter().filter(Trend::is_growth);
    grown.map(|trend| trend.series.to_string()).collect()
}

#[tokio::test]
async fn streams_that_nobody_ends_are_found_and_those_that_end_are_no_leak() {
    let scene = Scene::start().await;
    let grown = growing(&scene, 3, Duration::from_secs(5)).await;
    assert!(!grown.contains("edge: halyard_edge_streams"), "{grown:?}");
    // A process counts its files each five seconds.
    let grown = growing(&scene, usize::MAX, Duration::from_secs(16)).await;
    for leak in ["edge: halyard_edge_streams", "edge: process_open_fds"] {
        assert!(grown.contains(leak), "{leak} is not in {grown:?}");
    }
}
