//! A way to a server over TCP that a test can make hang, as a network or a machine does that says nothing any more.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// A tunnel. Dropping it ends what goes through it.
pub struct Tunnel {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

/// Makes what hears all that a client sends on a connection, piece by piece.
pub(crate) type Listening = Box<dyn Fn() -> Box<dyn FnMut(&[u8]) + Send> + Send + Sync>;

struct Shared {
    to: Mutex<SocketAddr>,
    listening: Listening,
    /// While it hangs, connections are accepted and stay open, and nothing goes through.
    hangs: Mutex<watch::Sender<bool>>,
    /// The same of connections that were left behind.
    left: Mutex<Vec<watch::Sender<bool>>>,
}

impl Tunnel {
    /// Starts a tunnel to `host:port`.
    ///
    /// # Panics
    /// When there is no port for it.
    pub async fn start(to: SocketAddr) -> Self {
        Self::start_heard(to, Box::new(|| Box::new(|_| {}))).await
    }

    async fn start_heard(to: SocketAddr, listening: Listening) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            to: Mutex::new(to),
            listening,
            hangs: Mutex::new(watch::Sender::new(false)),
            left: Mutex::default(),
        });
        let running = tokio::spawn(run(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            task: running.abort_handle(),
        }
    }

    /// A tunnel to the database of a URL, and the URL that goes through it.
    ///
    /// # Panics
    /// When the URL names no address.
    pub async fn to_database(url: &str) -> (Self, String) {
        let tunnel = Self::start(address_of(url)).await;
        let through = tunnel.through(url);
        (tunnel, through)
    }

    /// The same where what clients send is heard.
    pub(crate) async fn to_database_heard(url: &str, listening: Listening) -> (Self, String) {
        let tunnel = Self::start_heard(address_of(url), listening).await;
        let through = tunnel.through(url);
        (tunnel, through)
    }

    fn through(&self, url: &str) -> String {
        let mut through = reqwest::Url::parse(url).expect("a URL");
        through.set_host(Some("127.0.0.1")).expect("a host");
        through.set_port(Some(self.address.port())).expect("a port");
        through.into()
    }

    /// Has it hang, or go on. What was sent meanwhile arrives then.
    pub fn hang(&self, hangs: bool) {
        lock(&self.shared.hangs).send_replace(hangs);
    }

    /// Has the connections that there are hang, and new ones lead to the database of another URL: what is left of a server whose
    /// address moved while nobody could tell its clients.
    ///
    /// # Panics
    /// When the URL names no address.
    pub fn leave_for(&self, url: &str) {
        self.lead_to(url);
        let left = std::mem::replace(&mut *lock(&self.shared.hangs), watch::Sender::new(false));
        left.send_replace(true);
        lock(&self.shared.left).push(left);
    }

    /// Has the connections go on that were left behind.
    pub fn take_up(&self) {
        for left in &*lock(&self.shared.left) {
            left.send_replace(false);
        }
    }

    /// Leads new connections to the database of another URL.
    ///
    /// # Panics
    /// When the URL names no address.
    pub fn lead_to(&self, url: &str) {
        *lock(&self.shared.to) = address_of(url);
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address_of(url: &str) -> SocketAddr {
    let url = reqwest::Url::parse(url).expect("a URL");
    let (host, port) = (url.host_str().expect("a host"), url.port().unwrap_or(5_432));
    format!("{host}:{port}").parse().expect("an address")
}

async fn run(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = tokio::task::JoinSet::new();
    loop {
        match listener.accept().await {
            Ok((near, _)) => connections.spawn(connect(near, Arc::clone(&shared))),
            // Too many open files, for a moment.
            Err(_) => connections.spawn(tokio::time::sleep(Duration::from_millis(10))),
        };
        while connections.try_join_next().is_some() {}
    }
}

async fn connect(near: TcpStream, shared: Arc<Shared>) {
    let hangs = lock(&shared.hangs).subscribe();
    until_it_goes_on(&mut hangs.clone()).await;
    let to = *lock(&shared.to);
    // A server that is not there is seen as a connection that ends.
    let Ok(far) = TcpStream::connect(to).await else {
        return;
    };
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let mut hears = (shared.listening)();
    tokio::select! {
        () = pipe(near_in, far_out, hangs.clone(), |sent| hears(sent)) => {}
        () = pipe(far_in, near_out, hangs, |_| {}) => {}
    }
}

async fn pipe(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut hangs: watch::Receiver<bool>,
    mut hears: impl FnMut(&[u8]),
) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let Ok(length @ 1..) = from.read(&mut buffer).await else {
            // The end of a connection does not get through either.
            until_it_goes_on(&mut hangs).await;
            return;
        };
        until_it_goes_on(&mut hangs).await;
        hears(&buffer[..length]);
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

async fn until_it_goes_on(hangs: &mut watch::Receiver<bool>) {
    // The tunnel keeps the sender for as long as its connections.
    drop(hangs.wait_for(|hangs| !hangs).await);
}
