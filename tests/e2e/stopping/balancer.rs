//! Load on several edges as it comes through a balancer: it asks each edge all the time whether it is ready, and keeps connections.
//! It sends nothing a second time. Or load on one process alone.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use harness::{Caller, Edge, patience::patience};
use reqwest::Method;
use serving::clock::Clock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::scene::{FLAG, question};

/// How often an edge is asked.
const PROBES: Duration = Duration::from_millis(100);

pub struct Balancer {
    backends: Vec<Backend>,
    next: AtomicUsize,
    request: Vec<u8>,
    answered: AtomicU64,
    failures: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

struct Backend {
    address: SocketAddr,
    /// Asks whether it is ready. `None` if it always counts as ready.
    probe: Option<Caller>,
    is_ready: AtomicBool,
    idle: Mutex<Vec<TcpStream>>,
    /// Connections that were made to it.
    connections: AtomicU64,
}

impl Balancer {
    pub fn new(edges: [&Edge; 2], key: &str) -> Arc<Self> {
        let backends = edges.map(|edge| {
            let probe = Caller::new(&edge.url(), Clock::system());
            Backend::new(edge.process.address("http").parse().unwrap(), Some(probe))
        });
        Self::of(backends.into(), key)
    }

    /// The clients of one process at this address, which nobody asks whether it is ready.
    pub fn without_probes(address: SocketAddr, key: &str) -> Arc<Self> {
        Self::of(vec![Backend::new(address, None)], key)
    }

    fn of(backends: Vec<Backend>, key: &str) -> Arc<Self> {
        let body = question().to_string();
        let head = format!(
            "POST /v1/evaluate HTTP/1.1\r\nhost: edge\r\nx-api-key: {key}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n",
            body.len()
        );
        Arc::new(Self {
            backends,
            next: AtomicUsize::new(0),
            request: (head + &body).into_bytes(),
            answered: AtomicU64::new(0),
            failures: Mutex::default(),
            is_over: AtomicBool::new(false),
        })
    }

    /// Begins to probe, and to send the requests of so many clients.
    pub fn start(self: &Arc<Self>, clients: usize) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for index in 0..self.backends.len() {
            let this = Arc::clone(self);
            tasks.spawn(async move { this.probe(index).await });
        }
        for _ in 0..clients {
            let this = Arc::clone(self);
            tasks.spawn(async move { this.send().await });
        }
        tasks
    }

    /// Ends what was started.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Connections that were made to each edge.
    pub fn connections(&self) -> Vec<u64> {
        let made = |backend: &Backend| backend.connections.load(Ordering::Relaxed);
        self.backends.iter().map(made).collect()
    }

    /// Whether every edge was ready when it was asked last.
    pub fn asks_all(&self) -> bool {
        let mut backends = self.backends.iter();
        backends.all(|backend| backend.is_ready.load(Ordering::Relaxed))
    }

    pub fn failures(&self) -> Vec<String> {
        self.failures.lock().unwrap().clone()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    async fn probe(&self, index: usize) {
        let backend = &self.backends[index];
        let Some(probe) = &backend.probe else { return };
        while !self.is_over() {
            let request = probe.request(Method::GET, "/ready");
            let answer = probe.try_send(request).await;
            let is_ready = answer.is_ok_and(|answer| answer.status == 200);
            backend.is_ready.store(is_ready, Ordering::Relaxed);
            if !is_ready {
                backend.idle.lock().unwrap().clear();
            }
            sleep(PROBES).await;
        }
    }

    async fn send(&self) {
        while !self.is_over() {
            let Some(backend) = self.choose() else {
                self.failures
                    .lock()
                    .unwrap()
                    .push("no edge is ready".to_owned());
                sleep(PROBES).await;
                continue;
            };
            match timeout(patience(), backend.ask(&self.request)).await {
                Ok(Ok(())) => {
                    self.answered.fetch_add(1, Ordering::Relaxed);
                }
                failed => {
                    let failure = format!("{}: {failed:?}", backend.address);
                    self.failures.lock().unwrap().push(failure);
                }
            }
        }
    }

    /// The next edge in turn that is ready.
    fn choose(&self) -> Option<&Backend> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let mut turns = (0..self.backends.len())
            .map(|turn| &self.backends[(first + turn) % self.backends.len()]);
        turns.find(|backend| backend.is_ready.load(Ordering::Relaxed))
    }
}

impl Backend {
    fn new(address: SocketAddr, probe: Option<Caller>) -> Self {
        Self {
            address,
            probe,
            is_ready: AtomicBool::new(true),
            idle: Mutex::default(),
            connections: AtomicU64::new(0),
        }
    }

    async fn ask(&self, request: &[u8]) -> Result<(), String> {
        let kept = self.idle.lock().unwrap().pop();
        let mut stream = match kept {
            Some(stream) => stream,
            None => {
                self.connections.fetch_add(1, Ordering::Relaxed);
                let made = TcpStream::connect(self.address).await;
                made.map_err(|error| format!("cannot connect: {error}"))?
            }
        };
        stream
            .set_nodelay(true)
            .map_err(|error| error.to_string())?;
        let wrote = stream.write_all(request).await;
        wrote.map_err(|error| format!("cannot send: {error}"))?;
        let (head, body) = read(&mut stream).await?;
        if !head.starts_with("http/1.1 200 ")
            || !body.contains(r#""value":"v0""#)
            || !body.contains(FLAG)
        {
            return Err(format!("{head}{body}"));
        }
        if !head.contains("\r\nconnection: close\r\n") {
            self.idle.lock().unwrap().push(stream);
        }
        Ok(())
    }
}

/// The head, in small letters, and the body of an answer.
async fn read(stream: &mut TcpStream) -> Result<(String, String), String> {
    let mut text = String::new();
    loop {
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let mut lines = head.lines();
            let length = lines.find_map(|line| line.strip_prefix("content-length: "));
            let length = length.ok_or_else(|| head.clone())?;
            let length: usize = length.parse().map_err(|_| head.clone())?;
            if body.len() >= length {
                return Ok((format!("{head}\r\n"), body.to_owned()));
            }
        }
        let mut piece = [0; 2_048];
        let read = stream.read(&mut piece).await;
        match read.map_err(|error| format!("cannot read after {text:?}: {error}"))? {
            0 => return Err(format!("closed after {text:?}")),
            read => text.push_str(&String::from_utf8_lossy(&piece[..read])),
        }
    }
}
