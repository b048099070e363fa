//! Clients of event streams that note when they hear of a change.

use std::cell::{Cell, RefCell};
use std::io::ErrorKind;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::requests;

const PATIENCE: Duration = Duration::from_secs(10);

/// When clients heard of a change.
#[derive(Default)]
pub struct Heard {
    times: RefCell<Vec<Instant>>,
    missing: Cell<usize>,
    last: Notify,
}

impl Heard {
    /// So many clients will hear of the next change.
    pub fn expect(&self, clients: usize) {
        self.missing.set(clients);
    }

    /// Waits for the last of them. When each heard of it.
    ///
    /// # Panics
    /// When one does not.
    pub async fn all(&self) -> Vec<Instant> {
        let hearing = async {
            while self.missing.get() > 0 {
                self.last.notified().await;
            }
        };
        let all = timeout(PATIENCE, hearing).await;
        all.unwrap_or_else(|_| panic!("{} clients heard nothing", self.missing.get()));
        self.times.take()
    }

    fn one(&self) {
        self.times.borrow_mut().push(Instant::now());
        let missing = self.missing.get().checked_sub(1);
        self.missing
            .set(missing.expect("one event for each client"));
        if missing == Some(0) {
            self.last.notify_one();
        }
    }
}

/// Opens a stream of the development environment, and waits for its first event.
pub async fn subscribe(address: &str, key: &str) -> TcpStream {
    open(address, key, "/v1/stream/dev", b"event: connected").await
}

/// The same as an SDK that evaluates in its own process.
pub async fn subscribe_as_sdk(address: &str, key: &str) -> TcpStream {
    open(address, key, "/v1/sdk/stream", b"event: at").await
}

async fn open(address: &str, key: &str, path: &str, first: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = requests::get(key, path, "accept: text/event-stream\r\n");
    stream.write_all(&request).await.expect("it is taken");
    let mut text = Vec::new();
    while !contains(&text, first) {
        let read = stream.read_buf(&mut text).await.expect("an answer");
        assert!(read > 0, "{}", String::from_utf8_lossy(&text));
    }
    stream
}

/// Notes when events come, for ever. A change of one flag is one event.
pub async fn listen(stream: TcpStream, heard: Rc<Heard>) {
    loop {
        // Nothing is kept while it waits: ten thousand clients are in this process.
        stream.readable().await.expect("the stream stays");
        let mut buffer = [0; 2 << 10];
        match stream.try_read(&mut buffer) {
            Ok(0) => panic!("the stream ended"),
            Ok(read) if contains(&buffer[..read], b"event:") => heard.one(),
            // A heartbeat.
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
