//! The link of one edge, from its certificate to its end.
//!
//! The control stream is read and written, messages are sent on streams of their own, and the hub may end it all; the
//! first to fail ends the session. What the edge says affects only its own subscription.

use std::{convert::Infallible, error::Error, time::Duration};

use parking_lot::Mutex;
use protocol::wire::{
    frame::EDGE_LIMIT,
    message::{ControlMessage, EdgeMessage},
    relay::Refusal,
    usage::OutOfBounds,
};
use quinn::{Connection, ConnectionError, RecvStream, SendStream};
use rustls_pki_types::CertificateDer;
use serving::error::chain;
use tokio::{
    sync::{mpsc, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{
    close::Close,
    drain,
    greeting::{Greeted, Reception},
    handshakes::Handshake,
    lookups::{self, Lookups, Question},
    pushes::Pushes,
    rehearsals,
    relays::{self, Relayed},
    renewals::{self, Renewals, Wish},
    uploads::Uploads,
    what_if,
};
use crate::{
    Fingerprint,
    frames::{self, StreamError},
    greeting::NotGreeted,
    hub::{Ended, Regions},
    source::{Admission, NotAdmitted, Reporter, Signers, Source},
    tls,
};

pub(super) const HEARTBEAT: Duration = Duration::from_secs(3);

/// Why a session ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("closed")]
    Close(Close),
    #[error(transparent)]
    Stream(#[from] StreamError),
    #[error("the connection ended")]
    Connection(#[from] ConnectionError),
    #[error("the certificate cannot be checked")]
    NotAdmitted(#[source] Box<dyn Error + Send + Sync>),
    #[error(transparent)]
    NotGreeted(#[from] NotGreeted),
    #[error("the edge did not greet in time")]
    NoGreeting,
    #[error("the edge greeted twice, or said something else in a greeting")]
    OutOfOrder,
    #[error("an upload was refused")]
    Upload(#[from] OutOfBounds),
    #[error("a finding was refused")]
    Finding(#[from] protocol::what_if::OutOfBounds),
}

impl SessionError {
    /// The code sent to the edge; `None` if the connection is gone anyway.
    const fn close(&self) -> Option<Close> {
        match self {
            Self::Close(close) => Some(*close),
            Self::Stream(StreamError::Frame(_))
            | Self::NoGreeting
            | Self::OutOfOrder
            | Self::Upload(_)
            | Self::Finding(_) => Some(Close::Protocol),
            Self::NotGreeted(NotGreeted::Unsighted) => Some(Close::Unsighted),
            Self::NotGreeted(NotGreeted::Rewound) => Some(Close::EpochChanged),
            Self::NotAdmitted(_)
            | Self::NotGreeted(NotGreeted::RewoundAgain)
            | Self::Stream(StreamError::TooLarge(_)) => Some(Close::Unavailable),
            Self::Stream(StreamError::Ended | StreamError::Read(_) | StreamError::Write(_))
            | Self::Connection(_) => None,
        }
    }
}

/// Serves an edge whose handshake is complete. The permit bounds how many have not identified themselves yet.
pub(super) async fn run<S: Source>(
    source: &S,
    connection: Connection,
    permit: Handshake,
    shutdown: CancellationToken,
) {
    let remote = connection.remote_address();
    let Err(error) = join(source, &connection, permit, shutdown).await;
    let Some(close) = error.close() else { return };
    connection.close(close.code(), close.reason());
    match close {
        Close::GoingAway
        | Close::EpochChanged
        | Close::Silent
        | Close::Unsighted
        | Close::GreetAgain => {}
        Close::Refused(_) | Close::Protocol | Close::Region | Close::Unavailable => {
            metrics::counter!("halyard_link_refused_total", "reason" => close.label()).increment(1);
            tracing::warn!(peer = %remote, reason = close.label(), error = chain(&error), "refused an edge");
        }
    }
}

async fn join<S: Source>(
    source: &S,
    connection: &Connection,
    permit: Handshake,
    shutdown: CancellationToken,
) -> Result<Infallible, SessionError> {
    // Without sight of the database no edge is greeted, or kept waiting for it.
    let (fingerprint, edge) = tokio::select! {
        identified = identify(source, connection) => identified?,
        () = source.sight().lost() => return Err(SessionError::Close(Close::Unsighted)),
    };
    let reception = Reception {
        source,
        connection,
        fingerprint,
        edge: &edge,
    };
    let greeted = tokio::select! {
        greeted = reception.greet(permit) => greeted?,
        gone = connection.closed() => return Err(gone.into()),
        () = shutdown.cancelled() => return Err(SessionError::Close(Close::GoingAway)),
    };
    let Err(error) = stay(reception, greeted, &shutdown).await;
    let remote = connection.remote_address();
    tracing::info!(peer = %remote, edge.name = edge.name, reason = chain(&error), "edge disconnected");
    Err(error)
}

/// Serves an edge after its greeting.
async fn stay<S: Source>(
    reception: Reception<'_, S>,
    greeted: Greeted<S>,
    shutdown: &CancellationToken,
) -> Result<Infallible, SessionError> {
    let Reception {
        source,
        connection,
        fingerprint,
        edge,
    } = reception;
    let Greeted {
        sending,
        receiving,
        regions,
        outbox,
        signers,
    } = greeted;
    // Beyond these, reading waits too.
    let (outgoing, queue) = mpsc::channel(256);
    let reporter = Reporter {
        name: edge.name.clone(),
        certificate: fingerprint,
        regions: regions.clone(),
    };
    let tells_regions = edge.is_relay && regions == Regions::All;
    let pushes = Pushes::new(connection.clone(), fingerprint, outbox);
    let session = Session {
        source,
        connection,
        pushes: pushes.with_regions(tells_regions.then(|| outgoing.clone())),
        outgoing,
    };
    let (asks, asked) = lookups::queue();
    let lookups = Lookups {
        lookup: source.lookup(regions.clone()),
        subscription: session.pushes.subscription(),
        outgoing: &session.outgoing,
    };
    let (wishes, wished) = renewals::queue();
    let renewals = Renewals {
        source,
        fingerprint,
        outgoing: &session.outgoing,
    };
    let uploads = Uploads {
        source,
        reporter: &reporter,
        outgoing: &session.outgoing,
    };
    let (questions, questioned) = relays::queue();
    let relayed = edge.is_relay.then(|| Relayed {
        source,
        reporter: &reporter,
        subscription: session.pushes.subscription(),
        outgoing: &session.outgoing,
        questions,
        below: Mutex::default(),
        admitted: Mutex::default(),
    });
    if let Some(relayed) = &relayed {
        relayed.introduce().await;
    }
    let never = tokio::try_join!(
        session.read(receiving, &asks, &wishes, relayed.as_ref()),
        write(sending, queue),
        session.pushes.run(),
        lookups.answer(asked),
        renewals.answer(wished),
        uploads.receive(connection, relayed.as_ref()),
        relays::serve(relayed.as_ref(), questioned),
        session.send_new_keys(),
        session.send_timestamps(signers.is_some()),
        rehearsals::tell(source, &session.outgoing, &regions, signers.is_some()),
        what_if::tell(source, &session.outgoing, &regions, signers.is_some()),
        session.send_signers(signers),
        session.ask_to_flush(),
        session.wait_for_hub(),
        session.leave(shutdown),
    )?;
    match never.0 {}
}

/// Finds the certificate that opened the connection, and checks whether it is accepted.
async fn identify<S: Source>(
    source: &S,
    connection: &Connection,
) -> Result<(Fingerprint, Admission), SessionError> {
    let chain = connection
        .peer_identity()
        .and_then(|chain| chain.downcast::<Vec<CertificateDer<'_>>>().ok());
    let Some(certificate) = chain.as_ref().and_then(|chain| chain.first()) else {
        return Err(SessionError::Close(Close::Refused(Refusal::Unknown)));
    };
    let fingerprint = tls::fingerprint(certificate);
    match source.admit(&fingerprint).await {
        Ok(edge) => Ok((fingerprint, edge)),
        Err(NotAdmitted::Refused(refusal)) => Err(SessionError::Close(Close::Refused(refusal))),
        Err(NotAdmitted::Unavailable(error)) => Err(SessionError::NotAdmitted(error)),
    }
}

/// A link after its greeting.
struct Session<'a, S> {
    source: &'a S,
    connection: &'a Connection,
    pushes: Pushes<S>,
    outgoing: mpsc::Sender<ControlMessage>,
}

impl<S: Source> Session<'_, S> {
    async fn read(
        &self,
        mut stream: RecvStream,
        asks: &mpsc::Sender<Question>,
        wishes: &mpsc::Sender<Wish>,
        relayed: Option<&Relayed<'_, S>>,
    ) -> Result<Infallible, SessionError> {
        loop {
            let message = timeout(HEARTBEAT * 3, frames::read(&mut stream, EDGE_LIMIT)).await;
            match message.map_err(|_| SessionError::Close(Close::Silent))?? {
                EdgeMessage::Hello(_) | EdgeMessage::Holding { .. } => {
                    return Err(SessionError::OutOfOrder);
                }
                EdgeMessage::Relay(message) => {
                    let relayed = relayed.ok_or(SessionError::Close(Close::Protocol))?;
                    relayed.receive(message)?;
                }
                EdgeMessage::Ack { env_id, version } => {
                    self.pushes.acknowledged(env_id, version);
                }
                EdgeMessage::Resync { env_id } => self.pushes.lost(env_id),
                EdgeMessage::LookupKey { request, hash } => {
                    if let Some(refused) = lookups::ask(asks, Question { request, hash }) {
                        self.send(refused).await;
                    }
                }
                EdgeMessage::Heartbeat { number, status } => {
                    let rtt = self.connection.rtt();
                    self.pushes.subscription().note(Some(rtt), status.streams);
                    self.send(ControlMessage::Heartbeat {
                        number,
                        looked: self.source.sight().looked(),
                        now_ms: self.source.now_ms(),
                    })
                    .await;
                }
                EdgeMessage::Forget { env_id } => {
                    self.pushes.subscription().forget(env_id);
                }
                EdgeMessage::Flushed { request } => self.pushes.subscription().flushed(request),
                EdgeMessage::Renew {
                    request,
                    certificate_request,
                } => {
                    let wish = Wish {
                        request,
                        certificate_request,
                    };
                    renewals::ask(wishes, wish);
                }
            }
        }
    }

    async fn send_new_keys(&self) -> Result<Infallible, SessionError> {
        loop {
            for hash in self.pushes.subscription().new_keys().await {
                self.send(ControlMessage::KeyCreated { hash }).await;
            }
        }
    }

    /// Tells of other keys that sign.
    async fn send_signers(
        &self,
        signers: Option<watch::Receiver<Signers>>,
    ) -> Result<Infallible, SessionError> {
        if let Some(mut signers) = signers {
            while signers.changed().await.is_ok() {
                let certificates = signers.borrow_and_update().to_vec();
                self.send(ControlMessage::Signers { certificates }).await;
            }
        }
        std::future::pending().await
    }

    /// Tells which versions are current.
    async fn send_timestamps(&self, is_signing: bool) -> Result<Infallible, SessionError> {
        let mut timestamps = self.source.timestamps();
        timestamps.mark_changed();
        while is_signing && timestamps.changed().await.is_ok() {
            let last = timestamps.borrow_and_update().clone();
            if let Some(last) = last {
                let last = last.stamped().clone();
                self.send(ControlMessage::Timestamp(last)).await;
            }
        }
        std::future::pending().await
    }

    async fn ask_to_flush(&self) -> Result<Infallible, SessionError> {
        let mut flushes = self.pushes.subscription().flushes();
        loop {
            let request = flushes.next().await;
            self.send(ControlMessage::FlushUsage { request }).await;
        }
    }

    async fn wait_for_hub(&self) -> Result<Infallible, SessionError> {
        let ended = self.pushes.subscription().ended().await;
        if ended == Ended::Unsighted {
            self.send_elsewhere().await;
        }
        Err(SessionError::Close(ended.into()))
    }

    /// Once this replica stops, asks the edge to go elsewhere and waits until it has left.
    async fn leave(&self, shutdown: &CancellationToken) -> Result<Infallible, SessionError> {
        shutdown.cancelled().await;
        self.send_elsewhere().await;
        Err(SessionError::Close(Close::GoingAway))
    }

    /// Asks the edge to go elsewhere. One that does not is to be disconnected when this returns.
    async fn send_elsewhere(&self) {
        let retry_after = drain::retry_after(self.source.hub().count(), rand::random());
        let retry_after_ms = u32::try_from(retry_after.as_millis()).unwrap_or(u32::MAX);
        self.send(ControlMessage::Drain { retry_after_ms }).await;
        drop(timeout(Duration::from_secs(1), self.connection.closed()).await);
    }

    async fn send(&self, message: ControlMessage) {
        // The writer drains the queue for as long as the session lasts.
        drop(self.outgoing.send(message).await);
    }
}

async fn write(
    mut stream: SendStream,
    mut queue: mpsc::Receiver<ControlMessage>,
) -> Result<Infallible, SessionError> {
    loop {
        match queue.recv().await {
            Some(message) => frames::write(&mut stream, &message).await?,
            // The session itself holds a sender.
            None => std::future::pending().await,
        }
    }
}
