//! From the name of an address to a connection, or to the reason why there is none.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use fanout::{frames::StreamError, is_signing};
use quinn::{Connection, ConnectionError, Endpoint, EndpointConfig, TransportErrorCode, VarInt};
use rustls::client::WebPkiServerVerifier;
use tokio::{net::lookup_host, time::timeout};

use super::{Identity, Upstream};
use crate::identity::IdentityError;

/// Why there is no connection, or no longer one.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("the address has no host")]
    Address,
    #[error("the address does not resolve, or no socket is available")]
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
    #[error("the control plane does not sign what it sends")]
    Unsigned,
    #[error("the control plane is silent")]
    Silent,
    /// Not a failure: carries the end of a drained connection to where it is handled apart.
    #[error("the control plane is going away")]
    Drained(Duration),
    /// Not a failure either: carries the connection that takes the place of this one.
    #[error("the certificate was renewed")]
    Renewed(Box<Link>),
}

impl SessionError {
    /// Whether the other side is there, but takes no connections now.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::Connection(ConnectionError::ConnectionClosed(close))
                if close.error_code == TransportErrorCode::CONNECTION_REFUSED
        )
    }
}

/// A connection with a socket of its own.
#[derive(Debug)]
pub(super) struct Link {
    endpoint: Endpoint,
    pub(super) connection: Connection,
    /// SHA-256 of the certificate that this edge showed.
    pub(super) certificate: [u8; 32],
    /// Whether the other side speaks the version with signatures.
    pub(super) is_signing: bool,
    /// Who issues the certificates of those who sign.
    pub(super) authority: Arc<WebPkiServerVerifier>,
}

/// Tries all addresses of a name in turn.
pub(super) async fn connect(upstream: &Upstream, address: &str) -> Result<Link, SessionError> {
    // Read for every attempt, so that a renewed certificate is used without a restart.
    let identity = Identity::read(&upstream.settings.identity)?;
    let mut failure = SessionError::Address;
    for remote in timeout(Duration::from_secs(5), lookup_host(address)).await?? {
        match attempt(upstream, &identity, remote).await {
            Ok(link) => return Ok(link),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Connects to where a link leads, if this edge has another certificate than the link was made with.
pub(super) async fn again(upstream: &Upstream, link: &Link) -> Result<Option<Link>, SessionError> {
    let identity = Identity::read(&upstream.settings.identity)?;
    if identity.fingerprint() == link.certificate {
        return Ok(None);
    }
    let remote = link.connection.remote_address();
    attempt(upstream, &identity, remote).await.map(Some)
}

async fn attempt(
    upstream: &Upstream,
    identity: &Identity,
    remote: SocketAddr,
) -> Result<Link, SessionError> {
    let any: SocketAddr = match remote {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let endpoint = Endpoint::new(
        EndpointConfig::default(),
        None,
        UdpSocket::bind(any)?,
        Arc::clone(&upstream.runtime),
    )?;
    let config = identity.config().clone();
    let connecting = endpoint.connect_with(config, remote, &upstream.settings.server_name)?;
    // The name's next address may do better.
    let connection = timeout(Duration::from_secs(3), connecting).await??;
    serving::trace::serve_below(identity.fingerprint());
    Ok(Link {
        endpoint,
        is_signing: is_signing(&connection),
        connection,
        certificate: identity.fingerprint(),
        authority: Arc::clone(identity.authority()),
    })
}

impl Link {
    /// Closes the connection, so that the control plane does not wait for acknowledgements of an edge that is gone.
    pub(super) async fn close(self) {
        self.connection.close(VarInt::from_u32(0), b"");
        // Best effort: the control plane would notice the silence as well, only later.
        drop(timeout(Duration::from_millis(500), self.endpoint.wait_idle()).await);
    }
}
