//! Processes that are asked to stop: they leave first, and answer on until balancers have noticed.

mod balancer;
mod rolling;
mod sockets;

use std::{process::ExitStatus, time::Duration};

pub use self::rolling::restart;
use harness::{Caller, eventually, process::Process};
use reqwest::{Method, Version};
use serde_json::json;
use serving::clock::Clock;
use tokio::time::Instant;

use crate::{
    relays::one_level,
    scene::{FLAG, Scene, eventually_serves, question, readiness, value_at},
};

/// Longer than any test takes: the process ends by a second signal, or the test fails.
const LONG: (&str, &str) = ("SHUTDOWN_DELAY", "5m");

/// Asks a process to stop, and waits until it says at both addresses that it is leaving.
async fn leave(process: &Process) {
    process.ask_to_stop();
    for address in ["http", "admin"] {
        let caller = Caller::new(&process.url(address), Clock::system());
        eventually("a leaving process is not ready", || async {
            let answer = caller.get("/ready").await;
            (answer.status == 503).then(|| answer.expect_error(503, "stopping").status)
        })
        .await;
        caller
            .get("/health")
            .await
            .expect(200, json!({"status": "ok"}));
    }
}

/// The second signal, and how the process ends.
async fn end(process: &mut Process) -> ExitStatus {
    let asked = Instant::now();
    process.ask_to_stop();
    eventually("the process ends", || {
        let ended = !process.runs();
        async move { ended.then_some(()) }
    })
    .await;
    assert!(asked.elapsed() < Duration::from_secs(15));
    process.wait()
}

#[tokio::test]
async fn an_edge_that_is_asked_to_stop_serves_on_until_its_delay_is_over() {
    let mut scene = Scene::start_with(&[LONG]).await;
    let mut stream = scene.sdk().stream("/v1/stream/dev").await;
    stream.next_named("connected").await;
    assert!(readiness(&scene.edge).await["connected"] == true);
    leave(&scene.edge.process).await;

    let answer = scene.sdk().act("/v1/evaluate", question()).await;
    assert_eq!(answer.body["value"], "v0");
    assert_eq!(answer.header("connection"), "close");
    // It is connected, and follows changes.
    let write = scene.serve("v1").await;
    assert_eq!(value_at(&scene.sdk()).await, "v1");
    let event = stream.next_named("flag-update").await;
    assert_eq!(
        event.id.as_deref(),
        Some(write.header("x-snapshot-version"))
    );
    let mut late = scene.sdk().stream("/v1/stream/dev").await;
    late.next_named("connected").await;

    assert!(end(&mut scene.edge.process).await.success());
    for mut stream in [stream, late] {
        assert_eq!(stream.next().await, None);
        let retry = stream.retry.unwrap();
        assert!((3_000..=6_000).contains(&retry), "retry: {retry}");
    }
}

#[tokio::test]
async fn a_process_ends_by_itself_once_its_delay_is_over() {
    let mut scene = Scene::start_with(&[("SHUTDOWN_DELAY", "1s")]).await;
    let asked = Instant::now();
    leave(&scene.edge.process).await;
    assert!(scene.edge.process.wait().success());
    let took = asked.elapsed();
    assert!(took >= Duration::from_secs(1), "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[tokio::test]
async fn a_control_plane_that_is_asked_to_stop_answers_on_and_another_one_leads() {
    let mut scene = Scene::start().await;
    scene.stack.control.terminate();
    scene.stack.control.set(LONG.0, LONG.1);
    scene.stack.start_control().await;
    leads(&scene.stack.admin()).await;
    let second = scene.stack.another_control_with("second", &[]).await;

    leave(&scene.stack.control).await;
    leads(&second.admin()).await;
    let gauge = "halyard_leads 0";
    let metrics = scene.stack.admin().get("/metrics").await;
    assert!(
        metrics
            .body
            .as_str()
            .unwrap()
            .lines()
            .any(|line| line == gauge)
    );
    // It takes writes, and edges that are connected to it get them.
    eventually("the edge is connected", || async {
        let readiness = readiness(&scene.edge).await;
        (readiness["connected"] == true).then_some(())
    })
    .await;
    let write = scene.serve("v1").await;
    assert_eq!(write.header("connection"), "close");
    scene.edge_serves("v1").await;
    let built_in = scene.sdk().at(&scene.stack.url);
    assert_eq!(value_at(&built_in).await, "v1");

    assert!(end(&mut scene.stack.control).await.success());
    let log = scene.stack.control.log();
    assert!(log.contains("not ready any more; stopping after a delay"));
}

async fn leads(admin: &Caller) {
    eventually(&format!("{} leads", admin.base()), || async {
        let metrics = admin.get("/metrics").await;
        let mut lines = metrics.body.as_str()?.lines();
        lines.any(|line| line == "halyard_leads 1").then_some(())
    })
    .await;
}

#[tokio::test]
async fn edges_below_a_relay_that_is_leaving_follow_changes() {
    let mut scene = Scene::start().await;
    let (mut relay, leaf) = one_level(&mut scene).await;
    relay.process.terminate();
    relay.process.set(LONG.0, LONG.1);
    relay.start().await;
    eventually("the edge below is connected", || async {
        let readiness = readiness(&leaf).await;
        (readiness["connected"] == true).then_some(())
    })
    .await;
    leave(&relay.process).await;
    scene.serve("v1").await;
    eventually_serves(&leaf.with_key(&scene.key), "v1").await;
    assert_eq!(readiness(&leaf).await["connected"], true);
    assert!(end(&mut relay.process).await.success());
}

#[tokio::test]
async fn http_2_clients_of_a_leaving_edge_lose_no_request() {
    let mut scene = Scene::start_with(&[LONG]).await;
    let client = reqwest::Client::builder()
        .http2_prior_knowledge()
        .no_proxy()
        .build()
        .unwrap();
    let url = format!("{}/v1/evaluate", scene.edge.url());
    let ask = async || {
        let request = client.request(Method::POST, &url);
        let request = request.header("x-api-key", &scene.key).json(&question());
        let answer = request.send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), answer.version()),
            (200, Version::HTTP_2)
        );
        let body: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(
            (&body["flag_key"], &body["value"]),
            (&json!(FLAG), &json!("v0"))
        );
    };
    let several = async || {
        for _ in 0..100 {
            ask().await;
        }
    };
    let leaving = async {
        ask().await;
        leave(&scene.edge.process).await;
    };
    tokio::join!(several(), several(), several(), several(), leaving);
    tokio::join!(several(), several(), several(), several());
    assert!(end(&mut scene.edge.process).await.success());
}
