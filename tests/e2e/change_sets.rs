//! A change set reaches every edge in one step, whatever happens to the processes on its way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use harness::{Caller, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{relays::one_level, scene::Scene};

/// Two flags that are to serve the same at any time.
const KEYS: [&str; 2] = ["one", "other"];

fn bound(value: &str) -> Value {
    let flag = |key| {
        let state = json!({"enabled": true, "default_value": value});
        json!({"key": key, "name": key, "flag_type": "string", "states": {"dev": state}})
    };
    json!({"flags": KEYS.map(flag)})
}

/// What an edge serves of both; nothing while it is away.
async fn pair(sdk: &Caller) -> Option<[Value; 2]> {
    let question = json!({"flag_keys": KEYS, "context": {"key": "user-1"}});
    let request = sdk
        .request(Method::POST, "/v1/evaluate/bulk")
        .json(&question);
    let answer = sdk.try_send(request).await.ok()?;
    (answer.status == 200).then(|| KEYS.map(|key| answer.body[key]["value"].clone()))
}

/// Asks until it is told to stop; how often it was answered, and every mixed pair.
async fn read(sdk: Caller, stop: Arc<AtomicBool>) -> (usize, Vec<[Value; 2]>) {
    let (mut reads, mut mixed) = (0, Vec::new());
    while !stop.load(Ordering::Relaxed) {
        match pair(&sdk).await {
            Some([one, other]) => {
                reads += 1;
                if one != other {
                    mixed.push([one, other]);
                }
            }
            None => sleep(Duration::from_millis(5)).await,
        }
    }
    (reads, mixed)
}

/// Drafts the set in which both flags serve this; its path.
async fn draft(scene: &Scene, value: &str) -> String {
    let sets = format!("/v1/projects/{}/change-sets", scene.project);
    let body = json!({"name": value, "changes": bound(value)});
    let drafted = scene.owner.create(&sets, body).await;
    format!("{sets}/{}", drafted.text("/id"))
}

async fn apply(scene: &Scene, set: &str) {
    let applied = scene.owner.post(&format!("{set}/apply"), json!({})).await;
    applied.expect_status(200);
}

async fn until_served(sdk: &Caller, value: &str) {
    eventually(&format!("{value} is served"), async || {
        let served = pair(sdk).await?;
        (served == [json!(value), json!(value)]).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reader_sees_a_part_of_a_set_through_restarts_of_each_process() {
    let mut scene = Scene::start().await;
    let (mut relay, mut leaf) = one_level(&mut scene).await;
    let mut beside = scene.stack.edge().await;
    let content = format!("/v1/projects/{}/content", scene.project);
    scene.owner.act(&content, bound("v0")).await;
    let sdks = [
        scene.sdk(),
        beside.with_key(&scene.key),
        leaf.with_key(&scene.key),
    ];
    for sdk in &sdks {
        until_served(sdk, "v0").await;
    }
    let stop = Arc::new(AtomicBool::new(false));
    let readers = [
        scene.sdk(),
        beside.with_key(&scene.key),
        leaf.with_key(&scene.key),
    ];
    let readers = readers.map(|sdk| tokio::spawn(read(sdk, Arc::clone(&stop))));
    for round in 1..=12 {
        let value = format!("v{round}");
        let set = draft(&scene, &value).await;
        match round {
            2 => relay.process.kill(),
            4 => beside.process.kill(),
            6 => leaf.process.kill(),
            _ => {}
        }
        apply(&scene, &set).await;
        match round {
            2 => relay.start().await,
            4 => beside.start().await,
            6 => leaf.start().await,
            _ => {}
        }
        for sdk in &sdks {
            until_served(sdk, &value).await;
        }
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        let (reads, mixed) = reader.await.unwrap();
        println!("{reads} reads");
        assert!(reads > 100, "{reads} reads");
        assert!(mixed.is_empty(), "{mixed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_set_is_never_stored_wherever_the_control_plane_is_killed() {
    let mut scene = Scene::start().await;
    let content = format!("/v1/projects/{}/content", scene.project);
    scene.owner.act(&content, bound("v0")).await;
    let mut before = "v0".to_owned();
    for delay in [0, 2, 5, 10, 20, 40] {
        let value = format!("after {delay} ms");
        let set = draft(&scene, &value).await;
        let owner = scene.owner.with_token(&scene.owner.access_token);
        let path = format!("{set}/apply");
        let request = owner.request(Method::POST, &path).json(&json!({}));
        let applying = tokio::spawn(async move { owner.try_send(request).await });
        sleep(Duration::from_millis(delay)).await;
        scene.stack.control.kill();
        let answer = applying.await.unwrap();
        scene.stack.start_control().await;
        let stored = scene.owner.get(&content).await;
        let flags = stored.body["flags"].as_array().unwrap().iter();
        let flags = flags.filter(|flag| KEYS.contains(&flag["key"].as_str().unwrap()));
        let values: Vec<_> = flags
            .map(|flag| flag["states"]["dev"]["default_value"].as_str().unwrap())
            .collect();
        let shown = scene.owner.get(&set).await;
        let is_applied = shown.body["status"] == "applied";
        let expected = if is_applied { &value } else { &before };
        assert_eq!(values, [expected; 2], "killed after {delay} ms");
        if answer.is_ok_and(|answer| answer.status == 200) {
            assert!(is_applied, "acknowledged, and lost: {delay} ms");
        }
        if is_applied {
            before = value;
        }
    }
}
