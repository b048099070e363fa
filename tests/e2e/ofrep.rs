//! OpenFeature clients: the stream that an answer points to, at either server.

use std::process::Command;

use harness::sse::Stream;
use harness::{Caller, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use crate::scene::{FLAG, Scene};

const BULK: &str = "/ofrep/v1/evaluate/flags";
/// The program for a shell, as the document prints it and the dashboard shows it.
const CURL: &str = include_str!("../ofrep/snippets/curl.sh");

fn user() -> Value {
    json!({"context": {"targetingKey": "user-1"}})
}

/// Where an answer says that changes are told.
async fn stream_url(sdk: &Caller) -> String {
    let answer = sdk.act(BULK, user()).await;
    answer.text("/eventStreams/0/url")
}

/// Opens a stream by its address alone, as browsers do.
async fn open(scene: &Scene, server: &str, url: &str) -> Stream {
    let path = url
        .split_once("/ofrep/")
        .map(|(_, path)| format!("/ofrep/{path}"));
    let client = scene.stack.anonymous().at(server);
    client.stream(&path.expect("a path of OFREP")).await
}

async fn value(sdk: &Caller) -> Value {
    let answer = sdk.act(&format!("{BULK}/{FLAG}"), user()).await;
    answer.body["value"].clone()
}

#[tokio::test]
async fn a_client_is_told_to_fetch_what_it_then_gets() {
    let scene = Scene::start().await;
    for server in [scene.edge.url(), scene.stack.url.clone()] {
        let sdk = scene.sdk().at(&server);
        let url = stream_url(&sdk).await;
        assert!(url.starts_with(&server), "{url}");
        let mut stream = open(&scene, &server, &url).await;
        assert_eq!(stream.status, 200);
        assert_eq!(
            stream.next_named("message").await.data["type"],
            "refetchEvaluation"
        );

        for round in 1..=3 {
            let served = format!("{round} at {server}");
            let write = scene.serve(&served).await;
            let event = stream.next_named("message").await;
            assert_eq!(event.data["type"], "refetchEvaluation");
            let version: u64 = write.header("x-snapshot-version").parse().unwrap();
            let id = event.id.expect("an id");
            assert_eq!(event.data["etag"], id);
            assert!(id.starts_with(&format!("{version:x}-")), "{id}");
            assert_eq!(value(&sdk).await, served);
        }
        assert_eq!(stream_url(&sdk).await, url, "the address stays");
    }
}

#[tokio::test]
async fn a_shell_asks_as_it_is_told_to() {
    let scene = Scene::start().await;
    let flags = format!("/v1/projects/{}/flags", scene.project);
    let flag = json!({"key": "new-checkout", "name": "New checkout"});
    scene.owner.create(&flags, flag).await;
    let state = format!("{flags}/new-checkout/environments/{}?wait=edges", scene.env);
    for is_on in [true, false] {
        scene.owner.change(&state, json!({"enabled": is_on})).await;
        let shell = Command::new("sh")
            .args(["-c", CURL])
            .env("HALYARD_EDGE_URL", scene.edge.url())
            .env("HALYARD_API_KEY", &scene.key)
            .output()
            .expect("there is a shell");
        let answer: Value = serde_json::from_slice(&shell.stdout).expect("the answer is JSON");
        assert_eq!(answer["value"], is_on);
    }
}

#[tokio::test]
async fn servers_honour_each_others_credentials_until_the_key_is_revoked() {
    let scene = Scene::start().await;
    let path = format!("/v1/environments/{}/api-keys", scene.env);
    let made = scene
        .owner
        .create(&path, json!({"name": "web", "type": "client"}))
        .await;
    let servers = [scene.edge.url(), scene.stack.url.clone()];
    let url = stream_url(&scene.edge.with_key(&made.text("/key"))).await;
    let mut streams = Vec::new();
    for server in &servers {
        let mut stream = open(&scene, server, &url).await;
        assert_eq!(stream.status, 200, "{server}");
        stream.next_named("message").await;
        streams.push(stream);
    }

    let revoke = format!("/v1/api-keys/{}", made.text("/id"));
    scene.owner.remove(&revoke).await;
    for (mut stream, server) in streams.into_iter().zip(&servers) {
        assert_eq!(stream.next().await, None, "{server}");
        assert_eq!(open(&scene, server, &url).await.status, 401, "{server}");
    }
}

#[tokio::test]
async fn an_edge_that_has_not_reached_a_control_plane_points_to_no_stream() {
    let mut scene = Scene::start().await;
    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.start().await;
    let answer = scene.sdk().act(BULK, user()).await;
    assert_eq!(answer.body.get("eventStreams"), None);
    assert_eq!(value(&scene.sdk()).await, "v0");

    scene.stack.start_control().await;
    let sdk = scene.sdk();
    eventually("the edge points to a stream", || async {
        let request = sdk.request(Method::POST, BULK).json(&user());
        let answer = sdk.try_send(request).await.ok()?;
        answer.body.get("eventStreams").is_some().then_some(())
    })
    .await;
}
