//! The documented order, under load.

use std::sync::Arc;

use harness::{
    Caller, Edge, eventually,
    places::Release::{Current, Previous},
    process::Process,
};
use reqwest::Method;
use serving::clock::Clock;

use super::{is_left_out, load::Load};
use crate::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_in_the_documented_order_loses_no_request_that_is_retried_once() {
    if is_left_out() {
        return;
    }
    let settings = [("RATE_EVALUATION", "0")];
    let mut scene = Scene::start_of(Previous, &settings).await;
    let mut second = scene.stack.another_control_of(Previous, "second").await;
    let controls = [scene.stack.quic().to_owned(), second.quic.clone()];
    let upstream = [controls[0].as_str(), controls[1].as_str()];
    let mut relay = scene.stack.enrolled_relay_below(&upstream, None);
    start_previous(&mut relay).await;
    let mut edge = scene.stack.enrolled_edge_below(&upstream, &settings);
    start_previous(&mut edge).await;
    let mut leaf = scene
        .stack
        .enrolled_edge_below(&[&relay.relay_address()], &settings);
    start_previous(&mut leaf).await;
    scene.edge.process.kill();

    let owner = |url: &str| {
        Caller::of_another_service(url, Clock::system()).with_token(&scene.owner.access_token)
    };
    let load = Load::new(
        [&edge, &leaf].map(|edge| edge.with_key(&scene.key)),
        [owner(&scene.stack.url), owner(&second.url)],
        scene.state_path(),
    );
    let running = load.start();
    arrives(&load).await;
    for process in [
        &mut second.process,
        &mut scene.stack.control,
        &mut relay.process,
        &mut edge.process,
        &mut leaf.process,
    ] {
        upgrade(process).await;
        arrives(&load).await;
    }
    load.end();
    running.join_all().await;

    let failures = load.failures();
    println!("{} answers, {} writes", load.answered(), load.accepted());
    assert!(failures.is_empty(), "{}: {failures:#?}", failures.len());
}

async fn start_previous(edge: &mut Edge) {
    edge.process.install(Previous);
    edge.start().await;
}

/// Waits until a write that is made from now on is everywhere.
async fn arrives(load: &Arc<Load>) {
    let before = load.accepted();
    let mark = eventually("more is written", async || {
        let mark = load.mark();
        (mark.0 > before + 1).then_some(mark)
    })
    .await;
    eventually("it is everywhere", async || {
        load.is_everywhere(mark).then_some(())
    })
    .await;
}

/// Stops a process as an orchestrator does, and starts it as this release.
async fn upgrade(process: &mut Process) {
    process.ask_to_stop();
    eventually("it ends", || {
        let ended = !process.runs();
        async move { ended.then_some(()) }
    })
    .await;
    assert!(process.wait().success());
    process.install(Current);
    process.start().await;
    let admin = Caller::new(&process.url("admin"), Clock::system());
    eventually("it is ready", async || {
        let request = admin.request(Method::GET, "/ready");
        let answer = admin.try_send(request).await.ok()?;
        (answer.status == 200).then_some(())
    })
    .await;
}
