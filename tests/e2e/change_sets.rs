//! A change set reaches every edge in one step, whatever happens to the processes on its way.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use harness::{Caller, User, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{relays::one_level, scene::Scene};

/// Two flags that are to serve the same at any time.
const KEYS: [&str; 2] = ["one", "other"];

/// How much a test does: as much as this setting says, a million reads say, or what is usual.
fn number(setting: &str, usual: usize) -> usize {
    let given = std::env::var(setting).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

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

/// What readers share.
#[derive(Default)]
struct Reading {
    reads: AtomicUsize,
    is_over: AtomicBool,
}

/// Asks until it is over; how often it was answered, and every mixed pair.
async fn read(sdk: Caller, reading: Arc<Reading>) -> (usize, Vec<[Value; 2]>) {
    let (mut reads, mut mixed) = (0, Vec::new());
    while !reading.is_over.load(Ordering::Relaxed) {
        match pair(&sdk).await {
            Some([one, other]) => {
                reads += 1;
                reading.reads.fetch_add(1, Ordering::Relaxed);
                if one != other {
                    mixed.push([one, other]);
                }
            }
            None => sleep(Duration::from_millis(5)).await,
        }
    }
    (reads, mixed)
}

/// Drafts the set of these changes; its path.
async fn draft(scene: &Scene, changes: Value) -> String {
    let sets = format!("/v1/projects/{}/change-sets", scene.project);
    let body = json!({"name": "Set", "changes": changes});
    let drafted = scene.owner.create(&sets, body).await;
    format!("{sets}/{}", drafted.text("/id"))
}

async fn apply(owner: &User, set: &str) {
    let applied = owner.post(&format!("{set}/apply"), json!({})).await;
    applied.expect_status(200);
}

async fn until_served(sdk: &Caller, value: &str) {
    eventually(&format!("{value} is served"), async || {
        let served = pair(sdk).await?;
        (served == [json!(value), json!(value)]).then_some(())
    })
    .await;
}

/// At three edges, one of them below a relay. `HALYARD_TEST_READS` says how many answers they give together.
#[tokio::test(flavor = "multi_thread")]
async fn no_reader_sees_a_part_of_a_set_through_restarts_of_each_process() {
    let mut scene = Scene::start().await;
    let (mut relay, mut leaf) = one_level(&mut scene).await;
    let mut beside = scene.stack.edge().await;
    let content = format!("/v1/projects/{}/content", scene.project);
    scene.owner.act(&content, bound("v0")).await;
    let sdks = || [&scene.edge, &beside, &leaf].map(|edge| edge.with_key(&scene.key));
    let (sdks, readers) = (sdks(), sdks());
    for sdk in &sdks {
        until_served(sdk, "v0").await;
    }
    let began = Instant::now();
    let reading = Arc::<Reading>::default();
    let readers = readers.map(|sdk| tokio::spawn(read(sdk, Arc::clone(&reading))));
    let wanted = number("HALYARD_TEST_READS", 1_000);
    let mut round = 0;
    while round < 12 || reading.reads.load(Ordering::Relaxed) < wanted {
        round += 1;
        if round % 100 == 0 {
            scene.owner = scene.owner.sign_in_again().await;
        }
        let value = format!("v{round}");
        let set = draft(&scene, bound(&value)).await;
        let struck = match round % 10 {
            1 => Some(&mut scene.edge),
            3 => Some(&mut relay),
            5 => Some(&mut beside),
            7 => Some(&mut leaf),
            _ => None,
        };
        let owner = &scene.owner;
        match struck {
            Some(edge) => {
                let killed = async {
                    sleep(Duration::from_millis(round / 10 % 20)).await;
                    edge.process.kill();
                };
                tokio::join!(apply(owner, &set), killed);
                edge.start().await;
            }
            None => apply(owner, &set).await,
        }
        if round % 10 == 9 {
            scene.stack.control.kill();
            scene.stack.start_control().await;
        }
        for sdk in &sdks {
            until_served(sdk, &value).await;
        }
    }
    reading.is_over.store(true, Ordering::Relaxed);
    println!("{round} sets in {:?}", began.elapsed());
    for reader in readers {
        let (reads, mixed) = reader.await.unwrap();
        println!("{reads} reads");
        assert!(reads > 100, "{reads} reads");
        assert!(mixed.is_empty(), "{mixed:?}");
    }
}

/// The states of 60 flags, which serve this.
fn crowd(value: &str) -> Value {
    let flag = |number| {
        let state = json!({"enabled": true, "default_value": value});
        json!({"key": format!("crowd-{number}"), "name": "Crowd", "flag_type": "string", "states": {"dev": state}})
    };
    json!({"flags": (0..60).map(flag).collect::<Vec<_>>()})
}

/// At moments spread over the time that a set takes. `HALYARD_TEST_KILLS` says how many.
#[tokio::test(flavor = "multi_thread")]
async fn half_a_set_is_never_stored_wherever_the_control_plane_is_killed() {
    let mut scene = Scene::start().await;
    let content = format!("/v1/projects/{}/content", scene.project);
    scene.owner.act(&content, crowd("v0")).await;
    let set = draft(&scene, crowd("v1")).await;
    let began = Instant::now();
    apply(&scene.owner, &set).await;
    let whole = began.elapsed();
    let mut before = "v1".to_owned();
    let kills = number("HALYARD_TEST_KILLS", 6);
    let mut applied = 0;
    for kill in 0..kills {
        let delay = whole.mul_f64(kill as f64 / kills as f64);
        let value = format!("after {delay:?}");
        let set = draft(&scene, crowd(&value)).await;
        let owner = scene.owner.with_token(&scene.owner.access_token);
        let path = format!("{set}/apply");
        let request = owner.request(Method::POST, &path).json(&json!({}));
        let applying = tokio::spawn(async move { owner.try_send(request).await });
        sleep(delay).await;
        scene.stack.control.kill();
        let answer = applying.await.unwrap();
        scene.stack.start_control().await;
        let stored = scene.owner.get(&content).await;
        let flags = stored.body["flags"].as_array().unwrap().iter();
        let flags = flags.filter(|flag| flag["name"] == "Crowd");
        let values: Vec<_> = flags
            .map(|flag| flag["states"]["dev"]["default_value"].as_str().unwrap())
            .collect();
        let shown = scene.owner.get(&set).await;
        let is_applied = shown.body["status"] == "applied";
        let expected = if is_applied { &value } else { &before };
        assert_eq!(values, [expected; 60], "killed after {delay:?}");
        if answer.is_ok_and(|answer| answer.status == 200) {
            assert!(is_applied, "acknowledged, and lost: {delay:?}");
        }
        if is_applied {
            (applied, before) = (applied + 1, value);
        }
    }
    println!("{applied} of {kills} sets, killed within {whole:?}, are applied");
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_edits_are_applied_as_one_version() {
    let scene = Scene::start().await;
    let content = format!("/v1/projects/{}/content", scene.project);
    let flags = |state: Value| {
        let flag = |number| json!({"key": format!("f-{number}"), "name": "Many", "states": {"dev": state}});
        json!({"flags": (0..500).map(flag).collect::<Vec<_>>()})
    };
    scene.owner.act(&content, flags(json!({}))).await;
    let state = json!({"enabled": true, "percentage_rollout": 5_000, "rules": [
        {"conditions": [{"attribute": "plan", "operator": "eq", "values": ["pro"]}], "value": true},
    ]});
    let set = draft(&scene, flags(state)).await;
    let began = Instant::now();
    apply(&scene.owner, &set).await;
    println!("500 edits are applied and served in {:?}", began.elapsed());
    let version = scene.owner.get(&set).await.body["applied_version"].clone();
    let stored = scene.owner.get(&format!("{content}?limit=500")).await;
    let flags = stored.body["flags"].as_array().unwrap().iter();
    let many: Vec<_> = flags.filter(|flag| flag["name"] == "Many").collect();
    assert_eq!(many.len(), 500);
    for flag in many {
        assert_eq!(flag["states"]["dev"]["percentage_rollout"], 5_000);
        let key = flag["key"].as_str().unwrap();
        if key.ends_with("99") {
            let project = format!("/v1/projects/{}", scene.project);
            let state = format!("{project}/flags/{key}/environments/{}", scene.env);
            let etag = scene.owner.get(&state).await.header("etag").to_owned();
            assert_eq!(etag, format!("\"{version}\""), "{key}");
        }
    }
}
