//! TLS of the link: version 1.3, certificates of the link's own authority on both sides.
//!
//! A certificate of the authority opens the handshake; whether the edge it was issued to is still welcome is decided
//! after it, by fingerprint, so that revoking needs no lists.

mod authority;
mod store;

use std::{sync::Arc, time::Duration};

use aws_lc_rs::hmac;
use protocol::wire::{message, v1};
use quinn::{
    ConnectionId, ConnectionIdGenerator, EndpointConfig, IdleTimeout, ServerConfig,
    TransportConfig, VarInt, crypto::rustls::QuicServerConfig,
};
use rustls::{
    RootCertStore, server::WebPkiClientVerifier, time_provider::TimeProvider, version::TLS13,
};
use rustls_pki_types::UnixTime;
use serving::clock::Clock;
use time::OffsetDateTime;

use super::link::congestion::Bounded;

pub use self::authority::{Authority, AuthorityError, EdgeIdentity, fingerprint};

/// Before this time a server certificate needs not be renewed.
pub(super) const RENEW_AFTER: time::Duration = time::Duration::days(15);
/// Bytes of one link that were written and not yet acknowledged, in all its streams. Far more than the whole environments
/// under way can take, of each of which the edge admits 1.25 MB ahead of what it read: what is urgent always has room.
const SEND_WINDOW: u64 = 8 << 20;
/// Bytes of one stream of an edge that may be on their way. Also what an upload may put in the way of an acknowledgement:
/// half a second of a line of 1 Mbit/s.
const STREAM_WINDOW: VarInt = VarInt::from_u32(64 << 10);
/// An edge has one control stream.
const CONTROL_STREAMS: VarInt = VarInt::from_u32(1);
/// Uploads of an edge at the same time.
const UPLOADS: VarInt = VarInt::from_u32(1);
/// Enough for a greeting of hundreds of thousands of environments.
const RECEIVE_WINDOW: VarInt = VarInt::from_u32(1 << 20);
/// Longer than three heartbeats, which notice a dead peer first.
const IDLE: Duration = Duration::from_secs(45);
/// Bytes of a connection's id.
const ID_LENGTH: usize = 8;
/// Handshakes that wait to be looked at.
const WAITING_HANDSHAKES: usize = 1_024;

/// What the endpoint greets with, from a server certificate made now.
///
/// # Errors
/// When the authority is of no use.
pub(super) fn server_config(
    authority: &Authority,
    name: &str,
    clock: &Clock,
) -> Result<ServerConfig, TlsError> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(authority.certificate().clone())?;
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .build()?;
    let identity = authority.issue_server(name, clock.now())?;
    let mut tls =
        rustls::ServerConfig::builder_with_details(provider, Arc::new(Time(clock.clone())))
            .with_protocol_versions(&[&TLS13])?
            .with_client_cert_verifier(verifier)
            .with_single_cert(vec![identity.certificate], identity.key)?;
    tls.alpn_protocols = vec![message::ALPN.to_vec(), v1::ALPN.to_vec()];
    // Every handshake looks at the certificate again.
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
        .send_window(SEND_WINDOW)
        .congestion_controller_factory(Arc::new(Bounded))
        .datagram_receive_buffer_size(None)
        .max_idle_timeout(Some(IdleTimeout::try_from(IDLE).expect("45 s fit")));
    let mut config = ServerConfig::with_crypto(Arc::new(quic));
    config
        .transport_config(Arc::new(transport))
        .max_incoming(WAITING_HANDSHAKES);
    Ok(config)
}

/// What endpoints of the installation have in common: a process that was restarted recognises the connections of the one
/// before, and ends them at the first packet; their edges need not wait until they notice the silence.
pub(super) fn endpoint_config(authority: &Authority) -> EndpointConfig {
    let reset = hmac::Key::new(
        hmac::HMAC_SHA256,
        authority.derive("stateless resets").as_slice(),
    );
    let mut config = EndpointConfig::new(Arc::new(reset));
    // What has not the bit of QUIC is garbage then, see `link::datagrams`.
    config.grease_quic_bit(false);
    // The library's own ids carry a mark of the process; packets without it are dropped before a reset is thought of.
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

/// Why the endpoint cannot greet.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// No certificate.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The library refuses the certificates.
    #[error("the link's certificates cannot be used")]
    Tls(#[from] rustls::Error),
    /// The library refuses the authority.
    #[error("the link's authority cannot be used")]
    Verifier(#[from] rustls::server::VerifierBuilderError),
}

/// Certificates expire by the injected clock.
#[derive(Debug)]
struct Time(Clock);

impl TimeProvider for Time {
    fn current_time(&self) -> Option<UnixTime> {
        let since_1970 = self.0.now() - OffsetDateTime::UNIX_EPOCH;
        Some(UnixTime::since_unix_epoch(since_1970.try_into().ok()?))
    }
}
