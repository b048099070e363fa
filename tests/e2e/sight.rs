//! Control planes that do not see their database any more: what they know is as old as their last look, and their edges do not
//! take it for fresh.

use std::time::{Duration, Instant};

use harness::{Edge, eventually};

use crate::scene::{Scene, eventually_serves, readiness, state_serving, value_at};

async fn is_connected(edge: &Edge, connected: bool) {
    eventually(&format!("connected: {connected}"), || async {
        (readiness(edge).await["connected"] == connected).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_cut_off_from_the_database_sends_its_edges_to_one_that_sees_it() {
    let mut scene = Scene::start().await;
    let (tunnel, blind) = scene.blind_control().await;
    let upstream = format!("{},{}", blind.quic, scene.stack.quic());
    let edge = scene.stack.edge_with(&[("EDGE_UPSTREAM", &upstream)]).await;
    let sdk = edge.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    is_connected(&edge, true).await;

    tunnel.hang(true);
    let cut = Instant::now();
    scene.serve("v1").await;
    eventually_serves(&sdk, "v1").await;
    let moved = cut.elapsed();
    println!("the edge moved and had the change after {moved:?}");
    assert!(moved < Duration::from_secs(8), "after {moved:?}");
    assert!(edge.process.log().contains("control plane is going away"));

    let owner = scene.owner.at(&blind.url);
    let refused = owner.get("/v1/projects").await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(blind.admin().get("/ready").await.status, 503);
    println!("it said so after {:?}", cut.elapsed());

    // An edge that comes now is refused there at once, and tries the next.
    let mut fresh = scene.stack.enrolled_edge(&[("EDGE_UPSTREAM", &upstream)]);
    let started = Instant::now();
    fresh.start().await;
    println!("a fresh edge was ready after {:?}", started.elapsed());
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(value_at(&fresh.with_key(&scene.key)).await, "v1");

    // The replica sees again, and what was written meanwhile.
    tunnel.hang(false);
    let built_in = scene.owner.at(&blind.url).with_key(&scene.key);
    eventually_serves(&built_in, "v1").await;
    eventually("it is ready", async || {
        (blind.admin().get("/ready").await.status == 200).then_some(())
    })
    .await;
    owner.change(&scene.state_path(), state_serving("v2")).await;
    eventually_serves(&sdk, "v2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_no_replica_can_keep_up_to_date_says_how_old_it_is() {
    let mut scene = Scene::start().await;
    let (tunnel, blind) = scene.blind_control().await;
    let edge = scene
        .stack
        .edge_with(&[("EDGE_UPSTREAM", &blind.quic)])
        .await;
    let sdk = edge.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    is_connected(&edge, true).await;

    let age = async || readiness(&edge).await["snapshot_age_ms"].as_u64().unwrap();
    tunnel.hang(true);
    let cut = Instant::now();
    scene.serve("v1").await;
    is_connected(&edge, false).await;
    let told = age().await;
    // The last look that succeeded began at most a look's pause before the cut.
    let passed = u64::try_from(cut.elapsed().as_millis()).unwrap();
    assert!(
        told + 2_000 > passed,
        "{told} ms old, {passed} ms after the cut"
    );
    assert_eq!(value_at(&sdk).await, "v0", "it goes on serving");
    assert_eq!(edge.admin().get("/ready").await.status, 200);
    eventually("the age grows", async || {
        (age().await > told + 2_000).then_some(())
    })
    .await;

    tunnel.hang(false);
    eventually_serves(&sdk, "v1").await;
    is_connected(&edge, true).await;
    assert!(age().await < 10_000);
}
