//! What SDKs counted.

use harness::{Caller, eventually};
use protocol::{
    reason::Reason,
    wire::{
        frame,
        sdk::{Count, MEDIA_TYPE, Report},
    },
};
use reqwest::Method;

use super::USAGE;
use crate::scene::{FLAG, Scene};

async fn counted(scene: &Scene) -> u64 {
    let answer = scene.owner.get("/v1/metrics/evaluations").await;
    let counters = answer.expect_status(200).body["counters"].clone();
    let counters = counters.as_array().unwrap().iter();
    counters
        .filter(|counter| counter["env_id"] == *scene.env && counter["flag_key"] == FLAG)
        .map(|counter| counter["count"].as_u64().unwrap())
        .sum()
}

async fn comes_to(scene: &Scene, expected: u64) {
    eventually(&format!("{expected} evaluations are counted"), || async {
        (counted(scene).await == expected).then_some(())
    })
    .await;
}

async fn report(sdk: &Caller, sequence: u64, count: u64) {
    let count = Count {
        flag_key: FLAG.to_owned(),
        reason: Reason::Fallthrough,
        value: "\"v0\"".to_owned(),
        variant_key: String::new(),
        count,
    };
    let report = Report {
        instance: [3; 16],
        sequence,
        counts: vec![count],
        ..Report::default()
    };
    let request = sdk.request(Method::POST, USAGE);
    let request = request.header("content-type", MEDIA_TYPE);
    let body = frame::encode(&report).unwrap();
    sdk.send(request.body(body)).await.expect_status(204);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_that_is_sent_again_is_counted_once() {
    let scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "200ms")]).await;
    // What the scene asked until the flag was served.
    let reset = "/v1/metrics/evaluations/reset";
    eventually("all is counted", || async {
        (counted(&scene).await > 0).then_some(())
    })
    .await;
    scene.owner.act(reset, serde_json::json!({})).await;
    let sdk = scene.sdk();
    for _ in 0..3 {
        report(&sdk, 1, 1_000).await;
    }
    report(&sdk, 2, 30).await;
    report(&sdk, 1, 1_000).await;
    comes_to(&scene, 1_030).await;
    report(&sdk, 3, 1).await;
    comes_to(&scene, 1_031).await;
}
