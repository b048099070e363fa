//! What a relay adds to the way of a change.

use std::time::{Duration, Instant};

use futures_util::future::join3;
use harness::sse::Stream;

use super::one_level;
use crate::scene::Scene;

const CHANGES: usize = 100;
/// For a debug build on a machine that is busy with other tests: 2 ms are meant.
const MEDIAN: Duration = Duration::from_millis(25);

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_adds_little_to_the_way_of_a_change() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = one_level(&mut scene).await;
    let mut direct = opened(scene.sdk()).await;
    let mut relayed = opened(leaf.with_key(&scene.key)).await;
    let mut taken = Vec::new();
    for round in 0..CHANGES {
        let began = Instant::now();
        // Never the one that is served already: that is no change.
        let value = format!("v{}", round + 1);
        let arrival = async |stream: &mut Stream| {
            stream.next_named("flag-update").await;
            began.elapsed()
        };
        let (_, direct, relayed) = join3(
            scene.serve(&value),
            arrival(&mut direct),
            arrival(&mut relayed),
        )
        .await;
        taken.push((direct, relayed));
    }
    let median = |of: &dyn Fn(&(Duration, Duration)) -> Duration| {
        let mut all: Vec<_> = taken.iter().map(of).collect();
        all.sort();
        all[CHANGES / 2]
    };
    let (direct, relayed) = (median(&|times| times.0), median(&|times| times.1));
    let added = median(&|times| times.1.saturating_sub(times.0));
    println!(
        "median of {CHANGES} changes: {direct:?} direct, {relayed:?} through a relay, {added:?} more"
    );
    assert!(added < MEDIAN, "{added:?}");
}

async fn opened(sdk: harness::Caller) -> Stream {
    let mut stream = sdk.stream("/v1/stream/dev").await;
    stream.next_named("connected").await;
    stream
}
