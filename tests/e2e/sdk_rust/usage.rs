//! What an SDK answered is counted once by the control plane.

use std::time::Duration;

use halyard::Context;
use harness::eventually;
use serde_json::json;

use super::{builder, says};
use crate::scene::Scene;

const ANSWERS: u64 = 5_000;
/// A flag that nobody else asks for.
const COUNTED: &str = "counted";

/// The sum of the counters of the flag.
async fn counted(scene: &Scene) -> u64 {
    let answer = scene.owner.get("/v1/metrics/evaluations").await;
    answer.expect_status(200);
    let counters = answer.body["counters"].as_array().unwrap().iter();
    counters
        .filter(|counter| counter["flag_key"] == COUNTED)
        .map(|counter| counter["count"].as_u64().unwrap())
        .sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_counted_once_while_flags_change_and_the_edge_is_restarted() {
    let mut scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "200ms")]).await;
    let flags = format!("/v1/projects/{}/flags", scene.project);
    let flag = json!({"key": COUNTED, "name": "Counted"});
    scene.owner.create(&flags, flag).await;
    let client = builder(&scene).start().await.unwrap();
    let user = Context::new("user-1");
    for round in 1..=4 {
        for _ in 0..ANSWERS {
            assert!(!client.bool(COUNTED, &user, false));
        }
        let value = format!("v{round}");
        scene.serve(&value).await;
        says(&client, &value).await;
        if round == 2 {
            scene.edge.process.terminate();
            scene.edge.start().await;
        }
    }
    client.close().await;
    eventually("all is counted", || async {
        (counted(&scene).await >= 4 * ANSWERS).then_some(())
    })
    .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(counted(&scene).await, 4 * ANSWERS);
}
