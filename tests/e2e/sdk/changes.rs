//! Changes, one after the other.

use serde_json::json;

use super::{STREAM, delta, fetch, tag, value};
use crate::scene::{FLAG, Scene};

/// How often something is changed.
const CHANGES: usize = 50;

#[tokio::test(flavor = "multi_thread")]
async fn deltas_lead_to_what_a_fresh_snapshot_holds() {
    let scene = Scene::start().await;
    let mut stream = scene.sdk().stream(STREAM).await;
    let at = stream.next_named("at").await;
    let mut held = fetch(&scene.sdk()).await;
    assert_eq!(at.id, Some(tag(&held)));
    let (version, named) = (held.head().version, tag(&held));
    assert_eq!(at.data, json!({"version": version, "tag": named}));

    let flags = format!("/v1/projects/{}/flags", scene.project);
    let mut made = 0;
    for round in 0..CHANGES {
        let before = held.head().version;
        match uuid::Uuid::new_v4().as_u128() % 4 {
            0 => {
                made += 1;
                let key = format!("flag-{made}");
                let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
                scene.owner.create(&flags, flag).await;
            }
            1 => drop(scene.owner.api_key(&scene.env).await),
            _ => drop(scene.serve(&format!("v{}", round + 1)).await),
        }
        let change = delta(&stream.next().await.unwrap());
        assert_eq!(change.base, before);
        held = held.apply(&change).unwrap();
    }
    let fresh = fetch(&scene.sdk()).await;
    assert_eq!(tag(&fresh), tag(&held));
    assert_eq!(fresh.len(), held.len());
    for (_, key) in fresh.flags() {
        assert_eq!(value(&held, key), value(&fresh, key), "{key}");
    }
    assert_eq!(value(&held, FLAG), scene.value().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_its_key_ends_a_stream() {
    let scene = Scene::start().await;
    let path = format!("/v1/environments/{}/api-keys", scene.env);
    let wish = json!({"name": "revoked", "type": "server"});
    let made = scene.owner.create(&path, wish).await;
    let sdk = scene.edge.with_key(&made.text("/key"));
    let mut stream = sdk.stream(STREAM).await;
    stream.next_named("at").await;
    let revoke = format!("/v1/api-keys/{}", made.text("/id"));
    scene.owner.remove(&revoke).await;
    assert_eq!(stream.next().await, None);
    sdk.get(STREAM).await.expect_status(401);
}
