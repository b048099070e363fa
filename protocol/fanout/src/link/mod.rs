//! The link to edges over QUIC: the endpoint, and who is given a session.
//!
//! Strangers cost little: addresses are validated before handshakes when many arrive at once, handshakes are bounded in
//! number and time, and a peer without a certificate of the authority is disconnected after one. The library drops
//! datagrams that are not QUIC without an answer.

mod close;
mod congestion;
mod drain;
mod greeting;
mod handshakes;
mod lookups;
mod pushes;
mod rehearsals;
mod relays;
mod renewals;
mod session;
mod unanswered;
mod uploads;
mod what_if;

use std::{
    error::Error,
    fmt, io,
    net::{SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use quinn::{ConnectionError, Endpoint, Incoming, Runtime, TokioRuntime};
use serving::{error::chain, telemetry::describe};
use tokio::{sync::Notify, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) use self::congestion::Bounded;
use self::{
    close::Close,
    handshakes::{Handshake, Handshakes},
};
use crate::{
    source::Source,
    telemetry::METRICS,
    tls::{self, ServerIdentity, TlsError},
};

/// QUIC carries TLS alerts as codes in this range.
const TLS_ALERTS: std::ops::Range<u64> = 0x100..0x200;

/// Why edges cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The socket cannot be used.
    #[error("cannot use the UDP socket for edges")]
    Socket(#[from] io::Error),
}

/// Gives the server identity to use from now on; asked for every hour, and when there is another one.
pub type Identify =
    Box<dyn Fn() -> Result<ServerIdentity, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// The endpoint that serves edges.
pub struct Serving {
    /// A bound socket.
    pub socket: UdpSocket,
    /// Who is served as.
    pub identify: Identify,
    /// Notified when there is another identity.
    pub renewed: Arc<Notify>,
    /// The same after a restart, so that connections of the process before are recognised, and ended at the first packet.
    pub reset_secret: [u8; 32],
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving")
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}

/// Serves edges until `shutdown` is cancelled; then they are asked to go elsewhere. Returns the socket's address.
///
/// # Errors
/// When there is no usable identity, or the socket cannot be used.
pub fn serve<S: Source>(
    source: &S,
    serving: Serving,
    shutdown: &CancellationToken,
    tasks: &TaskTracker,
) -> Result<SocketAddr, ServeError> {
    serve_on(source, serving, Arc::new(TokioRuntime), shutdown, tasks)
}

/// Like [`serve`], on the network and the timers of a runtime.
///
/// # Errors
/// As [`serve`].
pub fn serve_on<S: Source>(
    source: &S,
    serving: Serving,
    runtime: Arc<dyn Runtime>,
    shutdown: &CancellationToken,
    tasks: &TaskTracker,
) -> Result<SocketAddr, ServeError> {
    let Serving {
        socket,
        identify,
        renewed,
        reset_secret,
    } = serving;
    describe(METRICS);
    let identity = identify().map_err(TlsError::Identity)?;
    let config = tls::server_config(identity, source)?;
    let endpoint = Endpoint::new(
        tls::endpoint_config(&reset_secret),
        Some(config),
        socket,
        runtime,
    )?;
    let address = endpoint.local_addr()?;
    let listener = Listener {
        source: source.clone(),
        endpoint,
        identify,
        renewed,
        handshakes: Handshakes::default(),
        sessions: TaskTracker::new(),
        shutdown: shutdown.clone(),
    };
    tasks.spawn(listener.run());
    Ok(address)
}

struct Listener<S> {
    source: S,
    endpoint: Endpoint,
    identify: Identify,
    renewed: Arc<Notify>,
    handshakes: Handshakes,
    sessions: TaskTracker,
    shutdown: CancellationToken,
}

impl<S: Source> Listener<S> {
    async fn run(self) {
        // Also without a notice that there is another certificate.
        let mut renewal = tokio::time::interval(Duration::from_secs(3_600));
        renewal.reset();
        loop {
            tokio::select! {
                () = self.shutdown.cancelled() => break,
                incoming = self.endpoint.accept() => match incoming {
                    Some(incoming) => self.admit(incoming),
                    None => break,
                },
                _ = renewal.tick() => self.renew(),
                () = self.renewed.notified() => self.renew(),
            }
        }
        self.endpoint.set_server_config(None);
        self.sessions.close();
        if timeout(Duration::from_millis(1_500), self.sessions.wait())
            .await
            .is_err()
        {
            tracing::debug!("edges did not leave in time");
        }
        self.endpoint
            .close(Close::GoingAway.code(), Close::GoingAway.reason());
        // A peer that is gone does not answer the closing.
        drop(timeout(Duration::from_millis(300), self.endpoint.wait_idle()).await);
    }

    /// Decides about a first packet, without waiting.
    fn admit(&self, incoming: Incoming) {
        if self.source.sight().is_lost() {
            // At once, so that the edge tries another replica.
            metrics::counter!("halyard_link_refused_total", "reason" => "unsighted").increment(1);
            return incoming.refuse();
        }
        let address = incoming.remote_address().ip();
        let Some(permit) = self.handshakes.begin(address) else {
            metrics::counter!("halyard_link_refused_total", "reason" => "busy").increment(1);
            return incoming.refuse();
        };
        if self.handshakes.are_many()
            && !incoming.remote_address_validated()
            && incoming.may_retry()
        {
            metrics::counter!("halyard_link_retries_total").increment(1);
            // It could only fail for an address that is already validated.
            drop(incoming.retry());
            return;
        }
        let (source, shutdown) = (self.source.clone(), self.shutdown.clone());
        self.sessions
            .spawn(async move { receive(source, incoming, permit, shutdown).await });
    }

    fn renew(&self) {
        let identity = (self.identify)().map_err(TlsError::Identity);
        match identity.and_then(|identity| tls::server_config(identity, &self.source)) {
            Ok(config) => self.endpoint.set_server_config(Some(config)),
            Err(error) => tracing::error!(
                error = chain(&error),
                "cannot renew the link's server certificate"
            ),
        }
    }
}

async fn receive<S: Source>(
    source: S,
    incoming: Incoming,
    permit: Handshake,
    shutdown: CancellationToken,
) {
    let remote = incoming.remote_address();
    let handshake = async { incoming.accept()?.await };
    let connection = match timeout(Duration::from_secs(10), handshake).await {
        Ok(Ok(connection)) => connection,
        Ok(Err(error)) => return refused_handshake(remote, &error),
        Err(_) => return refused_handshake(remote, &ConnectionError::TimedOut),
    };
    session::run(&source, connection, permit, shutdown).await;
}

/// Certificates that are expired or not from the authority end here, and edges that speak another version of the link.
fn refused_handshake(remote: SocketAddr, error: &ConnectionError) {
    let alert = match error {
        ConnectionError::TransportError(alert) => u64::from(alert.code),
        _ => 0,
    };
    // No version of the link is spoken by both sides.
    if alert == 0x178 {
        metrics::counter!("halyard_link_refused_total", "reason" => "version").increment(1);
        tracing::warn!(peer = %remote, "refused an edge that speaks another version of the link");
    } else if TLS_ALERTS.contains(&alert) {
        metrics::counter!("halyard_link_refused_total", "reason" => "certificate").increment(1);
        tracing::warn!(peer = %remote, error = chain(error), "refused a connection without a certificate of ours");
    } else {
        metrics::counter!("halyard_link_refused_total", "reason" => "handshake").increment(1);
        tracing::debug!(peer = %remote, error = chain(error), "a handshake failed");
    }
}
