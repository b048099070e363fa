//! Beside the edge: the same answers at the same version, whatever changes meanwhile.

use std::collections::HashMap;

use halyard::Context;
use harness::User;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::builder;
use crate::{large::fill, scene::Scene};

/// Answers that are compared.
const ANSWERS: usize = 100_000;
const FLAGS: usize = 100;

/// Changes flags at random until it is told to stop; how many it changed.
async fn change(owner: User, flags: String, env: String, done: CancellationToken) -> usize {
    let mut changes = 0;
    while !done.is_cancelled() {
        let number = rand::random_range(1..=FLAGS);
        let path = format!("{flags}/bulk-{number}/environments/{env}");
        let rollout: Option<u32> = rand::random_bool(0.5).then(|| rand::random_range(0..=10_000));
        let state = json!({"enabled": rand::random_bool(0.9), "percentage_rollout": rollout});
        owner.change(&path, state).await;
        changes += 1;
    }
    changes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_thousand_answers_are_those_of_the_edge_at_the_same_version() {
    let settings = [("RATE_EVALUATION", "0")];
    let scene = Scene::start_with(&settings).await;
    fill(&scene, i32::try_from(FLAGS).unwrap()).await;
    let client = builder(&scene).start().await.unwrap();
    let done = CancellationToken::new();
    let flags = format!("/v1/projects/{}/flags", scene.project);
    let changing = change(scene.owner.clone(), flags, scene.env.clone(), done.clone());
    let changing = tokio::spawn(changing);

    let keys: Vec<_> = (1..=FLAGS).map(|number| format!("bulk-{number}")).collect();
    let sdk = scene.sdk();
    let (mut compared, mut asked, mut versions) = (0, 0, HashMap::new());
    while compared < ANSWERS {
        assert!(
            asked < 20 * ANSWERS,
            "{compared} of {asked} had the same version"
        );
        let user = format!("user-{asked}");
        let body = json!({"flag_keys": keys, "context": {"key": user}});
        let request = sdk.request(Method::POST, "/v1/evaluate/bulk").json(&body);
        let answer = sdk.send(request).await;
        answer.expect_status(200);
        let version: u64 = answer.header("x-snapshot-version").parse().unwrap();
        let answers = answer.body.as_object().unwrap();
        assert_eq!(answers.len(), FLAGS);
        let context = Context::new(user);
        for (key, theirs) in answers {
            asked += 1;
            let ours = client.json_detail(key, &context, Value::Null);
            if ours.version == Some(version) {
                assert_eq!(*ours.value, theirs["value"], "{key} of version {version}");
                assert_eq!(ours.reason.as_str(), theirs["reason"], "{key}");
                compared += 1;
                *versions.entry(version).or_insert(0) += 1;
            }
        }
    }
    done.cancel();
    let changes = changing.await.unwrap();
    assert!(
        changes > 20 && versions.len() > 20,
        "{changes} changes, {} versions",
        versions.len()
    );
}
