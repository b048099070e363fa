//! The network between the processes: datagrams that are late, lost, doubled or overtaken, and places that hear nothing of each
//! other.
//!
//! QUIC runs on it as it does on sockets, since both are behind the same interface of the library. A process has a [`Machine`];
//! one that was unplugged neither sends nor receives any more, though its tasks may still run.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt, io,
    io::IoSliceMut,
    net::{SocketAddr, UdpSocket},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use quinn::{
    AsyncTimer, AsyncUdpSocket, Runtime, TokioRuntime, UdpPoller,
    udp::{RecvMeta, Transmit},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::weather::{Climate, Fate, Weather};

/// Where servers listen.
pub(crate) const SERVER_PORT: u16 = 7_000;

/// Where a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) u8);

impl Place {
    pub(crate) fn address(self, port: u16) -> SocketAddr {
        ([10, 0, 0, self.0], port).into()
    }

    fn of(address: SocketAddr) -> Self {
        match address {
            SocketAddr::V4(v4) => Self(v4.ip().octets()[3]),
            SocketAddr::V6(_) => unreachable!("all addresses are of IPv4"),
        }
    }
}

/// Clones share it.
#[derive(Clone)]
pub(crate) struct Network(Arc<Shared>);

struct Shared {
    weather: Weather,
    state: Mutex<State>,
    posted: Notify,
}

#[derive(Default)]
struct State {
    inboxes: BTreeMap<SocketAddr, Arc<Inbox>>,
    /// By arrival, sender, and number.
    under_way: BTreeMap<(Instant, SocketAddr, u64), Datagram>,
    posted: u64,
    /// From where to where nothing arrives.
    cut: BTreeSet<(Place, Place)>,
    climates: BTreeMap<(Place, Place), Climate>,
}

struct Datagram {
    to: SocketAddr,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Inbox(Mutex<Received>);

#[derive(Default)]
struct Received {
    datagrams: VecDeque<(SocketAddr, Vec<u8>)>,
    waker: Option<Waker>,
}

impl Network {
    pub(crate) fn new(seed: u64) -> Self {
        let network = Self(Arc::new(Shared {
            weather: Weather::new(seed),
            state: Mutex::default(),
            posted: Notify::new(),
        }));
        tokio::spawn(network.clone().deliver());
        network
    }

    /// Nothing arrives from one place at the other.
    pub(crate) fn cut(&self, from: Place, to: Place) {
        self.0.state.lock().unwrap().cut.insert((from, to));
    }

    pub(crate) fn join(&self, a: Place, b: Place) {
        let mut state = self.0.state.lock().unwrap();
        state.cut.remove(&(a, b));
        state.cut.remove(&(b, a));
    }

    pub(crate) fn set_climate(&self, a: Place, b: Place, climate: Climate) {
        let mut state = self.0.state.lock().unwrap();
        state.climates.insert((a, b), climate);
        state.climates.insert((b, a), climate);
    }

    /// Everything is as it should be.
    pub(crate) fn heal(&self) {
        let mut state = self.0.state.lock().unwrap();
        state.cut.clear();
        state.climates.clear();
    }

    fn post(&self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        let (here, there) = (Place::of(from), Place::of(to));
        let mut state = self.0.state.lock().unwrap();
        if state.cut.contains(&(here, there)) {
            return;
        }
        let climate = state.climates.get(&(here, there)).copied();
        let now = Instant::now();
        let Fate { arrivals } = self
            .0
            .weather
            .fate(here, there, climate.unwrap_or_default());
        for late_ms in arrivals.into_iter().flatten() {
            state.posted += 1;
            let key = (now + Duration::from_millis(late_ms), from, state.posted);
            let bytes = bytes.to_vec();
            state.under_way.insert(key, Datagram { to, bytes });
        }
        drop(state);
        self.0.posted.notify_one();
    }

    async fn deliver(self) {
        loop {
            let next = {
                let state = self.0.state.lock().unwrap();
                state.under_way.keys().next().map(|(at, ..)| *at)
            };
            let due = async {
                match next {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.0.posted.notified() => {}
                () = due => self.hand_out(),
            }
        }
    }

    fn hand_out(&self) {
        let now = Instant::now();
        let mut state = self.0.state.lock().unwrap();
        while let Some(entry) = state.under_way.first_entry() {
            if entry.key().0 > now {
                return;
            }
            let ((_, from, _), Datagram { to, bytes }) = entry.remove_entry();
            if let Some(inbox) = state.inboxes.get(&to) {
                let mut received = inbox.0.lock().unwrap();
                received.datagrams.push_back((from, bytes));
                received.waker.take().into_iter().for_each(Waker::wake);
            }
        }
    }
}

/// The machine of one process, as QUIC sees it: its sockets, its timers.
#[derive(Clone)]
pub(crate) struct Machine {
    network: Network,
    place: Place,
    ports: Arc<AtomicU16>,
    is_plugged: Arc<AtomicBool>,
}

impl Machine {
    /// `first_port` is one that no machine of this place had.
    pub(crate) fn new(network: &Network, place: Place, first_port: u16) -> Self {
        Self {
            network: network.clone(),
            place,
            ports: Arc::new(AtomicU16::new(first_port)),
            is_plugged: Arc::new(AtomicBool::new(true)),
        }
    }

    /// As if it had lost its power.
    pub(crate) fn unplug(&self) {
        self.is_plugged.store(false, Ordering::Relaxed);
    }

    /// A socket to serve on. It is only what the interface wants: no datagram ever reaches it.
    pub(crate) fn server_socket() -> UdpSocket {
        UdpSocket::bind(("127.0.0.1", 0)).unwrap()
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.place)
    }
}

impl Runtime for Machine {
    fn new_timer(&self, at: std::time::Instant) -> Pin<Box<dyn AsyncTimer>> {
        TokioRuntime.new_timer(at)
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        TokioRuntime.spawn(future);
    }

    fn now(&self) -> std::time::Instant {
        TokioRuntime.now()
    }

    /// Who asks for any address connects; who names one serves.
    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        let port = if socket.local_addr()?.ip().is_unspecified() {
            self.ports.fetch_add(1, Ordering::Relaxed)
        } else {
            SERVER_PORT
        };
        let (address, inbox) = (self.place.address(port), Arc::<Inbox>::default());
        let mut state = self.network.0.state.lock().unwrap();
        state.inboxes.insert(address, Arc::clone(&inbox));
        drop(state);
        Ok(Arc::new(Port {
            machine: self.clone(),
            address,
            inbox,
        }))
    }
}

/// An open port of a machine.
#[derive(Debug)]
struct Port {
    machine: Machine,
    address: SocketAddr,
    inbox: Arc<Inbox>,
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inbox")
    }
}

impl AsyncUdpSocket for Port {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Writable)
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        if self.machine.is_plugged.load(Ordering::Relaxed) {
            let network = &self.machine.network;
            network.post(self.address, transmit.destination, transmit.contents);
        }
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut received = self.inbox.0.lock().unwrap();
        if !self.machine.is_plugged.load(Ordering::Relaxed) {
            received.datagrams.clear();
        }
        let mut count = 0;
        for (buffer, meta) in buffers.iter_mut().zip(meta) {
            let Some((from, bytes)) = received.datagrams.pop_front() else {
                break;
            };
            buffer[..bytes.len()].copy_from_slice(&bytes);
            *meta = RecvMeta {
                addr: from,
                len: bytes.len(),
                stride: bytes.len(),
                ecn: None,
                dst_ip: None,
            };
            count += 1;
        }
        if count == 0 {
            received.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(count))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let mut state = self.machine.network.0.state.lock().unwrap();
        let current = state.inboxes.get(&self.address);
        if current.is_some_and(|inbox| Arc::ptr_eq(inbox, &self.inbox)) {
            state.inboxes.remove(&self.address);
        }
    }
}

/// There is always room.
#[derive(Debug)]
struct Writable;

impl UdpPoller for Writable {
    fn poll_writable(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
