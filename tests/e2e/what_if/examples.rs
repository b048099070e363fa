//! Contexts whose answers a draft changes, from two edges, one of them below a relay.

use std::collections::BTreeSet;

use harness::{Edge, eventually};
use serde_json::{Value, json};

use crate::{
    relays,
    scene::{FLAG, Scene},
};

const USERS: usize = 30;

/// Asks what another value would change, until every edge has answered; what is known then.
async fn ask(scene: &Scene, examples: usize) -> Value {
    let path = format!("/v1/projects/{}/environments/dev/what-if", scene.project);
    let flag = json!({"key": FLAG, "states": {"dev": {"default_value": "v1"}}});
    let body = json!({"changes": {"flags": [flag]}, "examples": examples, "wait_seconds": 5});
    eventually("all edges answer", || async {
        let asked = scene.owner.post(&path, body.clone()).await;
        let edges = &asked.body["edges"];
        (asked.status == 201 && edges["answered"] == edges["asked"]).then_some(asked.body)
    })
    .await
}

/// Has an edge asked for by users of its own.
async fn use_edge(scene: &Scene, edge: &Edge, name: &str) {
    let sdk = edge.with_key(&scene.key);
    for number in 0..USERS {
        let attributes = json!({"plan": "pro", "mail": "secret@example.com"});
        let context = json!({"key": format!("{name}-{number}"), "attributes": attributes});
        let question = json!({"flag_key": FLAG, "context": context});
        sdk.act("/v1/evaluate", question).await;
    }
}

fn keys(answer: &Value) -> BTreeSet<&str> {
    let examples = answer["examples"].as_array().unwrap().iter();
    examples.map(|one| one["key"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn examples_come_from_edges_also_below_a_relay_and_have_what_is_kept() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = relays::one_level(&mut scene).await;
    let sampling = format!("/v1/projects/{}/environments/dev/sampling", scene.project);
    let kept = |keys: &str| json!({"enabled": true, "attributes": ["plan"], "keys": keys});
    for how in ["plain", "hashed"] {
        scene.owner.change(&sampling, kept(how)).await;
        ask(&scene, 0).await;
        use_edge(&scene, &scene.edge, "near").await;
        use_edge(&scene, &leaf, "far").await;
        let nothing = ask(&scene, 0).await;
        assert_eq!(nothing["changed"], 2 * USERS, "{nothing}");
        assert_eq!(nothing["examples"], json!([]));

        let answer = ask(&scene, 20).await;
        let keys = keys(&answer);
        assert_eq!(keys.len(), 20, "{answer}");
        for one in answer["examples"].as_array().unwrap() {
            assert_eq!(one["attributes"], json!({"plan": "pro"}));
            assert_eq!(
                (&one["flag_key"], &one["from"]["value"]),
                (&json!(FLAG), &json!("v0"))
            );
        }
        let of = |name: &str| keys.iter().filter(|key| key.starts_with(name)).count();
        let (near, far) = if how == "plain" { (10, 10) } else { (0, 0) };
        assert_eq!((of("near-"), of("far-")), (near, far), "{answer}");
    }
    let last = ask(&scene, 20).await;
    scene
        .owner
        .change(&sampling, json!({"enabled": false}))
        .await;
    let path = format!(
        "/v1/projects/{}/environments/dev/what-if/{}",
        scene.project,
        last["id"].as_str().unwrap()
    );
    assert_eq!(scene.owner.get(&path).await.body["examples"], json!([]));
}
