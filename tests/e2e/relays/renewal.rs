//! Certificates of a relay and of an edge below it end, over and over.

use std::fs;
use std::time::Duration;

use harness::Edge;
use tokio::time::sleep;

use super::is_connected_via;
use crate::scene::{Scene, eventually_serves, readiness, value_at};

const LIFE: &str = "15s";
/// So often is each certificate renewed: the first two have ended then.
const RENEWALS: usize = 3;

fn certificate(edge: &Edge) -> Vec<u8> {
    fs::read(edge.identity().join("edge.pem")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_and_the_edge_below_it_outlive_their_certificates() {
    let mut scene = Scene::start().await;
    let mut relay = scene.stack.enrolled_relay_valid_for(LIFE);
    relay.start().await;
    let mut leaf = scene.stack.enrolled_edge_valid_for(LIFE);
    leaf.process.set("EDGE_UPSTREAM", &relay.relay_address());
    leaf.start().await;
    let sdk = leaf.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    is_connected_via(&scene, &leaf, Some(&relay)).await;

    let mut seen = [vec![certificate(&relay)], vec![certificate(&leaf)]];
    while seen.iter().any(|seen| seen.len() <= RENEWALS) {
        for (edge, seen) in [&relay, &leaf].into_iter().zip(&mut seen) {
            let now = certificate(edge);
            if seen.last() != Some(&now) {
                seen.push(now);
            }
            let ready = readiness(edge).await;
            // Between two links there is none for a moment.
            assert!(
                ["connected", "none"].contains(&ready["link"].as_str().unwrap()),
                "{ready}"
            );
            assert!(ready["snapshot_age_ms"].as_u64() < Some(9_000), "{ready}");
        }
        sleep(Duration::from_millis(50)).await;
    }
    for edge in [&relay, &leaf] {
        let log = edge.process.log();
        assert!(!log.contains("ERROR"), "{log}");
    }
    is_connected_via(&scene, &leaf, Some(&relay)).await;
    scene.serve("v1").await;
    assert_eq!(value_at(&sdk).await, "v1", "it is waited for");
}
