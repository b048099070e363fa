//! A client that does not read: it delays nobody, and gets the newest version when it reads again.

use std::net::SocketAddr;

use crate::support::*;
use edge_node::Edge;
use protocol::snapshot::{Flag, Snapshot};
use serving::{
    leaving::Leaving,
    listener::{self, Places},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    time::timeout,
};
use tokio_util::sync::{CancellationToken, DropGuard};

const FLAGS: u128 = 1_000;
const VERSIONS: u64 = 60;

/// All flags toggled, so that every version has an event for each.
fn version(number: u64) -> Snapshot {
    let flags: Vec<Flag> = (1..=FLAGS)
        .map(|flag| toggle(flag, &format!("flag-{flag}"), number.is_multiple_of(2)))
        .collect();
    snapshot(9, number, flags)
}

/// Serves an edge on a port of its own.
async fn serve(edge: &Edge) -> (SocketAddr, DropGuard) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(listener::serve(
        listener,
        edge.router(),
        LIMITS,
        Places::of_operators(),
        Leaving::before(&stop),
        stop.clone(),
    ));
    (address, stop.drop_guard())
}

/// An open stream on a connection with small buffers.
async fn open(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET /v1/stream/dev HTTP/1.1\r\nhost: a\r\nx-api-key: {KEY}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    read_until(&mut stream, "event: connected").await;
    stream
}

/// Reads until a text has arrived; returns the number of bytes.
async fn read_until(stream: &mut TcpStream, text: &str) -> usize {
    let reading = async {
        let (mut tail, mut count) = (String::new(), 0);
        let mut piece = vec![0; 64 << 10];
        while !tail.contains(text) {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "the stream ended");
            count += read;
            tail.push_str(std::str::from_utf8(&piece[..read]).unwrap());
            tail.drain(..tail.len().saturating_sub(piece.len() + text.len()));
        }
        count
    };
    timeout(PATIENCE, reading).await.expect("all of it")
}

#[tokio::test]
async fn a_client_that_does_not_read_delays_nobody_and_gets_the_newest_at_last() {
    let edge = Edge::new(settings(&[]), clock(), None);
    let mut held = version(1);
    edge.apply(&whole(&held));
    let (address, _serving) = serve(&edge).await;
    let mut stalled = open(address).await;
    let mut reading = open(address).await;

    let mut sent = 0;
    for number in 2..=VERSIONS {
        let next = version(number);
        edge.apply(&delta(&held, &next));
        held = next;
        sent += read_until(&mut reading, &last_event(number)).await;
    }
    let caught_up = read_until(&mut stalled, &last_event(VERSIONS)).await;
    assert!(
        caught_up < sent,
        "{caught_up} bytes of {sent}: nothing was skipped"
    );
}

/// The last event of a version.
fn last_event(version: u64) -> String {
    let flag_id = uuid::Uuid::from_u128(FLAGS);
    format!(
        "id: {version}\nevent: flag-update\ndata: {{\"type\":\"flag_update\",\"flag_id\":\"{flag_id}\""
    )
}
