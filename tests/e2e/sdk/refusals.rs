//! Who gets nothing, and why.

use protocol::wire::{
    frame,
    sdk::{MEDIA_TYPE, Report},
};
use reqwest::Method;
use serde_json::json;

use super::{SNAPSHOT, STREAM, USAGE, ask};
use crate::scene::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn only_servers_with_a_valid_key_are_served_in_formats_that_there_are() {
    let scene = Scene::start().await;
    let path = format!("/v1/environments/{}/api-keys", scene.env);
    let wish = json!({"name": "browser", "type": "client"});
    let client = scene.owner.create(&path, wish).await.text("/key");
    for path in [SNAPSHOT, STREAM] {
        let refused = scene.edge.with_key(&client).get(path).await;
        refused.expect_error(403, "a server API key is required");
    }
    let nobody = scene.edge.with_key(&format!("srv_{:048x}", 7));
    for path in [SNAPSHOT, STREAM] {
        let refused = nobody.get(path).await;
        refused.expect_error(401, "invalid or missing api key");
    }
    let other = [("accept", "application/vnd.halyard.sdk; format=2")];
    let refused = ask(&scene.sdk(), &other).await;
    assert_eq!(
        (refused.status.as_u16(), &*refused.body),
        (406, &br#"{"error":"formats that are served here: 1"}"#[..])
    );
    let refused = scene.sdk().get(&format!("{STREAM}?format=2")).await;
    refused.expect_error(406, "formats that are served here: 1");
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_and_oversized_reports_are_refused() {
    let scene = Scene::start().await;
    let send = async |media_type: &str, body: Vec<u8>| {
        let sdk = scene.sdk();
        let request = sdk.request(Method::POST, USAGE);
        let request = request.header("content-type", media_type).body(body);
        sdk.send(request).await
    };
    let whole = frame::encode(&Report::default()).unwrap();
    send(MEDIA_TYPE, whole.clone()).await.expect_status(204);
    let cut = send(MEDIA_TYPE, whole[..whole.len() - 1].to_vec()).await;
    let length = whole.len() - 5;
    let words = format!(
        "the report is damaged: payload of {} bytes, the header says {length}",
        length - 1
    );
    cut.expect_error(400, &words);
    let bomb = frame::encode(&"a".repeat(8 << 20)).unwrap();
    let refused = send(MEDIA_TYPE, bomb).await;
    refused.expect_error(413, "a report has at most 1048576 bytes");
    let refused = send("application/json", whole).await;
    let words = format!("content type must be {MEDIA_TYPE}");
    refused.expect_error(415, &words);
}
