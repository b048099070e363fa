//! Event streams at scale and over time: many, idle, ended.

use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use harness::patience::patience;
use serving::open_files;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::scene::{Scene, question, value_at};

/// Streams that one edge has to hold.
const MANY: u64 = 10_000;
/// Memory of an edge for each of them.
const BYTES_PER_STREAM: u64 = 6_000;
/// Files of this process and of the edge that are no streams.
const OTHER_FILES: u64 = 1_500;
/// Connections that are made at the same time.
const AT_ONCE: usize = 100;

#[tokio::test]
async fn a_stream_that_was_idle_for_long_gets_the_next_change() {
    let scene = Scene::start_with(&[("SSE_HEARTBEAT", "100ms")]).await;
    let mut stream = scene.sdk().stream("/v1/stream/dev").await;
    stream.next_named("connected").await;
    for _ in 0..30 {
        stream.heartbeat().await;
    }
    let write = scene.serve("v1").await;
    let event = stream.next_named("flag-update").await;
    assert_eq!(
        event.id.as_deref(),
        Some(write.header("x-snapshot-version"))
    );
}

#[tokio::test]
async fn deleting_an_environment_ends_its_streams() {
    let scene = Scene::start().await;
    let mut streams = Vec::new();
    for server in [scene.edge.url(), scene.stack.url.clone()] {
        let mut stream = scene.sdk().at(&server).stream("/v1/stream/dev").await;
        stream.next_named("connected").await;
        streams.push(stream);
    }
    let path = format!("/v1/projects/{}/environments/{}", scene.project, scene.env);
    scene.owner.remove(&path).await;
    let deleted = Instant::now();
    for stream in &mut streams {
        assert_eq!(stream.next().await, None);
    }
    assert!(deleted.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn a_stopping_edge_finishes_requests_and_sends_streams_away() {
    let mut scene = Scene::start().await;
    let mut stream = scene.sdk().stream("/v1/stream/dev").await;
    stream.next_named("connected").await;
    // The edge says when it waits for the body: the request is under way then.
    let body = question().to_string();
    let mut request = connect(&scene).await;
    let head = format!(
        "POST /v1/evaluate HTTP/1.1\r\nhost: edge\r\nx-api-key: {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nexpect: 100-continue\r\n\r\n",
        scene.key,
        body.len()
    );
    request.write_all(head.as_bytes()).await.unwrap();
    read_until(&mut request, "100 Continue\r\n\r\n").await;

    let began = Instant::now();
    scene.edge.process.ask_to_stop();
    assert_eq!(stream.next().await, None);
    let retry = stream.retry.unwrap();
    assert!((3_000..=6_000).contains(&retry), "retry: {retry}");
    request.write_all(body.as_bytes()).await.unwrap();
    let answer = read_until(&mut request, "}").await;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains(r#""value":"v0""#), "{answer}");

    assert!(scene.edge.process.wait().success());
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "stopped after {:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn ten_thousand_idle_streams_take_little_memory_and_are_all_told() {
    // The edge inherits the limit of this process; where that is low, as many as it permits.
    let limit = open_files::raise_limit().unwrap_or(u64::MAX);
    let many = MANY.min(limit.saturating_sub(OTHER_FILES));
    assert!(
        many >= 500,
        "{limit} open files are too few to test anything"
    );
    let scene = Scene::start_with(&[
        ("STREAMS_PER_ADDRESS", "0"),
        ("CONNECTIONS_PER_NETWORK", "0"),
    ])
    .await;

    // What the first ones make the edge keep is no matter of their number.
    let mut streams = open(&scene, 500.min(many / 2)).await;
    let before = scene.edge.process.resident_bytes();
    let more = many - streams.len() as u64;
    streams.extend(open(&scene, more).await);
    if let (Some(before), Some(after)) = (before, scene.edge.process.resident_bytes()) {
        let each = after.saturating_sub(before) / more;
        println!("{many} streams, {each} bytes each");
        assert!(each <= BYTES_PER_STREAM, "{each} bytes for each stream");
    }

    scene.serve("v1").await;
    assert_eq!(value_at(&scene.sdk()).await, "v1");
    let told = stream::iter(streams).for_each_concurrent(AT_ONCE, async |mut stream| {
        let event = read_until(&mut stream, "\"upsert\"}\n\n").await;
        assert!(event.contains("event: flag-update"), "{event}");
    });
    told.await;
}

/// That many streams, of which the greeting was read.
async fn open(scene: &Scene, count: u64) -> Vec<TcpStream> {
    let request = format!(
        "GET /v1/stream/dev HTTP/1.1\r\nhost: edge\r\nx-api-key: {}\r\naccept: text/event-stream\r\n\r\n",
        scene.key
    );
    let opening = stream::iter(0..count).map(async |_| {
        let mut stream = connect(scene).await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let head = read_until(&mut stream, "\"}\n\n").await;
        assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
        stream
    });
    opening.buffer_unordered(AT_ONCE).collect().await
}

async fn connect(scene: &Scene) -> TcpStream {
    TcpStream::connect(scene.edge.process.address("http"))
        .await
        .unwrap()
}

async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let reading = async {
        let mut text = String::new();
        let mut piece = [0; 1024];
        while !text.ends_with(end) {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "the connection ended after: {text}");
            text.push_str(std::str::from_utf8(&piece[..read]).unwrap());
        }
        text
    };
    timeout(patience(), reading).await.expect("all of it")
}
