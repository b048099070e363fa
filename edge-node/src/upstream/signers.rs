//! Whose signatures the contents of a link have.
//!
//! The other side names the keys by certificates of the installation's authority, under a name that nobody can be enrolled
//! with, so a relay that lies can name no others.

use std::{sync::Arc, time::Duration};

use protocol::{
    rehearsal::{MOST as MOST_REHEARSALS, Running},
    signature::{PublicKey, SIGNER_NAME, SignatureError},
    timestamp::Stamped,
    wire::message::ControlMessage,
};
use rustls::client::{WebPkiServerVerifier, danger::ServerCertVerifier as _};
use rustls_pki_types::{CertificateDer, DnsName, ServerName, UnixTime};
use serving::error::chain;
use tokio::task::spawn_blocking;
use x509_parser::oid_registry::OID_SIG_ED25519;

use super::{Signatures, Upstream, connect::SessionError, session::Session};

/// There are two while one takes the place of another.
const MOST: usize = 16;
/// Bytes of a certificate.
const LONGEST: usize = 4 << 10;

/// Those whose certificates are valid.
#[derive(Debug, Default)]
pub(super) struct Signers {
    /// DER.
    pub(super) certificates: Vec<Vec<u8>>,
    pub(super) keys: Vec<PublicKey>,
}

/// Why a certificate is none of a key that signs.
#[derive(Debug, thiserror::Error)]
enum NotSigner {
    #[error("it is not valid for that")]
    Certificate(#[from] rustls::Error),
    #[error("it cannot be read")]
    Unreadable,
    #[error("its key is not one of Ed25519")]
    Key,
}

impl Signers {
    /// Those among the certificates that a message names; the others are logged.
    pub(super) fn verified(
        message: ControlMessage,
        authority: &WebPkiServerVerifier,
        now_ms: i64,
    ) -> Result<Self, SessionError> {
        let ControlMessage::Signers { certificates } = message else {
            return Err(SessionError::OutOfOrder);
        };
        let is_long = |certificate: &Vec<u8>| certificate.len() > LONGEST;
        if certificates.len() > MOST || certificates.iter().any(is_long) {
            return Err(SessionError::OutOfOrder);
        }
        let mut signers = Self::default();
        for certificate in certificates {
            match key(&certificate, authority, now_ms) {
                Ok(key) => {
                    signers.keys.push(key);
                    signers.certificates.push(certificate);
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(error, "the certificate of a signer is left out");
                }
            }
        }
        Ok(signers)
    }
}

fn key(
    certificate: &[u8],
    authority: &WebPkiServerVerifier,
    now_ms: i64,
) -> Result<PublicKey, NotSigner> {
    let name = DnsName::try_from(SIGNER_NAME).expect("a name of the DNS");
    let now_ms = u64::try_from(now_ms).unwrap_or(0);
    let now = UnixTime::since_unix_epoch(Duration::from_millis(now_ms));
    let certificate = CertificateDer::from(certificate);
    authority.verify_server_cert(&certificate, &[], &ServerName::DnsName(name), &[], now)?;
    let (_, parsed) =
        x509_parser::parse_x509_certificate(&certificate).map_err(|_| NotSigner::Unreadable)?;
    let key = parsed.public_key();
    if key.algorithm.algorithm != OID_SIG_ED25519 {
        return Err(NotSigner::Key);
    }
    PublicKey::new(&key.subject_public_key.data).map_err(|_| NotSigner::Key)
}

impl Upstream {
    /// Whether what these sign, or nobody where there are none, may be received.
    pub(super) fn check(&self, signers: &Signers) -> Result<(), SessionError> {
        let is_required = self.settings.signatures == Signatures::Required;
        if is_required && signers.keys.is_empty() {
            return Err(SessionError::Unsigned);
        }
        Ok(())
    }

    /// From now on, what comes must have one of their signatures, here and at the edges below.
    pub(super) fn trust(&self, signers: Signers) {
        self.downstream.signers(signers.certificates);
        self.edge.trust(signers.keys);
    }
}

impl Session<'_> {
    /// Takes other signers. Who signed once does not cease to within a session: the next one may begin without.
    pub(super) fn take_signers(&self, message: ControlMessage) -> Result<(), SessionError> {
        if !self.link.is_signing {
            return Err(SessionError::OutOfOrder);
        }
        let now_ms = self.upstream.edge.parts().clock.now_ms();
        let signers = Signers::verified(message, &self.link.authority, now_ms)?;
        self.upstream.check(&signers)?;
        if signers.keys.is_empty() && self.upstream.edge.parts().current.are_signatures_due() {
            return Err(SessionError::Unsigned);
        }
        self.upstream.trust(signers);
        self.signers_changed.notify_one();
        Ok(())
    }

    /// Takes a timestamp. One that nobody trusted has signed changes nothing.
    pub(super) async fn take_timestamp(&self, stamped: Stamped) -> Result<(), SessionError> {
        if !self.link.is_signing {
            return Err(SessionError::OutOfOrder);
        }
        let edge = self.upstream.edge.clone();
        // It takes a while for many environments.
        let taken = spawn_blocking(move || {
            let register = edge
                .parts()
                .current
                .verify_timestamp(stamped)?
                .map(Arc::new);
            if let Some(register) = &register {
                edge.stamp(Arc::clone(register));
            }
            Ok(register)
        });
        match taken.await {
            Ok(Ok(Some(register))) => self.upstream.downstream.timestamp(register),
            Ok(Ok(None)) | Err(_) => {}
            Ok(Err(reason)) => refused(reason),
        }
        Ok(())
    }

    /// Takes the rehearsals that go on. One that nobody trusted has signed does not begin, here or below.
    pub(super) fn take_rehearsals(&self, all: &[Running]) -> Result<(), SessionError> {
        if !self.link.is_signing || all.len() > MOST_REHEARSALS {
            return Err(SessionError::OutOfOrder);
        }
        let running = self.upstream.edge.take_rehearsals(all);
        self.upstream.downstream.rehearsals(running);
        Ok(())
    }
}

fn refused(reason: SignatureError) {
    metrics::counter!("halyard_edge_refused_signatures_total", "reason" => reason.name())
        .increment(1);
    tracing::debug!(%reason, "a timestamp was refused");
}

#[cfg(test)]
mod tests {
    use rcgen::{
        CertificateParams,
        ExtendedKeyUsagePurpose::{self, ClientAuth, ServerAuth},
        KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_ED25519, SignatureAlgorithm,
    };

    use super::*;
    use crate::upstream::authority::{Authority, NOW};

    struct Issued {
        certificate: Vec<u8>,
        public_key: Vec<u8>,
    }

    fn issue(
        authority: &Authority,
        name: &str,
        purpose: ExtendedKeyUsagePurpose,
        algorithm: &'static SignatureAlgorithm,
    ) -> Issued {
        let key = KeyPair::generate_for(algorithm).unwrap();
        Issued {
            certificate: authority.issue_for(&key, &[name], &[purpose]).to_vec(),
            public_key: key.public_key_raw().to_vec(),
        }
    }

    fn signer(authority: &Authority) -> Issued {
        issue(authority, SIGNER_NAME, ServerAuth, &PKCS_ED25519)
    }

    fn verified(
        authority: &Authority,
        certificates: Vec<Vec<u8>>,
        days: i64,
    ) -> Result<Signers, SessionError> {
        let now = NOW + time::Duration::days(days);
        let verifier = authority.verifier();
        let message = ControlMessage::Signers { certificates };
        Signers::verified(message, &verifier, now.unix_timestamp() * 1_000)
    }

    #[test]
    fn signers_are_those_whose_certificates_are_valid() {
        let (ours, theirs) = (Authority::new(), Authority::new());
        let (first, second) = (signer(&ours), signer(&ours));
        let others = [
            signer(&theirs),
            issue(&ours, SIGNER_NAME, ServerAuth, &PKCS_ECDSA_P256_SHA256),
            issue(&ours, SIGNER_NAME, ClientAuth, &PKCS_ED25519),
            issue(&ours, "edge-1", ServerAuth, &PKCS_ED25519),
            issue(&ours, "halyard-relay", ServerAuth, &PKCS_ED25519),
        ];
        let own = CertificateParams::new(vec![SIGNER_NAME.to_owned()]).unwrap();
        let own = own.self_signed(&KeyPair::generate_for(&PKCS_ED25519).unwrap());
        let mut certificates = vec![first.certificate.clone(), own.unwrap().der().to_vec()];
        certificates.extend(others.into_iter().map(|other| other.certificate));
        certificates.extend([vec![0xff; 40], Vec::new(), second.certificate.clone()]);

        let signers = verified(&ours, certificates, 0).unwrap();
        let keys: Vec<_> = signers
            .keys
            .iter()
            .map(|key| key.bytes().to_vec())
            .collect();
        assert_eq!(keys, [first.public_key, second.public_key]);
        assert_eq!(
            signers.certificates,
            [first.certificate, second.certificate]
        );
    }

    #[test]
    fn a_signer_is_none_before_and_after_its_time() {
        let authority = Authority::new();
        for (days, count) in [(-2, 0), (0, 1), (2, 0)] {
            let certificates = vec![signer(&authority).certificate];
            let signers = verified(&authority, certificates, days).unwrap();
            assert_eq!(signers.keys.len(), count, "{days}");
        }
    }

    #[test]
    fn more_than_anybody_names_ends_the_session() {
        let authority = Authority::new();
        for certificates in [vec![Vec::new(); 17], vec![vec![0; 4_097]]] {
            let refused = verified(&authority, certificates, 0);
            assert!(matches!(refused, Err(SessionError::OutOfOrder)));
        }
        let most = vec![vec![0; 4_096]; 16];
        assert!(verified(&authority, most, 0).unwrap().keys.is_empty());
        let other = ControlMessage::Drain { retry_after_ms: 0 };
        let refused = Signers::verified(other, &authority.verifier(), 0);
        assert!(matches!(refused, Err(SessionError::OutOfOrder)));
    }
}
