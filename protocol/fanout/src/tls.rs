//! TLS of the link: version 1.3, with certificates of the link's own authority on both sides.
//!
//! A certificate of the authority completes the handshake; whether the edge it was issued to is still accepted is
//! decided afterwards, by fingerprint, so that revocation needs no lists.

use std::{error::Error, sync::Arc, time::Duration};

use aws_lc_rs::hmac;
use protocol::wire::message::{ALPN, SIGNING_ALPN};
use quinn::{
    Connection, ConnectionId, ConnectionIdGenerator, EndpointConfig, IdleTimeout, ServerConfig,
    TransportConfig, VarInt,
    crypto::rustls::{HandshakeData, QuicServerConfig},
};
use rustls::{
    RootCertStore, server::WebPkiClientVerifier, time_provider::TimeProvider, version::TLS13,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use sha2::{Digest as _, Sha256};

use crate::{Fingerprint, link::Bounded, source::Source};

/// Bytes of one stream from an edge that may be in flight. Also how much of an upload an acknowledgement may have to
/// wait for: half a second on a line of 1 Mbit/s.
const STREAM_WINDOW: VarInt = VarInt::from_u32(64 << 10);
/// An edge has one control stream.
const CONTROL_STREAMS: VarInt = VarInt::from_u32(1);
/// Concurrent uploads of an edge.
const UPLOADS: VarInt = VarInt::from_u32(1);
/// Enough for a greeting with hundreds of thousands of environments.
const RECEIVE_WINDOW: VarInt = VarInt::from_u32(1 << 20);
/// Bytes of a connection id.
const ID_LENGTH: usize = 8;

/// What an endpoint shows to edges, and whom it trusts.
#[derive(Debug)]
pub struct ServerIdentity {
    /// Its certificate, with those that lead to an authority.
    pub chain: Vec<CertificateDer<'static>>,
    /// The certificate's key.
    pub key: PrivateKeyDer<'static>,
    /// The authorities of the edges' certificates.
    pub roots: RootCertStore,
}

/// The endpoint's TLS and transport configuration.
///
/// # Errors
/// When the identity cannot be used.
pub(crate) fn server_config<S: Source>(
    identity: ServerIdentity,
    source: &S,
) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let roots = Arc::new(identity.roots);
    let verifier =
        WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider)).build()?;
    let mut tls =
        rustls::ServerConfig::builder_with_details(provider, Arc::new(Time(source.clone())))
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(verifier)
            .with_single_cert(identity.chain, identity.key)?;
    tls.alpn_protocols = ALPN.map(<[u8]>::to_vec).to_vec();
    // Every handshake checks the certificate again.
    tls.send_tls13_tickets = 0;
    tls.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});

    let quic = QuicServerConfig::try_from(tls)
        .expect("TLS 1.3 has the cipher suite that QUIC starts with");
    let mut transport = TransportConfig::default();
    transport
        .max_concurrent_bidi_streams(CONTROL_STREAMS)
        .max_concurrent_uni_streams(UPLOADS)
        .receive_window(RECEIVE_WINDOW)
        .stream_receive_window(STREAM_WINDOW)
        // Bytes written to one link and not acknowledged yet, over all streams. Far more than the whole environments in flight
        // can take, since the edge accepts only 1.25 MB of each ahead of what it has read: there is always room for what is
        // urgent.
        .send_window(8 << 20)
        .congestion_controller_factory(Arc::new(Bounded))
        .datagram_receive_buffer_size(None)
        // Longer than three heartbeats, which detect a dead peer first.
        .max_idle_timeout(Some(
            IdleTimeout::try_from(Duration::from_secs(45)).expect("45 s fit"),
        ));
    let mut config = ServerConfig::with_crypto(Arc::new(quic));
    config
        .transport_config(Arc::new(transport))
        .max_incoming(1_024);
    Ok(config)
}

/// With the same secret, a restarted process recognises the connections of its predecessor, and ends them at the first
/// packet, so that their edges need not wait until they notice the silence.
pub(crate) fn endpoint_config(reset_secret: &[u8; 32]) -> EndpointConfig {
    let reset = hmac::Key::new(hmac::HMAC_SHA256, reset_secret);
    let mut config = EndpointConfig::new(Arc::new(reset));
    // The library's own ids carry a mark of the process; packets without it would be dropped before a reset is
    // considered.
    config.cid_generator(|| Box::new(RandomIds));
    config
}

struct RandomIds;

impl ConnectionIdGenerator for RandomIds {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&rand::random::<[u8; ID_LENGTH]>())
    }

    fn cid_len(&self) -> usize {
        ID_LENGTH
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// Why the endpoint cannot be configured.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("there is no certificate for the link")]
    Identity(#[source] Box<dyn Error + Send + Sync>),
    #[error("the link's certificates cannot be used")]
    Tls(#[from] rustls::Error),
    #[error("the link's authorities cannot be used")]
    Verifier(#[from] rustls::server::VerifierBuilderError),
}

/// Has certificates expire when keys do: at a relay by the time of its control plane.
#[derive(Debug)]
struct Time<S>(S);

impl<S: Source> TimeProvider for Time<S> {
    fn current_time(&self) -> Option<UnixTime> {
        let since_1970 = Duration::from_millis(self.0.now_ms().try_into().ok()?);
        Some(UnixTime::since_unix_epoch(since_1970))
    }
}

/// Whether a connection speaks the version of the link with signatures.
#[must_use]
pub fn is_signing(connection: &Connection) -> bool {
    let handshake = connection.handshake_data();
    let handshake = handshake.and_then(|data| data.downcast::<HandshakeData>().ok());
    handshake.is_some_and(|data| data.protocol.as_deref() == Some(SIGNING_ALPN))
}

/// SHA-256 of a certificate.
#[must_use]
pub fn fingerprint(certificate: &CertificateDer<'_>) -> Fingerprint {
    Sha256::digest(certificate).into()
}
