//! Event streams through proxies: as they come, for as long as they are open, and many at once.

use futures_util::{StreamExt, stream};
use reqwest::Method;

use super::{
    Installation, behind_each,
    proxy::{API, Proxy},
};
use crate::scene::state_serving;

behind_each!(
    a_stream_gets_changes_and_stays_open_through_heartbeats,
    two_thousand_streams_are_open_at_once
);

const STREAMS: usize = 2_000;

async fn a_stream_gets_changes_and_stays_open_through_heartbeats(proxy: Proxy) {
    let settings = [("SSE_HEARTBEAT", "1s")];
    let Some(all) = Installation::start(proxy, &settings).await else {
        return;
    };
    let clients = || [all.proxy.client().http1_only(), all.proxy.client()];
    let mut streams = Vec::new();
    for client in clients() {
        let sdk = all.sdk(client);
        let mut stream = sdk.stream("/v1/stream/dev").await;
        stream.next_named("connected").await;
        streams.push(stream);
        let built_in = sdk.at(&all.proxy.url(API));
        let mut stream = built_in.stream("/v1/stream/dev").await;
        stream.next_named("connected").await;
        streams.push(stream);
    }
    for round in 0..2 {
        let state = state_serving(&format!("round {round}"));
        all.scene.owner.change(&all.scene.state_path(), state).await;
        for stream in &mut streams {
            stream.next_named("flag-update").await;
            for _ in 0..2 {
                stream.heartbeat().await;
            }
        }
    }
}

async fn two_thousand_streams_are_open_at_once(proxy: Proxy) {
    let settings = [("STREAMS_PER_ADDRESS", "0")];
    let Some(all) = Installation::start(proxy, &settings).await else {
        return;
    };
    let sdk = all.sdk(all.proxy.client().http1_only());
    let open = stream::iter(0..STREAMS).map(|_| sdk.stream("/v1/stream/dev"));
    let mut streams: Vec<_> = open.buffer_unordered(64).collect().await;
    for stream in &mut streams {
        assert_eq!(stream.status, 200);
        stream.next_named("connected").await;
    }
    all.scene.serve("v1").await;
    for stream in &mut streams {
        stream.next_named("flag-update").await;
    }
    // Others are answered meanwhile.
    let request = sdk.request(Method::POST, "/v1/evaluate");
    let answer = sdk.send(request.json(&crate::scene::question())).await;
    assert_eq!(answer.body["value"], "v1");
}
