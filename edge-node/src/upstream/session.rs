//! One connection to a control plane, from greeting to end.
//!
//! Many things happen concurrently, and the first to fail ends the connection: the control stream is read and written,
//! pushes are received, usage is uploaded, heartbeats are sent, API keys are looked up, environments beyond the memory
//! limit are dropped, those missing in the cache or without a signature are asked for, the certificate is renewed. They share nothing but the
//! outgoing queue, the questions in flight, and the time of the last sign of life.

use std::{
    collections::HashMap,
    convert::Infallible,
    ops::RangeInclusive,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use fanout::frames;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use protocol::wire::{
    frame::CONTROL_LIMIT,
    message::{ControlMessage, EdgeMessage, Epoch, Welcome},
};
use quinn::{ConnectionError, RecvStream, SendStream};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{Instant, MissedTickBehavior, interval},
};

use super::{
    Upstream,
    connect::{Link, SessionError},
    greeting::{self, ControlStream, Greeted},
    lookup::Asks,
    receive, refill,
    renewal::{self, Pending},
    room,
    uploads::{Notices, Uploads},
    what_if::Findings,
};
use crate::{current::Listing, downstream::Connected, keeper::Change, lookup::Located};

/// TLS alerts arrive as QUIC errors in this range.
const TLS_ALERTS: RangeInclusive<u64> = 0x100..=0x1ff;

/// Stays connected for as long as possible. `was_connected` is set once the greeting has succeeded.
pub(super) async fn run(
    upstream: &Upstream,
    link: &Link,
    asks: &mut Asks,
    uploads: &mut Uploads,
    was_connected: &mut bool,
) -> SessionError {
    let Err(error) = stay(upstream, link, asks, uploads, was_connected).await;
    if let SessionError::Renewed(_) = error {
        return error;
    }
    // The reason that closed the connection says more than that of the stream which noticed it first.
    match link.connection.close_reason() {
        Some(ConnectionError::ConnectionClosed(close))
            if TLS_ALERTS.contains(&close.error_code.into()) =>
        {
            SessionError::Refused(ConnectionError::ConnectionClosed(close))
        }
        Some(reason) => reason.into(),
        None => error,
    }
}

async fn stay(
    upstream: &Upstream,
    link: &Link,
    asks: &mut Asks,
    uploads: &mut Uploads,
    was_connected: &mut bool,
) -> Result<Infallible, SessionError> {
    let connection = &link.connection;
    // The pushes of the connection before are of its history, which another greeting may replace.
    upstream.applying.close();
    upstream.applying.wait().await;
    upstream.applying.reopen();
    let (sending, receiving) = connection.open_bi().await?;
    let mut stream = ControlStream {
        connection,
        sending,
        receiving,
    };
    let Greeted {
        welcome,
        signers,
        listing,
    } = greeting::greet(upstream, link, &mut stream).await?;
    let ControlStream {
        sending, receiving, ..
    } = stream;

    tracing::info!(
        peer = %connection.remote_address(),
        edge.name = welcome.name,
        listed = listing.environments.len(),
        confirmed = listing.confirmed.len(),
        signers = signers.keys.len(),
        "connected to the control plane"
    );
    *was_connected = true;
    // Before anything is received: pushes are applied under the epoch and the signers that the greeting names.
    upstream.trust(signers);
    upstream.welcome(&welcome, &listing);
    asks.connected();

    // Acknowledgements beyond these hold up their pushes.
    let (outgoing, queue) = mpsc::channel(256);
    let session = Session {
        upstream,
        link,
        // A period of zero would panic.
        heartbeat: Duration::from_millis(welcome.heartbeat_ms.max(1).into()),
        asked: Mutex::default(),
        requests: AtomicU64::new(0),
        renewal: Pending::default(),
        signers_changed: Notify::new(),
        epoch: welcome.epoch,
        heard: Heard::now(),
        notices: uploads.connected(),
        findings: Findings::new(),
        downstream: upstream.downstream.connected(&outgoing),
        outgoing,
    };
    let never = tokio::try_join!(
        session.read(receiving),
        session.write(sending, queue),
        receive::pushes(&session, connection),
        session.keep_alive(),
        session.ask(asks),
        uploads.send(connection, link.is_signing, &session.outgoing),
        room::keep(&session),
        refill::ask(&session),
        refill::ask_for_signatures(&session),
        renewal::keep(&session),
        session.upload_findings(),
        session.downstream.run().map(Ok),
    )?;
    match never.0 {}
}

impl Upstream {
    /// Applies what the control plane says belongs to this edge.
    fn welcome(&self, welcome: &Welcome, listing: &Listing) {
        self.edge.set_time(welcome.now_ms);
        self.edge.set_stream_secret(&welcome.stream_secret);
        let greeting = self.edge.expect(welcome.epoch, listing);
        self.edge.confirmed(welcome.epoch, welcome.looked);
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
            keeper.greeted();
        }
        self.downstream.greeted(welcome);
    }
}

/// A connection after its greeting.
pub(super) struct Session<'a> {
    pub(super) upstream: &'a Upstream,
    pub(super) link: &'a Link,
    heartbeat: Duration,
    pub(super) outgoing: mpsc::Sender<EdgeMessage>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Option<Located>>>>,
    requests: AtomicU64,
    pub(super) renewal: Pending,
    pub(super) signers_changed: Notify,
    pub(super) epoch: Epoch,
    pub(super) heard: Heard,
    notices: Notices,
    pub(super) findings: Findings,
    downstream: Connected,
}

/// When the other side last gave a sign of life.
#[derive(Clone)]
pub(super) struct Heard(Arc<Mutex<Instant>>);

impl Heard {
    fn now() -> Self {
        Self(Arc::new(Mutex::new(Instant::now())))
    }

    /// Records a sign of life.
    pub(super) fn note(&self) {
        *self.0.lock() = Instant::now();
    }

    fn ago(&self) -> Duration {
        self.0.lock().elapsed()
    }
}

impl Session<'_> {
    async fn read(&self, mut stream: RecvStream) -> Result<Infallible, SessionError> {
        loop {
            let message = frames::read(&mut stream, CONTROL_LIMIT).await?;
            self.heard.note();
            let Some(message) = self.downstream.take(message) else {
                continue;
            };
            match message {
                ControlMessage::Welcome(_) | ControlMessage::Listing { .. } => {
                    return Err(SessionError::OutOfOrder);
                }
                ControlMessage::KeyFound {
                    request,
                    env_id,
                    version,
                } => {
                    self.answer(request, Some(Located { env_id, version }));
                }
                ControlMessage::KeyUnknown { request } => self.answer(request, None),
                ControlMessage::KeyUnavailable { request } => self.leave_open(request),
                ControlMessage::Heartbeat { looked, now_ms, .. } => {
                    self.upstream.edge.set_time(now_ms);
                    self.upstream.edge.confirmed(self.epoch, looked);
                }
                ControlMessage::Drain { retry_after_ms } => {
                    return Err(SessionError::Drained(Duration::from_millis(
                        retry_after_ms.into(),
                    )));
                }
                ControlMessage::KeyCreated { hash } => self.upstream.edge.key_created(&hash),
                ControlMessage::UsageStored { boot, sequence } => {
                    self.notices.stored(boot, sequence);
                }
                ControlMessage::FlushUsage { request } => self.flush(request),
                // Taken above.
                ControlMessage::Relay(_) => {}
                named @ ControlMessage::Signers { .. } => self.take_signers(named)?,
                ControlMessage::Timestamp(stamped) => self.take_timestamp(stamped).await?,
                ControlMessage::Rehearsals(all) => self.take_rehearsals(&all)?,
                ControlMessage::Sampled(all) => self.take_sampled(all)?,
                ControlMessage::Question(signed) => self.take_question(signed)?,
                ControlMessage::Renewed {
                    request,
                    certificate,
                } => self.renewal.answered(request, Ok(certificate)),
                ControlMessage::NotRenewed { request, reason } => {
                    self.renewal.answered(request, Err(reason));
                }
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
        let mut ticks = interval(self.downstream.heartbeat(self.heartbeat));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        for number in 1.. {
            ticks.tick().await;
            if self.heard.ago() > self.heartbeat * 3 {
                break;
            }
            // A full queue means that its reader is stuck: the silence will end the connection.
            let status = self.upstream.edge.status();
            drop(
                self.outgoing
                    .try_send(EdgeMessage::Heartbeat { number, status }),
            );
        }
        Err(SessionError::Silent)
    }

    /// Passes the request on; if nothing is counted, everything is flushed already.
    fn flush(&self, request: u64) {
        let (notices, outgoing) = (self.notices.clone(), self.outgoing.clone());
        self.downstream.flush(move || {
            if !notices.flush(request) {
                drop(outgoing.try_send(EdgeMessage::Flushed { request }));
            }
        });
    }

    /// A number that no other request of this session has.
    pub(super) fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    async fn ask(&self, asks: &mut Asks) -> Result<Infallible, SessionError> {
        loop {
            let ask = asks.next().await;
            let request = self.next_request();
            {
                let mut asked = self.asked.lock();
                // Askers that gave up are forgotten here, since no answer may ever come for them.
                asked.retain(|_, answer| !answer.is_closed());
                asked.insert(request, ask.answer);
            }
            let message = EdgeMessage::LookupKey {
                request,
                hash: ask.hash,
            };
            // The writer drains the queue for as long as the session lasts.
            drop(self.outgoing.send(message).await);
        }
    }

    /// The question will not be answered: the asker gets an error.
    fn leave_open(&self, request: u64) {
        self.asked.lock().remove(&request);
    }

    fn answer(&self, request: u64, located: Option<Located>) {
        let asked = self.asked.lock().remove(&request);
        // The asker may have given up.
        asked.map(|answer| answer.send(located));
    }
}
