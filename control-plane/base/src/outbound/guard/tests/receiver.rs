//! Servers on the loopback address with scripted answers that record requests.

use std::{
    net::{SocketAddr, TcpListener as StdListener},
    sync::{Arc, Mutex},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A receiver's behaviour after it has read the request.
#[derive(Clone)]
pub(super) enum Behaviour {
    /// Writes this and closes.
    Answer(Vec<u8>),
    /// Writes this and then nothing more.
    Stall(Vec<u8>),
    /// Writes this, and then repeats the second part.
    Endless(Vec<u8>, Vec<u8>),
}

/// Stops when it is dropped.
pub(super) struct Receiver {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Receiver {
    pub(super) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&requests);
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (behaviour, heard) = (behaviour.clone(), Arc::clone(&heard));
                // A connection closed by the peer is not an error.
                tokio::spawn(async move { drop(serve(stream, behaviour, &heard).await) });
            }
        });
        Self {
            address,
            requests,
            task,
        }
    }

    pub(super) async fn answering(answer: &str) -> Self {
        Self::start(Behaviour::Answer(answer.into())).await
    }

    /// The receiver's address with this host.
    pub(super) fn url(&self, host: &str) -> String {
        format!("http://{host}:{}/hook?token=secret", self.address.port())
    }

    pub(super) const fn port(&self) -> u16 {
        self.address.port()
    }

    /// The requests so far, as they came.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(
    mut stream: TcpStream,
    behaviour: Behaviour,
    heard: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !is_complete(&request) {
        if stream.read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    heard.lock().unwrap().push(text);
    match behaviour {
        Behaviour::Answer(answer) => stream.write_all(&answer).await,
        Behaviour::Stall(answer) => {
            stream.write_all(&answer).await?;
            // Until the caller gives up.
            stream.read_u8().await.map(drop)
        }
        Behaviour::Endless(start, part) => {
            stream.write_all(&start).await?;
            loop {
                stream.write_all(&part).await?;
            }
        }
    }
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse().unwrap())
}

/// A listener that must never see a connection.
pub(super) struct Forbidden(StdListener);

impl Forbidden {
    pub(super) fn start() -> Self {
        let listener = StdListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    pub(super) fn port(&self) -> u16 {
        self.0.local_addr().unwrap().port()
    }

    /// On this machine, an established connection can be accepted at once.
    pub(super) fn assert_untouched(&self) {
        let accepted = self.0.accept();
        assert!(accepted.is_err(), "somebody connected: {accepted:?}");
    }
}
