//! The link to edges over QUIC: the endpoint, and who is given a session.
//!
//! Strangers cost little: addresses are validated before handshakes when many arrive at once, handshakes are bounded in
//! number and time, and a peer without a certificate of the authority is disconnected after one. Datagrams that are not
//! QUIC are counted, and the library drops them without an answer.

mod certificates;
mod close;
pub(super) mod congestion;
mod datagrams;
mod dialect;
mod drain;
mod frames;
mod greeting;
mod handshakes;
mod lookups;
mod pushes;
mod renewals;
mod session;
mod unanswered;
mod uploads;

use std::{
    io,
    net::{SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use quinn::{ConnectionError, Endpoint, Incoming, Runtime, TokioRuntime};
use serving::error::chain;
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    close::Close,
    datagrams::Watched,
    handshakes::{Handshake, Handshakes},
};
use super::{
    Publisher,
    tls::{self, Authority, AuthorityError, TlsError},
};
use crate::config::PublishSettings;

/// Time for a handshake.
const PATIENCE: Duration = Duration::from_secs(10);
/// Time for sessions to say goodbye, and then for the closing to be sent.
const GOOD_BYE: Duration = Duration::from_millis(1_500);
const CLOSING: Duration = Duration::from_millis(300);
/// QUIC carries TLS alerts as codes in this range.
const TLS_ALERTS: std::ops::Range<u64> = 0x100..0x200;
/// How often the age of the server certificate is checked.
const RENEWAL: Duration = Duration::from_secs(3_600);

/// Why edges cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("cannot use the UDP socket for edges")]
    Socket(#[from] io::Error),
}

impl Publisher {
    /// Serves edges on a bound socket until `shutdown` is cancelled; then edges are asked to go elsewhere. Returns the
    /// socket's address.
    ///
    /// # Errors
    /// When there is no authority, or the socket cannot be used.
    pub async fn serve_edges(
        &self,
        socket: UdpSocket,
        settings: &PublishSettings,
        shutdown: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Result<SocketAddr, ServeError> {
        let authority = Authority::load(&self.0.db, settings, self.0.clock.now()).await?;
        let config = tls::server_config(&authority, &settings.quic_name, &self.0.clock)?;
        let socket = Arc::new(Watched(TokioRuntime.wrap_udp_socket(socket)?));
        let endpoint = Endpoint::new_with_abstract_socket(
            tls::endpoint_config(&authority),
            Some(config),
            socket,
            Arc::new(TokioRuntime),
        )?;
        let address = endpoint.local_addr()?;
        let listener = Listener {
            handle: self.clone(),
            endpoint,
            authority,
            name: settings.quic_name.clone(),
            handshakes: Handshakes::default(),
            sessions: TaskTracker::new(),
            shutdown: shutdown.clone(),
        };
        tasks.spawn(listener.run());
        Ok(address)
    }
}

struct Listener {
    handle: Publisher,
    endpoint: Endpoint,
    authority: Authority,
    name: String,
    handshakes: Handshakes,
    sessions: TaskTracker,
    shutdown: CancellationToken,
}

impl Listener {
    async fn run(self) {
        let mut renewal = tokio::time::interval(RENEWAL);
        let mut issued = self.handle.0.clock.now();
        loop {
            tokio::select! {
                () = self.shutdown.cancelled() => break,
                incoming = self.endpoint.accept() => match incoming {
                    Some(incoming) => self.admit(incoming),
                    None => break,
                },
                _ = renewal.tick() => {
                    let now = self.handle.0.clock.now();
                    if now - issued > tls::RENEW_AFTER && self.renew() {
                        issued = now;
                    }
                }
            }
        }
        self.endpoint.set_server_config(None);
        self.sessions.close();
        if timeout(GOOD_BYE, self.sessions.wait()).await.is_err() {
            tracing::debug!("edges did not leave in time");
        }
        self.endpoint
            .close(Close::GoingAway.code(), Close::GoingAway.reason());
        // A peer that is gone does not answer the closing.
        drop(timeout(CLOSING, self.endpoint.wait_idle()).await);
    }

    /// Decides about a first packet, without waiting.
    fn admit(&self, incoming: Incoming) {
        if self.handle.0.sight.is_lost() {
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
        let (handle, authority) = (self.handle.clone(), self.authority.clone());
        let shutdown = self.shutdown.clone();
        self.sessions
            .spawn(async move { serve(handle, authority, incoming, permit, shutdown).await });
    }

    fn renew(&self) -> bool {
        match tls::server_config(&self.authority, &self.name, &self.handle.0.clock) {
            Ok(config) => {
                self.endpoint.set_server_config(Some(config));
                true
            }
            Err(error) => {
                tracing::error!(
                    error = chain(&error),
                    "cannot renew the link's server certificate"
                );
                false
            }
        }
    }
}

async fn serve(
    handle: Publisher,
    authority: Authority,
    incoming: Incoming,
    permit: Handshake,
    shutdown: CancellationToken,
) {
    let remote = incoming.remote_address();
    let handshake = async { incoming.accept()?.await };
    let connection = match timeout(PATIENCE, handshake).await {
        Ok(Ok(connection)) => connection,
        Ok(Err(error)) => return refused_handshake(remote, &error),
        Err(_) => return refused_handshake(remote, &ConnectionError::TimedOut),
    };
    session::run(&handle, &authority, connection, permit, shutdown).await;
}

/// Certificates that are expired or not from the authority end here.
fn refused_handshake(remote: SocketAddr, error: &ConnectionError) {
    if let ConnectionError::TransportError(alert) = error
        && TLS_ALERTS.contains(&alert.code.into())
    {
        metrics::counter!("halyard_link_refused_total", "reason" => "certificate").increment(1);
        tracing::warn!(peer = %remote, error = chain(error), "refused a connection without a certificate of ours");
    } else {
        metrics::counter!("halyard_link_refused_total", "reason" => "handshake").increment(1);
        tracing::debug!(peer = %remote, error = chain(error), "a handshake failed");
    }
}
