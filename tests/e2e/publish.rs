//! A change reaches the edges: before the write is answered, once, and with an event.

use reqwest::Method;
use serde_json::json;

use crate::scene::{Scene, value_at};

#[tokio::test]
async fn a_change_is_served_at_the_separate_edge_when_its_write_is_answered() {
    let scene = Scene::start().await;
    for round in 1..=200 {
        let value = format!("v{round}");
        scene.serve(&value).await;
        assert_eq!(scene.value().await, value, "round {round}");
    }
}

#[tokio::test]
async fn the_control_plane_answers_evaluations_itself() {
    let scene = Scene::start().await;
    let built_in = scene.sdk().at(&scene.stack.url);
    for value in ["v1", "v2", "v3"] {
        scene.serve(value).await;
        assert_eq!(value_at(&built_in).await, value);
    }
}

#[tokio::test]
async fn both_edges_serve_a_change_at_once() {
    let mut scene = Scene::start().await;
    let second = scene.stack.edge().await;
    let sdks = [scene.sdk(), second.with_key(&scene.key)];
    for round in 1..=20 {
        let value = format!("v{round}");
        scene.serve(&value).await;
        for sdk in &sdks {
            assert_eq!(
                value_at(sdk).await,
                value,
                "round {round} at {}",
                sdk.base()
            );
        }
    }
}

#[tokio::test]
async fn an_sdk_is_told_of_a_change_after_it_can_fetch_it() {
    let scene = Scene::start().await;
    let sdk = scene.sdk();
    let mut stream = sdk.stream("/v1/stream/dev").await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    let connected = stream.next().await.unwrap();
    assert_eq!(
        (connected.name.as_str(), &connected.data),
        ("connected", &json!({"env_id": scene.env}))
    );
    assert_eq!(stream.retry, Some(3_000));

    for value in ["v1", "v2"] {
        let answer = scene.serve(value).await;
        let event = stream.next_named("flag-update").await;
        assert_eq!(
            event.id.as_deref(),
            Some(answer.header("x-snapshot-version"))
        );
        assert_eq!(event.data["type"], "flag_update");
        assert_eq!(event.data["action"], "upsert");
        assert_eq!(event.data["env_id"], scene.env);
        assert_eq!(value_at(&sdk).await, value);
    }
}

#[tokio::test]
async fn client_flags_have_an_etag_that_changes_with_the_snapshot() {
    let scene = Scene::start().await;
    let sdk = scene.sdk();
    let first = sdk.get("/v1/client/dev/flags?key=user-1").await;
    assert_eq!(first.status, 200);
    let tag = first.header("etag").to_owned();
    let again = || {
        sdk.send(
            sdk.request(Method::GET, "/v1/client/dev/flags?key=user-1")
                .header("if-none-match", &tag),
        )
    };

    assert_eq!(again().await.status, 304);
    scene.serve("v1").await;
    let changed = again().await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
}

#[tokio::test]
async fn a_new_key_works_at_once_and_a_revoked_one_no_longer() {
    let scene = Scene::start().await;
    let path = format!("/v1/environments/{}/api-keys", scene.env);
    let made = scene
        .owner
        .create(&path, json!({"name": "second", "type": "client"}))
        .await;
    let sdk = scene.edge.with_key(&made.text("/key"));
    assert_eq!(value_at(&sdk).await, "v0");

    let mut stream = sdk.stream("/v1/stream/dev").await;
    assert_eq!(stream.next().await.unwrap().name, "connected");
    let revoke = format!("/v1/api-keys/{}", made.text("/id"));
    scene.owner.remove(&revoke).await;
    let refused = sdk.post("/v1/evaluate", crate::scene::question()).await;
    assert_eq!(refused.status, 401);
    assert_eq!(
        stream.next().await,
        None,
        "the stream of a revoked key ends"
    );
}

#[tokio::test]
async fn deleting_flag_and_project_reaches_the_edge() {
    let scene = Scene::start().await;
    let sdk = scene.sdk();
    scene.expect_deletions_at(&sdk).await;
}
