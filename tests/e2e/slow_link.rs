//! An edge behind a line of 1 Mbit/s: what is urgent does not wait behind what is large.

use std::time::{Duration, Instant};

use harness::relay::{Line, Relay};
use harness::{Caller, eventually};
use serde_json::json;

use crate::{
    bulk::Bulk,
    scene::{FLAG, Scene, eventually_serves, value_at},
};

/// 1 Mbit/s.
const RATE: u64 = 125_000;
const DELAY: Duration = Duration::from_millis(20);
/// What is promised.
const EFFECTIVE: Duration = Duration::from_millis(500);
const KILLS: u32 = 10;
const BETWEEN_KILLS: Duration = Duration::from_millis(1_300);

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_is_effective_in_time_beside_a_snapshot_of_20_mb_and_a_short_queue() {
    kills_overtake(64 << 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_is_effective_in_time_beside_a_snapshot_of_20_mb_and_a_long_queue() {
    kills_overtake(256 << 10).await;
}

async fn kills_overtake(queue: u64) {
    let mut scene = Scene::start().await;
    let line = Line {
        rate: RATE,
        queue,
        delay: DELAY,
        ..Line::GOOD
    };
    let relay = Relay::start(scene.stack.quic(), line).await;
    let upstream = relay.address().to_string();
    let bulk = Bulk::make(&scene.stack, 450).await;
    eventually("the edge beside it serves it", async || {
        bulk.is_served_by(&scene.edge).await.then_some(())
    })
    .await;
    let mut edge = scene.stack.enrolled_edge(&[("EDGE_UPSTREAM", &upstream)]);
    edge.start_unready().await;
    let sdk = edge.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;

    // By then the link has found out what the line carries.
    let small = relay.delivered();
    eventually("the large environment is on its way", async || {
        (relay.delivered() > small + 100_000).then_some(())
    })
    .await;

    let (began, before) = (Instant::now(), relay.delivered());
    let mut taken = Vec::new();
    for number in 0..KILLS {
        // Spread over more than one look of the link at its empty queue.
        let at = began + BETWEEN_KILLS * number;
        tokio::time::sleep(at.saturating_duration_since(Instant::now())).await;
        taken.push(kill(&scene, [&sdk, &scene.sdk()]).await);
    }
    let carried = (relay.delivered() - before) as f64 / began.elapsed().as_secs_f64();
    println!("queue {queue}: kills took {taken:?}; the line carried {carried:.0} bytes a second");
    assert!(
        !bulk.is_served_by(&edge).await,
        "it must still be on its way"
    );
    // What the machine is busy with besides holds up the edge beside it too.
    let is_late = |[slow, fast]: &[Duration; 2]| *slow > EFFECTIVE + *fast;
    assert!(!taken.iter().any(is_late), "{taken:?}");
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = carried / RATE as f64;
    assert!(share > 0.8, "the line is used to {share:.2}");
}

/// Kills the flag; the time until each of the edges says so. Then switches it on again.
pub async fn kill(scene: &Scene, sdks: [&Caller; 2]) -> [Duration; 2] {
    let path = format!("/v1/projects/{}/flags/{FLAG}/kill", scene.project);
    let began = Instant::now();
    let is_off = async |sdk| {
        becomes(sdk, "off").await;
        began.elapsed()
    };
    let (killed, slow, fast) = tokio::join!(
        scene.owner.post(&path, json!({"env_id": scene.env})),
        is_off(sdks[0]),
        is_off(sdks[1]),
    );
    killed.expect_status(200);
    scene.serve("v0").await;
    becomes(sdks[0], "v0").await;
    [slow, fast]
}

async fn becomes(sdk: &Caller, value: &str) {
    eventually(&format!("the flag is {value}"), async || {
        (value_at(sdk).await == value).then_some(())
    })
    .await;
}
