//! Connections as clients see them: slow ones, idle ones, long-lived ones, and those of a server that stops.

mod leaving;
mod places;
mod smuggling;
mod unread;

use std::sync::Mutex;

use axum::{
    Router,
    extract::ConnectInfo,
    http::{HeaderValue, Response},
    routing::get,
};
use futures_util::stream;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::mpsc,
    task::JoinHandle,
};

use super::*;
use crate::address::TrustedProxies;

pub(super) const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Server {
    pub(super) address: SocketAddr,
    pub(super) leaving: Leaving,
    pub(super) stop: CancellationToken,
    pub(super) served: JoinHandle<()>,
}

impl Server {
    /// Waits until the server, and all of its connections, have ended.
    pub(super) async fn ended(self) {
        timeout(PATIENCE, self.served).await.unwrap().unwrap();
    }
}

pub(super) async fn start(limits: Limits) -> Server {
    let peer = |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() };
    let slow = || async {
        sleep(Duration::from_millis(300)).await;
        "done"
    };
    let router = Router::new()
        .route("/peer", get(peer))
        .route("/slow", get(slow))
        .route("/never", get(std::future::pending::<()>));
    start_router(router, limits).await
}

pub(super) async fn start_router(router: Router, limits: Limits) -> Server {
    let places = Places::new(usize::MAX, 0, TrustedProxies::default());
    start_with_places(router, limits, places).await
}

async fn start_with_places(router: Router, limits: Limits, places: Places) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let leaving = Leaving::before(&stop);
    let serving = serve(
        listener,
        router,
        limits,
        places,
        leaving.clone(),
        stop.clone(),
    );
    let served = tokio::spawn(serving);
    Server {
        address,
        leaving,
        stop,
        served,
    }
}

pub(super) const CALM: Limits = Limits {
    header_timeout: Duration::from_secs(30),
    keep_alive_timeout: Duration::from_secs(75),
    slow_reader_timeout: Duration::from_secs(30),
    connections_per_network: 0,
    drain_deadline: Duration::from_secs(30),
};

const HASTY: Limits = Limits {
    header_timeout: Duration::from_millis(200),
    ..CALM
};

/// Limits of a server that drains for a moment only.
const CURT: Limits = Limits {
    drain_deadline: Duration::from_millis(100),
    ..CALM
};

pub(super) async fn send(server: &Server, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

pub(super) async fn read_to_end(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    let read = timeout(PATIENCE, stream.read_to_end(&mut text)).await;
    // A reset instead of an orderly close is fine: what matters is that the connection ends.
    drop(read.expect("the connection ends"));
    String::from_utf8(text).unwrap()
}

fn get_and_close(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
}

#[tokio::test]
async fn handlers_see_the_peer() {
    let server = start(CALM).await;
    let answer = read_to_end(send(&server, &get_and_close("/peer")).await).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.ends_with("127.0.0.1"), "{answer}");
}

#[tokio::test]
async fn a_head_that_does_not_end_is_cut_off() {
    let server = start(HASTY).await;
    for text in ["", "P", "PRI * HTTP/2.0\r\n", "GET /peer HTTP/1.1\r\nhost:"] {
        read_to_end(send(&server, text).await).await;
    }
}

pub(super) const KEPT: &str = "GET /peer HTTP/1.1\r\nhost: a\r\n\r\n";

/// A client that keeps its connection after an answer.
pub(super) async fn answered(server: &Server) -> TcpStream {
    let mut client = send(server, KEPT).await;
    read_until(&mut client, "127.0.0.1").await;
    client
}

#[tokio::test]
async fn a_connection_may_be_idle_for_longer_than_a_head_may_take() {
    let server = start(HASTY).await;
    let mut client = answered(&server).await;
    sleep(Duration::from_millis(600)).await;
    client.write_all(KEPT.as_bytes()).await.unwrap();
    let answer = read_until(&mut client, "127.0.0.1").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn a_connection_without_another_request_ends_by_itself() {
    let server = start(Limits {
        keep_alive_timeout: Duration::from_millis(200),
        ..CALM
    })
    .await;
    assert_eq!(read_to_end(answered(&server).await).await, "");
}

#[tokio::test]
async fn a_later_head_that_does_not_end_is_cut_off_too() {
    let server = start(HASTY).await;
    let mut client = answered(&server).await;
    client.write_all(b"GET /peer HTTP/1.1\r\n").await.unwrap();
    // One byte at a time buys no time.
    let (mut client, mut writing) = client.into_split();
    let dripping = tokio::spawn(async move {
        while writing.write_all(b"x").await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
    });
    let mut rest = Vec::new();
    let read = timeout(PATIENCE, client.read_to_end(&mut rest)).await;
    drop(read.expect("the connection ends"));
    timeout(PATIENCE, dripping).await.unwrap().unwrap();
}

/// The preface of an HTTP/2 client, and a request for a path of five characters.
pub(super) fn http2_request(path: &str) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    let mut head = vec![0x82, 0x86, 0x04, u8::try_from(path.len()).unwrap()];
    head.extend(path.as_bytes());
    head.extend([0x01, 1, b'a']);
    bytes.extend([0, 0, u8::try_from(head.len()).unwrap(), 1, 5, 0, 0, 0, 1]);
    bytes.extend(head);
    bytes
}

/// The types of the HTTP/2 frames that answer a request, until the connection ends.
async fn frame_types(path: &str, keep_alive_timeout: Duration) -> Vec<u8> {
    let server = start(Limits {
        header_timeout: Duration::from_millis(500),
        keep_alive_timeout,
        ..CALM
    })
    .await;
    let mut client = TcpStream::connect(server.address).await.unwrap();
    client.write_all(&http2_request(path)).await.unwrap();
    let mut bytes = Vec::new();
    let read = timeout(PATIENCE, client.read_to_end(&mut bytes)).await;
    drop(read.expect("the connection ends"));
    types_of(&bytes)
}

/// The types of whole frames.
pub(super) fn types_of(bytes: &[u8]) -> Vec<u8> {
    let mut types = Vec::new();
    let mut rest = bytes;
    while let [high, middle, low, kind, _, _, _, _, _, after @ ..] = rest {
        let length = u32::from_be_bytes([0, *high, *middle, *low]);
        let Some(next) = after.get(usize::try_from(length).unwrap()..) else {
            break;
        };
        types.push(*kind);
        rest = next;
    }
    types
}

pub(super) const HEADERS: u8 = 1;
pub(super) const GOAWAY: u8 = 7;

#[tokio::test]
async fn an_http_2_connection_without_another_request_is_told_to_go() {
    let types = frame_types("/peer", Duration::from_millis(300)).await;
    assert!(types.contains(&HEADERS), "answered: {types:?}");
    assert!(types.contains(&GOAWAY), "told: {types:?}");
}

#[tokio::test]
async fn an_http_2_connection_whose_request_is_under_way_is_not_idle() {
    let types = frame_types("/slow", Duration::from_millis(100)).await;
    let answered = types.iter().position(|kind| *kind == HEADERS);
    let told = types.iter().position(|kind| *kind == GOAWAY);
    assert!(answered.is_some() && answered < told, "{types:?}");
}

#[tokio::test]
async fn an_answer_may_take_longer_than_a_head_may() {
    let server = start(HASTY).await;
    let stream = send(&server, &get_and_close("/slow")).await;
    assert!(read_to_end(stream).await.ends_with("done"));
}

#[tokio::test]
async fn stopping_lets_requests_finish() {
    let server = start(CALM).await;
    let idle = send(&server, "").await;
    let busy = send(&server, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(Duration::from_millis(100)).await;
    server.stop.cancel();

    assert!(read_to_end(busy).await.ends_with("done"));
    assert_eq!(read_to_end(idle).await, "");
    let address = server.address;
    server.ended().await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn requests_that_do_not_end_in_time_are_cut_off() {
    let server = start(CURT).await;
    let stream = send(&server, "GET /never HTTP/1.1\r\nhost: a\r\n\r\n").await;
    sleep(Duration::from_millis(100)).await;
    server.stop.cancel();
    assert_eq!(read_to_end(stream).await, "");
    server.ended().await;
}

/// A server whose only answer consists of what the sender is given, for as long as the sender exists.
async fn start_long(limits: Limits) -> (Server, mpsc::Sender<&'static str>) {
    let (router, say) = long();
    (start_router(router, limits).await, say)
}

/// The same with a client that has the head of the answer.
async fn begin_long(limits: Limits) -> (Server, mpsc::Sender<&'static str>, TcpStream) {
    let (server, say) = start_long(limits).await;
    let mut client = send(&server, LONG).await;
    read_until(&mut client, "\r\n\r\n").await;
    (server, say, client)
}

/// One answer that goes on for as long as there is somebody to say more.
fn long() -> (Router, mpsc::Sender<&'static str>) {
    let (say, said) = mpsc::channel::<&'static str>(8);
    let said = Arc::new(Mutex::new(Some(said)));
    let long = move || async move {
        let said = said.lock().unwrap().take().unwrap();
        let pieces = stream::unfold(said, async |mut said| {
            let piece = said.recv().await?;
            Some((Ok::<_, Infallible>(piece), said))
        });
        let mut answer = Response::new(Body::from_stream(pieces));
        answer
            .headers_mut()
            .insert("x-kept", HeaderValue::from_static("yes"));
        answer.extensions_mut().insert(LongLived);
        answer
    };
    (Router::new().route("/long", get(long)), say)
}

const LONG: &str = "GET /long HTTP/1.1\r\nhost: a\r\n\r\n";

pub(super) async fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    while !text.ends_with(end) {
        let mut piece = [0; 1024];
        let read = timeout(PATIENCE, stream.read(&mut piece)).await;
        let read = read.expect("there is more").unwrap();
        assert_ne!(read, 0, "ended after {text}");
        text.push_str(std::str::from_utf8(&piece[..read]).unwrap());
    }
    text
}

#[tokio::test]
async fn a_long_answer_goes_on_until_its_body_ends() {
    let (server, say) = start_long(CALM).await;
    let mut client = send(&server, LONG).await;
    let head = read_until(&mut client, "\r\n\r\n").await;
    let lines: Vec<_> = head.lines().collect();
    assert_eq!(lines[0], "HTTP/1.1 200 OK");
    assert!(lines.contains(&"x-kept: yes") && lines.contains(&"connection: close"));
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("date: ") && line.ends_with(" GMT"))
    );

    for piece in ["one\n", "two\n"] {
        say.send(piece).await.unwrap();
        assert_eq!(read_until(&mut client, "\n").await, piece);
    }
    drop(say);
    assert_eq!(read_to_end(client).await, "");
}

#[tokio::test]
async fn what_a_client_sends_during_a_long_answer_is_ignored_until_it_disconnects() {
    let (_server, say, mut client) = begin_long(CALM).await;
    client.write_all(LONG.as_bytes()).await.unwrap();
    say.send("one\n").await.unwrap();
    assert_eq!(read_until(&mut client, "\n").await, "one\n");

    drop(client);
    timeout(PATIENCE, say.closed())
        .await
        .expect("the body is dropped");
}

#[tokio::test]
async fn a_server_that_stops_lets_long_answers_end() {
    let (server, say, client) = begin_long(CALM).await;
    server.stop.cancel();
    say.send("last\n").await.unwrap();
    drop(say);
    assert_eq!(read_to_end(client).await, "last\n");
    server.ended().await;
}

#[tokio::test]
async fn long_answers_that_do_not_end_in_time_are_cut_off() {
    let (server, _say, client) = begin_long(CURT).await;
    server.stop.cancel();
    assert_eq!(read_to_end(client).await, "");
    server.ended().await;
}

#[tokio::test]
async fn an_http_1_0_client_gets_a_long_answer_in_the_ordinary_way() {
    let (server, say) = start_long(CALM).await;
    let client = send(&server, "GET /long HTTP/1.0\r\n\r\n").await;
    say.send("one\n").await.unwrap();
    drop(say);
    let answer = read_to_end(client).await;
    assert!(answer.starts_with("HTTP/1.0 200 OK"), "{answer}");
    assert!(answer.ends_with("\r\n\r\none\n"), "{answer}");
}
