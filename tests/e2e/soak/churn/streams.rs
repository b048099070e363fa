//! Event streams: for SDKs of all kinds at each process, and for pages at control planes. One ends as it should, one is reset, and
//! one is half closed before it ends.

use std::collections::VecDeque;
use std::time::Duration;

use harness::patience::patience;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::Kind;
use crate::soak::world::World;

/// So many are open at once.
const OPEN: usize = 120;
const PATHS: [&str; 2] = ["/v1/stream/dev", "/v1/sdk/stream"];

pub struct Streams {
    /// Addresses, and what to ask for there.
    heads: Vec<(String, String)>,
    open: VecDeque<TcpStream>,
}

impl Streams {
    pub fn new(world: &World) -> Self {
        let key = format!("x-api-key: {}", world.key);
        let token = format!("authorization: Bearer {}", world.owner.access_token);
        let mut heads = Vec::new();
        for node in world.nodes.iter() {
            let address = node.sdk.base().trim_start_matches("http://");
            let pages = (node.cache.is_none()).then_some(("/v1/events", &token));
            let paths = PATHS.map(|path| (path, &key)).into_iter().chain(pages);
            heads.extend(paths.map(|(path, credential)| {
                let head = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n{credential}\r\naccept: text/event-stream\r\n\r\n");
                (address.to_owned(), head)
            }));
        }
        Self {
            heads,
            open: VecDeque::new(),
        }
    }
}

impl Kind for Streams {
    const NAME: &str = "streams";
    const PAUSE: Duration = Duration::from_millis(50);

    async fn turn(&mut self, number: u64) {
        for (address, head) in &self.heads {
            let stream = open(address, head).await;
            self.open.push_back(stream);
        }
        while self.open.len() > OPEN
            && let Some(mut stream) = self.open.pop_front()
        {
            match (number as usize + self.open.len()) % 3 {
                0 => drop(stream),
                1 => stream.set_zero_linger().expect("an option of all systems"),
                _ => {
                    stream.shutdown().await.expect("it is open");
                    sleep(Self::PAUSE).await;
                }
            }
        }
    }
}

async fn open(address: &str, head: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(head.as_bytes()).await.expect("it is sent");
    let mut begun = String::new();
    let reading = async {
        while !begun.contains("\r\n\r\n") {
            let mut piece = [0; 1_024];
            let read = stream.read(&mut piece).await.expect("an answer");
            assert_ne!(read, 0, "{head} ends after {begun}");
            begun += &String::from_utf8_lossy(&piece[..read]);
        }
    };
    timeout(patience(), reading).await.expect("an answer");
    // A busy machine is no fault.
    let is_expected = ["HTTP/1.1 200", "HTTP/1.1 503"].map(|status| begun.starts_with(status));
    assert!(is_expected.contains(&true), "{head} {begun}");
    stream
}
