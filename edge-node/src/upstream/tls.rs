//! TLS of the link: the identity of this edge, and whom it trusts.

use std::{path::Path, sync::Arc, time::Duration};

use protocol::wire::message::ALPN;
use quinn::{ClientConfig, TransportConfig, VarInt, crypto::rustls::QuicClientConfig};
use rustls::{client::WebPkiServerVerifier, version::TLS13};
use sha2::{Digest as _, Sha256};

use super::trust::{ControlOrRelay, verifier};
use crate::identity::{Credentials, IdentityError, Pair};

/// Pushes received concurrently; the control plane holds the others back. A stream is counted until a round trip after its
/// end, so this bounds how many small environments arrive in a round trip.
const CONCURRENT_PUSHES: VarInt = VarInt::from_u32(1_024);
/// Bytes of one push that may be in flight before they are read. Two such windows are well below what the control plane
/// keeps in flight at a time, so there is always room for small pushes.
const PUSH_WINDOW: VarInt = VarInt::from_u32(1_250_000);

/// An identity that was read successfully.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    config: ClientConfig,
    fingerprint: [u8; 32],
    authority: Arc<WebPkiServerVerifier>,
}

impl Identity {
    /// Reads the folder.
    ///
    /// # Errors
    /// When a file is missing or unreadable, or the key does not match the certificate.
    pub(crate) fn read(folder: &Path) -> Result<Self, IdentityError> {
        let Credentials { pair, roots } = Credentials::read(folder)?;
        let Pair { chain, key } = pair;
        let fingerprint = Sha256::digest(&chain[0]).into();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let authority = verifier(roots, Arc::clone(&provider));
        let trust = ControlOrRelay(Arc::clone(&authority));
        let mut tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])?
            // The library's own verifier, asked about two names.
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(trust))
            .with_client_auth_cert(chain, key)?;
        tls.alpn_protocols = ALPN.map(<[u8]>::to_vec).to_vec();

        let quic = QuicClientConfig::try_from(tls)
            .expect("TLS 1.3 has the cipher suite that QUIC starts with");
        let mut config = ClientConfig::new(Arc::new(quic));
        let mut transport = TransportConfig::default();
        transport
            .max_concurrent_uni_streams(CONCURRENT_PUSHES)
            .stream_receive_window(PUSH_WINDOW)
            // The edge opens the only bidirectional stream.
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            // Keeps a quiet connection from being taken for a dead one.
            .keep_alive_interval(Some(Duration::from_millis(1_500)))
            // Without a packet for this long a killed process is noticed. The link's own heartbeats detect a peer that is
            // reachable but stuck.
            .max_idle_timeout(Some(
                Duration::from_secs(5).try_into().expect("five seconds fit"),
            ));
        config.transport_config(Arc::new(transport));
        Ok(Self {
            config,
            fingerprint,
            authority,
        })
    }

    pub(super) fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Who has issued all that this edge trusts.
    pub(super) const fn authority(&self) -> &Arc<WebPkiServerVerifier> {
        &self.authority
    }

    /// SHA-256 of the edge's certificate.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }
}
