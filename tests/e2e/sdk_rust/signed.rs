//! Signatures from the control plane through a relay and an edge to an SDK that pins the key.

use std::time::Duration;

use halyard::{Client, StartError};

use super::{builder, says, value};
use crate::scene::{Scene, eventually_serves};

/// The keys that are published, as SDKs pin them.
async fn published(scene: &Scene) -> Vec<String> {
    let answer = scene.owner.get("/.well-known/halyard/signing-keys").await;
    let keys = answer.expect_status(200).body["keys"].as_array().unwrap();
    let text = |key: &serde_json::Value| key["x"].as_str().unwrap().to_owned();
    keys.iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_sdk_below_a_relay_verifies_what_the_control_plane_signed() {
    let mut scene = Scene::start().await;
    let keys = published(&scene).await;
    let listed = scene.stack.halyard(&["signing-key", "list"]);
    assert!(listed.contains(&keys[0]), "{listed}");

    let quic = scene.stack.quic().to_owned();
    let relay = scene.stack.relay_below(&[&quic]).await;
    let upstream = relay.relay_address();
    let required = [("EDGE_SIGNATURES", "required")];
    let mut leaf = scene.stack.enrolled_edge_below(&[&upstream], &required);
    leaf.start().await;
    eventually_serves(&leaf.with_key(&scene.key), "v0").await;

    let pinned = |url: &str| Client::builder(&scene.key, url).pin(&scene.env, &keys);
    let client = pinned(&leaf.url()).start().await.unwrap();
    assert_eq!(value(&client), "v0");
    for wanted in ["v1", "v2"] {
        scene.serve(wanted).await;
        says(&client, wanted).await;
    }
    client.close().await;

    // The edge has the signature on its disk too.
    let mut relay = relay;
    relay.process.kill();
    leaf.process.kill();
    leaf.start_unready().await;
    let again = pinned(&leaf.url()).start().await.unwrap();
    assert_eq!(value(&again), "v2");
    let built_in = pinned(&scene.stack.control.url("http"))
        .start()
        .await
        .unwrap();
    assert_eq!(value(&built_in), "v2");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_sdk_that_pins_another_key_or_environment_takes_nothing_and_says_why() {
    let scene = Scene::start().await;
    let other = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";
    let elsewhere = "11111111-1111-4111-8111-111111111111".to_owned();
    let keys = published(&scene).await;
    for (env, keys, words) in [
        (
            &scene.env,
            vec![other.to_owned()],
            "a key that is not trusted",
        ),
        (&elsewhere, keys, "those of another environment"),
    ] {
        let client = builder(&scene).pin(env, keys);
        let refused = client.start_timeout(Duration::from_secs(2)).start().await;
        let refused = refused.unwrap_err();
        assert!(matches!(refused, StartError::Timeout(_)), "{refused}");
        assert!(refused.to_string().contains(words), "{refused}");
    }
}
