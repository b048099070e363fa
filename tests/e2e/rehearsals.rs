//! A rehearsal at real edges: it begins everywhere, hurts one key alone, and ends by itself whatever is lost meanwhile.

use std::time::{Duration, Instant};

use harness::{Caller, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    relays::Tree,
    scene::{FLAG, Scene, eventually_serves, question, value_at},
};

async fn status(sdk: &Caller) -> u16 {
    sdk.post("/v1/evaluate", question()).await.status
}

async fn fails(sdk: &Caller) {
    eventually("the answers fail", || async {
        (status(sdk).await == 503).then_some(())
    })
    .await;
}

fn path(scene: &Scene) -> String {
    format!(
        "/v1/projects/{}/environments/{}/rehearsals",
        scene.project, scene.env
    )
}

async fn begin(scene: &Scene, failure: &str, seconds: u64) {
    let keys = format!("/v1/environments/{}/api-keys", scene.env);
    let listed = scene.owner.get(&keys).await;
    let keys = listed.body["data"].as_array().unwrap();
    let id = keys
        .iter()
        .find(|one| scene.key.starts_with(one["key_prefix"].as_str().unwrap()));
    let body = json!({"api_key_id": id.unwrap()["id"], "failure": failure, "seconds": seconds});
    scene.owner.create(&path(scene), body).await;
}

async fn rehearsals(scene: &Scene) -> String {
    let metrics = scene.edge.admin().get("/metrics").await;
    let mut lines = metrics.body.as_str().unwrap().lines();
    let line = lines.find(|line| line.starts_with("halyard_edge_rehearsals "));
    line.unwrap().to_owned()
}

#[tokio::test]
async fn a_rehearsal_ends_by_itself_when_the_control_plane_is_cut_off() {
    let mut tree = Tree::start().await;
    let other = tree.scene.owner.api_key(&tree.scene.env).await;
    let (edge, leaf) = (tree.scene.sdk(), tree.leaf.with_key(&tree.scene.key));
    let unaffected = tree.leaf.with_key(&other);
    eventually_serves(&unaffected, "v0").await;
    let mut events = leaf.stream("/v1/stream/dev").await;

    let began = Instant::now();
    begin(&tree.scene, "unavailable", 8).await;
    fails(&edge).await;
    fails(&leaf).await;
    eventually("the metric says so", || async {
        (rehearsals(&tree.scene).await == "halyard_edge_rehearsals 1").then_some(())
    })
    .await;
    let ending = async { while events.next().await.is_some() {} };
    let ended = tokio::time::timeout(Duration::from_secs(5), ending).await;
    ended.expect("open streams end");
    // Nobody can stop it any more.
    tree.scene.stack.control.kill();
    tree.upper.process.kill();
    assert_eq!(value_at(&unaffected).await, "v0");
    assert_eq!((status(&edge).await, status(&leaf).await), (503, 503));

    eventually_serves(&edge, "v0").await;
    eventually_serves(&leaf, "v0").await;
    let lasted = began.elapsed();
    assert!(lasted >= Duration::from_secs(7), "{lasted:?}");
    assert!(lasted < Duration::from_secs(14), "{lasted:?}");
    eventually("the metric says that it is over", || async {
        (rehearsals(&tree.scene).await == "halyard_edge_rehearsals 0").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_rehearsal_is_stopped_and_silence_ends_with_it() {
    let scene = Scene::start().await;
    let edge = scene.sdk();
    begin(&scene, "silence", 60).await;
    let silent = eventually("an answer is missing", || async {
        let request = edge.request(Method::POST, "/v1/evaluate").json(&question());
        let asked = edge.clone();
        let mut waiting = tokio::spawn(async move { asked.send(request).await.status });
        let patience = tokio::time::timeout(Duration::from_millis(700), &mut waiting).await;
        patience.is_err().then_some(waiting)
    })
    .await;
    let began = Instant::now();
    scene
        .owner
        .act(&format!("{}/stop", path(&scene)), Value::Null)
        .await;
    assert_eq!(silent.await.unwrap(), 503);
    assert!(began.elapsed() < Duration::from_secs(20));
    eventually_serves(&edge, "v0").await;
}

#[tokio::test]
async fn a_wrong_default_is_known_before_anything_fails() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let leaf = scene.stack.edge_below(&[&relay.relay_address()]).await;
    let sdk = leaf.with_key(&scene.key);
    eventually_serves(&sdk, "v0").await;
    let ask = |default: &'static str, service: &'static str| {
        let request = sdk.request(Method::POST, "/v1/evaluate").json(&question());
        let request = request.header("halyard-default", default);
        sdk.send(request.header("halyard-service", service))
    };
    ask("\"v0\"", "desk").await.expect_status(200);
    ask("\"old\"", "shop").await.expect_status(200);
    let report = format!("/v1/projects/{}/defaults?flag_key={FLAG}", scene.project);
    let told = eventually("the defaults arrive", || async {
        let report = scene.owner.get(&report).await;
        let told = report.body["defaults"].as_array()?.clone();
        (told.len() == 2).then_some(told)
    })
    .await;
    assert_eq!(told[0]["service"], "shop");
    assert_eq!(
        (&told[0]["differing"], &told[1]["differing"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(told[0]["disagrees"], true);
}
