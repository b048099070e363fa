//! A line between an edge and a control plane, as bad as a test wants it: slow, with a queue, losing, reordering, doubling, cut,
//! also in one direction alone.
//!
//! Datagrams go through a bucket of tokens in either direction: each waits until those before it have been sent at the
//! line's rate, is dropped when the queue has no room for it, and arrives after the line's delay.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until};

/// Larger than any datagram of QUIC.
const DATAGRAM: usize = 2_048;

/// How a line is, in both directions alike.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Bytes a second.
    pub rate: u64,
    /// Bytes that may wait to be sent; more are dropped.
    pub queue: u64,
    /// From one end to the other, once sent.
    pub delay: Duration,
    /// Of 1,000 datagrams that many are lost.
    pub lost: u64,
    /// Of 1,000 datagrams that many arrive after those sent up to three delays later.
    pub late: u64,
    /// Of 1,000 datagrams that many arrive twice.
    pub doubled: u64,
    /// Nothing arrives at all.
    pub cut: bool,
    /// Nothing arrives from edges, and everything at them.
    pub half_open: bool,
}

impl Line {
    /// Fast, and nothing is wrong with it.
    pub const GOOD: Self = Self {
        rate: 1 << 30,
        queue: 64 << 20,
        delay: Duration::ZERO,
        lost: 0,
        late: 0,
        doubled: 0,
        cut: false,
        half_open: false,
    };
}

/// A relay that edges connect to. Dropping it ends it.
pub struct Relay {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: AbortHandle,
}

struct Shared {
    line: Mutex<Line>,
    /// Bytes that arrived at edges.
    delivered: AtomicU64,
}

impl Relay {
    /// Starts a relay to a control plane.
    ///
    /// # Panics
    /// When there is no port for it.
    pub async fn start(control_plane: &str, line: Line) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
        let address = socket.local_addr().expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            line: Mutex::new(line),
            delivered: AtomicU64::new(0),
        });
        let to = control_plane.parse().expect("an address");
        let running = tokio::spawn(run(Arc::new(socket), to, Arc::clone(&shared)));
        Self {
            address,
            shared,
            task: running.abort_handle(),
        }
    }

    /// Where edges connect to.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Changes the line, for what comes from now on.
    pub fn set(&self, line: Line) {
        *self.shared.lock() = line;
    }

    /// Bytes that arrived at edges until now.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.shared.delivered.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Towards the control plane.
    Up,
    Down,
}

/// One direction of one edge's line.
struct Pipe {
    shared: Arc<Shared>,
    direction: Direction,
    /// When all that was accepted will have been sent.
    busy_until: Instant,
    outlet: mpsc::UnboundedSender<(Instant, Vec<u8>)>,
    dice: u64,
}

impl Pipe {
    /// `deliver` takes what arrives at the other end.
    fn new<F>(
        shared: &Arc<Shared>,
        direction: Direction,
        deliver: impl Fn(Vec<u8>) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send,
    {
        let (outlet, mut arriving) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
        tokio::spawn(async move {
            while let Some((at, datagram)) = arriving.recv().await {
                sleep_until(at).await;
                deliver(datagram).await;
            }
        });
        Self {
            shared: Arc::clone(shared),
            direction,
            busy_until: Instant::now(),
            outlet,
            dice: 0x9e37_79b9_7f4a_7c15,
        }
    }

    fn accept(&mut self, datagram: Vec<u8>) {
        let line = *self.shared.lock();
        let now = Instant::now();
        let length = datagram.len() as u64;
        let waiting = bytes_in(self.busy_until.saturating_duration_since(now), line.rate);
        let is_cut = line.cut || (line.half_open && self.direction == Direction::Up);
        if is_cut || waiting + length > line.queue || self.throw() < line.lost {
            return;
        }
        self.busy_until = self.busy_until.max(now) + time_of(length, line.rate);
        let at = self.busy_until + line.delay;
        // The other end is gone only with the test.
        if self.throw() < line.doubled {
            drop(self.outlet.send((at, datagram.clone())));
        }
        if self.throw() < line.late {
            let outlet = self.outlet.clone();
            tokio::spawn(async move {
                sleep_until(at + line.delay * 3).await;
                drop(outlet.send((at, datagram)));
            });
        } else {
            drop(self.outlet.send((at, datagram)));
        }
    }

    /// A number below 1,000, the same ones in every run.
    fn throw(&mut self) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % 1_000
    }
}

/// Moves datagrams of any number of edges, each over a line of its own.
async fn run(socket: Arc<UdpSocket>, to: SocketAddr, shared: Arc<Shared>) {
    let mut edges: HashMap<SocketAddr, Pipe> = HashMap::new();
    let mut buffer = vec![0; DATAGRAM];
    loop {
        // What an edge that left did not take comes back as an error of the next call.
        let Ok((length, edge)) = socket.recv_from(&mut buffer).await else {
            continue;
        };
        let pipe = match edges.entry(edge) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(connect(&socket, edge, to, &shared).await),
        };
        pipe.accept(buffer[..length].to_vec());
    }
}

/// Opens the line of an edge; the pipe towards the control plane.
async fn connect(
    socket: &Arc<UdpSocket>,
    edge: SocketAddr,
    to: SocketAddr,
    shared: &Arc<Shared>,
) -> Pipe {
    let inner = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    inner.connect(to).await.expect("an address of this machine");
    let inner = Arc::new(inner);

    let (outer, counted) = (Arc::clone(socket), Arc::clone(shared));
    let mut down = Pipe::new(shared, Direction::Down, move |datagram| {
        let (outer, counted) = (Arc::clone(&outer), Arc::clone(&counted));
        async move {
            if let Ok(sent) = outer.send_to(&datagram, edge).await {
                counted.delivered.fetch_add(sent as u64, Ordering::Relaxed);
            }
        }
    });
    let answers = Arc::clone(&inner);
    tokio::spawn(async move {
        let mut buffer = vec![0; DATAGRAM];
        loop {
            // A control plane that is gone makes errors until it is back.
            if let Ok(length) = answers.recv(&mut buffer).await {
                down.accept(buffer[..length].to_vec());
            }
        }
    });
    Pipe::new(shared, Direction::Up, move |datagram| {
        let inner = Arc::clone(&inner);
        async move { drop(inner.send(&datagram).await) }
    })
}

fn time_of(bytes: u64, rate: u64) -> Duration {
    Duration::from_nanos(bytes * 1_000_000_000 / rate)
}

fn bytes_in(time: Duration, rate: u64) -> u64 {
    u64::try_from(time.as_nanos() * u128::from(rate) / 1_000_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_line_takes_its_time_and_drops_what_does_not_fit() {
        let far = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let line = Line {
            rate: 100_000,
            queue: 5_000,
            delay: Duration::from_millis(20),
            ..Line::GOOD
        };
        let relay = Relay::start(&far.local_addr().unwrap().to_string(), line).await;
        let near = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let began = Instant::now();
        for _ in 0..20 {
            near.send_to(&[0; 1_000], relay.address()).await.unwrap();
        }
        let mut arrived = 0;
        let mut buffer = [0; DATAGRAM];
        let patience = Duration::from_millis(300);
        while tokio::time::timeout(patience, far.recv(&mut buffer))
            .await
            .is_ok()
        {
            arrived += 1;
            let soonest = Duration::from_millis(20 + 10 * arrived);
            assert!(began.elapsed() >= soonest, "number {arrived}");
        }
        assert!((4..8).contains(&arrived), "{arrived} arrived");
    }
}
