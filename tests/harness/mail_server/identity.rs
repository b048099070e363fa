//! What a mail server shows of itself when it encrypts.

use std::sync::Arc;

use rcgen::{Certificate, CertifiedKey};
use rustls::ServerConfig;
use tokio_rustls::TlsAcceptor;

/// A certificate and its key.
pub struct Identity {
    certificate: Certificate,
    key: Vec<u8>,
}

impl Identity {
    /// A certificate for `localhost` that vouches for itself.
    ///
    /// # Panics
    /// When there are no random numbers.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        Self {
            certificate: cert,
            key: signing_key.serialize_der(),
        }
    }

    /// The certificate, for whoever shall trust it.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.certificate.pem()
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let key = self.key.clone().try_into().expect("a key");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions of TLS that the provider knows")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.der().clone()], key)
            .expect("a certificate with its key");
        TlsAcceptor::from(Arc::new(config))
    }
}
