//! One connection to a control plane, from greeting to end.
//!
//! Five things go on at once, and the first to fail ends the connection: the control stream is read and written, pushes
//! are received, heartbeats are sent, questions about API keys are passed on. They share nothing but the queue of what is
//! to be sent, the questions under way, and the time of the last sign of life.

use std::{
    collections::HashMap,
    convert::Infallible,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use protocol::wire::{
    message::{ControlMessage, EdgeMessage, Epoch, Hello, Welcome},
    v1::CONTROL_LIMIT,
};
use quinn::{Connection, ConnectionError, Endpoint, RecvStream, SendStream, VarInt};
use tokio::{
    net::lookup_host,
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};

use super::{
    Identity, IdentityError, Upstream,
    frames::{self, StreamError},
    lookup::Asks,
    receive,
};
use crate::{keeper::Change, lookup::Located};

/// Time for a name, a handshake and a greeting, each.
const PATIENCE: Duration = Duration::from_secs(10);
/// Messages that wait for the control stream; acknowledgements beyond it hold up their pushes.
const OUTGOING: usize = 256;
/// Heartbeats without any sign of life after which a link counts as dead.
const SILENT_HEARTBEATS: u32 = 3;
/// TLS alerts arrive as QUIC errors of this range.
const TLS_ALERTS: std::ops::RangeInclusive<u64> = 0x100..=0x1ff;

/// How a connection ended.
pub(super) enum Ended {
    /// The control plane asked to go elsewhere.
    Drained { retry_after: Duration },
    /// It failed, or never came about.
    Lost {
        error: SessionError,
        was_connected: bool,
    },
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("the address has no host")]
    Address,
    #[error("the address does not resolve, or no socket is to be had")]
    Io(#[from] io::Error),
    #[error("EDGE_IDENTITY cannot be used")]
    Identity(#[from] IdentityError),
    #[error("no connection can be made")]
    Connect(#[from] quinn::ConnectError),
    #[error("the connection ended")]
    Connection(#[from] ConnectionError),
    #[error("the control plane refused this edge's certificate")]
    Refused(#[source] ConnectionError),
    #[error("the control stream ended")]
    Stream(#[from] StreamError),
    #[error("no answer in time")]
    NoAnswer(#[from] tokio::time::error::Elapsed),
    #[error("the control plane did not greet first, or greeted twice")]
    OutOfOrder,
    #[error("the control plane is silent")]
    Silent,
    /// Not a failure: carries the end of a drained connection to where it is told apart.
    #[error("the control plane is going away")]
    Drained(Duration),
}

/// Connects, and stays connected for as long as it goes.
pub(super) async fn run(upstream: &Upstream, address: &str, asks: &mut Asks) -> Ended {
    let mut was_connected = false;
    let Err(error) = join(upstream, address, asks, &mut was_connected).await;
    match error {
        SessionError::Drained(retry_after) => Ended::Drained { retry_after },
        error => Ended::Lost {
            error,
            was_connected,
        },
    }
}

async fn join(
    upstream: &Upstream,
    address: &str,
    asks: &mut Asks,
    was_connected: &mut bool,
) -> Result<Infallible, SessionError> {
    let mut hosts = timeout(PATIENCE, lookup_host(address)).await??;
    let remote = hosts.next().ok_or(SessionError::Address)?;
    let any: SocketAddr = match remote {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let settings = &upstream.settings;
    let config = Identity::read(&settings.identity)?.into_config();
    let endpoint = Endpoint::client(any)?;
    let connecting = endpoint.connect_with(config, remote, &settings.server_name)?;
    let connection = timeout(PATIENCE, connecting).await??;

    let Err(error) = greet(upstream, &connection, asks, was_connected).await;
    let reason = connection.close_reason();
    connection.close(VarInt::from_u32(0), b"");
    Err(match reason {
        Some(ConnectionError::ConnectionClosed(close))
            if TLS_ALERTS.contains(&close.error_code.into()) =>
        {
            SessionError::Refused(ConnectionError::ConnectionClosed(close))
        }
        Some(reason) => reason.into(),
        None => error,
    })
}

async fn greet(
    upstream: &Upstream,
    connection: &Connection,
    asks: &mut Asks,
    was_connected: &mut bool,
) -> Result<Infallible, SessionError> {
    let settings = &upstream.settings;
    let (mut sending, mut receiving) = connection.open_bi().await?;
    let (epoch, holds) = upstream.edge.holds();
    let hello = Hello {
        build: env!("CARGO_PKG_VERSION").to_owned(),
        region: settings.region.clone(),
        epoch,
        holds,
        subscribe: settings.subscribe,
    };
    timeout(
        PATIENCE,
        frames::write(&mut sending, &EdgeMessage::Hello(hello)),
    )
    .await??;
    let message = timeout(PATIENCE, frames::read(&mut receiving, CONTROL_LIMIT)).await??;
    let ControlMessage::Welcome(welcome) = message else {
        return Err(SessionError::OutOfOrder);
    };

    tracing::info!(
        peer = %connection.remote_address(),
        edge.name = welcome.name,
        environments = welcome.environments.len(),
        "connected to the control plane"
    );
    *was_connected = true;
    upstream.welcome(&welcome);
    asks.connected();

    let (outgoing, queue) = mpsc::channel(OUTGOING);
    let session = Session {
        upstream,
        heartbeat: Duration::from_millis(welcome.heartbeat_ms.max(1).into()),
        outgoing,
        asked: Mutex::default(),
        requests: AtomicU64::new(0),
        epoch: welcome.epoch,
        heard: Heard::now(),
    };
    let never = tokio::try_join!(
        session.read(receiving),
        session.write(sending, queue),
        receive::pushes(&session, connection),
        session.keep_alive(),
        session.ask(asks),
    )?;
    match never.0 {}
}

impl Upstream {
    /// Takes over what the control plane says belongs to this edge.
    fn welcome(&self, welcome: &Welcome) {
        self.edge.set_time(welcome.now_ms);
        let greeting = self.edge.expect(welcome.epoch, &welcome.environments);
        self.edge.set_connected(true);
        if let Some(keeper) = &self.keeper {
            for env_id in greeting.dropped {
                keeper.store(env_id, Change::Removed);
            }
            for env_id in greeting.adopted {
                keeper.store(
                    env_id,
                    Change::Adopted {
                        epoch: welcome.epoch,
                    },
                );
            }
        }
    }
}

/// A connection after its greeting.
pub(super) struct Session<'a> {
    pub(super) upstream: &'a Upstream,
    heartbeat: Duration,
    pub(super) outgoing: mpsc::Sender<EdgeMessage>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Option<Located>>>>,
    requests: AtomicU64,
    pub(super) epoch: Epoch,
    pub(super) heard: Heard,
}

/// When the other side last gave a sign of life.
#[derive(Clone)]
pub(super) struct Heard(Arc<Mutex<Instant>>);

impl Heard {
    fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// Notes a sign of life.
    pub(super) fn note(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn ago(&self) -> Duration {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .elapsed()
    }
}

impl Session<'_> {
    async fn read(&self, mut stream: RecvStream) -> Result<Infallible, SessionError> {
        loop {
            let message = frames::read(&mut stream, CONTROL_LIMIT).await?;
            self.heard.note();
            self.upstream.edge.confirmed();
            match message {
                ControlMessage::Welcome(_) => return Err(SessionError::OutOfOrder),
                ControlMessage::KeyFound {
                    request,
                    env_id,
                    version,
                } => {
                    self.answer(request, Some(Located { env_id, version }));
                }
                ControlMessage::KeyUnknown { request } => self.answer(request, None),
                ControlMessage::Heartbeat(_) => {}
                ControlMessage::Drain { retry_after_ms } => {
                    return Err(SessionError::Drained(Duration::from_millis(
                        retry_after_ms.into(),
                    )));
                }
                ControlMessage::KeyCreated { hash } => self.upstream.edge.key_created(&hash),
            }
        }
    }

    async fn write(
        &self,
        mut stream: SendStream,
        mut queue: mpsc::Receiver<EdgeMessage>,
    ) -> Result<Infallible, SessionError> {
        while let Some(message) = queue.recv().await {
            frames::write(&mut stream, &message).await?;
        }
        unreachable!("the session itself holds a sender of the queue")
    }

    async fn keep_alive(&self) -> Result<Infallible, SessionError> {
        let mut ticks = tokio::time::interval(self.heartbeat);
        for number in 1.. {
            ticks.tick().await;
            if self.heard.ago() > self.heartbeat * SILENT_HEARTBEATS {
                break;
            }
            // A full queue has nobody reading behind it: the silence will tell.
            drop(self.outgoing.try_send(EdgeMessage::Heartbeat(number)));
        }
        Err(SessionError::Silent)
    }

    async fn ask(&self, asks: &mut Asks) -> Result<Infallible, SessionError> {
        loop {
            let ask = asks.next().await;
            let request = self.requests.fetch_add(1, Ordering::Relaxed);
            {
                let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
                asked.retain(|_, answer| !answer.is_closed());
                asked.insert(request, ask.answer);
            }
            let message = EdgeMessage::LookupKey {
                request,
                hash: ask.hash,
            };
            // The writer takes from the other end of the queue for as long as the session is.
            drop(self.outgoing.send(message).await);
        }
    }

    fn answer(&self, request: u64, located: Option<Located>) {
        let asked = self
            .asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&request);
        // Who asked may have given up.
        asked.map(|answer| answer.send(located));
    }
}
