//! One client that opens connections without end and asks for nothing, beside others, probes and edges.

use std::{
    collections::VecDeque,
    io::ErrorKind,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use harness::process::Process;
use harness::{Stack, eventually};
use reqwest::StatusCode;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use crate::scene::{Scene, question};

/// Files that the processes may open: of these half are for connections.
const FILES: u32 = 1_000;
/// What the client opens, or has open at once: more than there are files.
const CROWD: usize = 2_000;

/// Connects from `127.0.0.last`, and sends half a head.
async fn half_a_head(last: u8, server: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(([127, 0, 0, last], 0).into())?;
    let mut stream = socket.connect(server).await?;
    stream.write_all(b"GET / HTTP/1.1\r\nhost:").await?;
    Ok(stream)
}

/// Opens connections in place of the oldest for as long as the handle is kept. The number of those that were opened.
fn crowd_at(server: SocketAddr) -> (AbortOnDropHandle<()>, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let task = tokio::spawn(async move {
        let mut crowd = VecDeque::new();
        loop {
            if let Ok(stream) = half_a_head(1, server).await {
                crowd.push_back(stream);
                count.fetch_add(1, Ordering::Relaxed);
            }
            if crowd.len() > CROWD {
                crowd.pop_front();
            }
            tokio::task::yield_now().await;
        }
    });
    (AbortOnDropHandle::new(task), opened)
}

/// A client at another address, which connects anew for each request.
fn neighbour() -> reqwest::Client {
    let client = reqwest::Client::builder()
        .local_address(Some([127, 0, 0, 2].into()))
        .pool_max_idle_per_host(0)
        .timeout(Duration::from_secs(5))
        .no_proxy();
    client.build().unwrap()
}

/// Probes at both addresses of a process are answered.
async fn others_are_answered(process: &Process) {
    let neighbour = neighbour();
    let asked = [
        process.url("http") + "/health",
        process.url("admin") + "/ready",
    ];
    for _ in 0..50 {
        for url in &asked {
            let answer = neighbour.get(url).send().await.expect(url);
            assert_eq!(answer.status(), StatusCode::OK, "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_heads_without_end_shut_nobody_out_of_an_edge_and_its_link_stays() {
    serving::open_files::raise_limit();
    let mut scene = Scene::start().await;
    assert!(scene.edge.process.terminate().success());
    scene.edge.process.limit_open_files(FILES);
    scene.edge.process.set("CONNECTIONS_PER_NETWORK", "300");
    scene.edge.start().await;
    let server: SocketAddr = scene.edge.process.address("http").parse().unwrap();
    let (_crowd, opened) = crowd_at(server);
    eventually("more were opened than there are files", || async {
        (opened.load(Ordering::Relaxed) > CROWD).then_some(())
    })
    .await;
    others_are_answered(&scene.edge.process).await;
    scene.stack.control.kill();
    scene.stack.start_control().await;
    scene.serve("beside").await;
    let url = scene.edge.url() + "/v1/evaluate";
    eventually("the edge serves what is new", || async {
        let question = neighbour().post(&url).json(&question());
        let answer = question.header("x-api-key", &scene.key).send().await;
        let answer: Value = answer.expect(&url).json().await.unwrap();
        (answer["value"] == "beside").then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_half_heads_than_there_are_files_shut_nobody_out_of_a_control_plane() {
    serving::open_files::raise_limit();
    let mut stack = Stack::start().await;
    stack.control.kill();
    stack.control.limit_open_files(FILES);
    stack.start_control().await;
    let server: SocketAddr = stack.control.address("http").parse().unwrap();
    let mut crowd = Vec::new();
    for number in 0..CROWD {
        // Of several networks, which have room each.
        let last = u8::try_from(3 + number % 20).unwrap();
        crowd.push(half_a_head(last, server).await);
    }
    others_are_answered(&stack.control).await;
    drop(crowd);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_has_so_many_connections() {
    let scene = Scene::start_with(&[("CONNECTIONS_PER_NETWORK", "100")]).await;
    let server: SocketAddr = scene.edge.process.address("http").parse().unwrap();
    let mut crowd = Vec::new();
    for _ in 0..150 {
        crowd.push(half_a_head(1, server).await.unwrap());
    }
    eventually("the first fifty have ended", || async {
        let read = crowd.iter().map(|stream| stream.try_read(&mut [0]));
        let open =
            read.filter(|read| matches!(read, Err(error) if error.kind() == ErrorKind::WouldBlock));
        (open.count() == 100).then_some(())
    })
    .await;
    let metrics = scene.edge.admin().get("/metrics").await;
    let counted = "halyard_connections_refused_total{bound=\"network\"} 50";
    let metrics = metrics.body.as_str().unwrap();
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
}
