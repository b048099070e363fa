//! Whom this edge accepts at the other end of its link: control planes and relays.

use std::sync::Arc;

use protocol::wire::relay::SERVER_NAME;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::CryptoProvider,
};
use rustls_pki_types::{CertificateDer, DnsName, ServerName, UnixTime};

/// Accepts certificates of servers for the name that is asked for, which is that of control planes, and for the name of
/// all relays. Those of plain edges are none of servers, whatever their names.
#[derive(Debug)]
pub(super) struct ControlOrRelay(Arc<WebPkiServerVerifier>);

impl ControlOrRelay {
    /// Trusts these authorities, at least one.
    pub(super) fn new(authorities: RootCertStore, provider: Arc<CryptoProvider>) -> Self {
        let verifier =
            WebPkiServerVerifier::builder_with_provider(Arc::new(authorities), provider).build();
        Self(verifier.expect("an identity names an authority, and there are no revocation lists"))
    }
}

impl ServerCertVerifier for ControlOrRelay {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verify = |name: &ServerName<'_>| {
            let response = ocsp_response;
            self.0
                .verify_server_cert(end_entity, intermediates, name, response, now)
        };
        match verify(server_name) {
            Err(
                refused @ Error::InvalidCertificate(
                    CertificateError::NotValidForName
                    | CertificateError::NotValidForNameContext { .. },
                ),
            ) => {
                let relay = DnsName::try_from(SERVER_NAME).expect("a name of the DNS");
                verify(&ServerName::DnsName(relay)).map_err(|_| refused)
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rcgen::{
        BasicConstraints, CertificateParams,
        ExtendedKeyUsagePurpose::{self, ClientAuth, ServerAuth},
        IsCa, Issuer, KeyPair,
    };
    use time::{OffsetDateTime, macros::datetime};

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);
    const CONTROL: &str = "halyard-control";

    struct Authority(Issuer<'static, KeyPair>, CertificateDer<'static>);

    impl Authority {
        fn new() -> Self {
            let mut params = CertificateParams::default();
            params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
            let key = KeyPair::generate().unwrap();
            let certificate = params.self_signed(&key).unwrap().into();
            Self(Issuer::new(params, key), certificate)
        }

        /// A certificate for these names and purposes, from yesterday until tomorrow.
        fn issue(
            &self,
            names: &[&str],
            purposes: &[ExtendedKeyUsagePurpose],
        ) -> CertificateDer<'static> {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            let mut params = CertificateParams::new(names).unwrap();
            params.not_before = NOW - time::Duration::DAY;
            params.not_after = NOW + time::Duration::DAY;
            params.extended_key_usages = purposes.to_vec();
            let key = KeyPair::generate().unwrap();
            params.signed_by(&key, &self.0).unwrap().into()
        }

        fn judges(&self, certificate: &CertificateDer<'_>, at: OffsetDateTime) -> Judgement {
            let mut roots = RootCertStore::empty();
            roots.add(self.1.clone()).unwrap();
            let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
            let verifier = ControlOrRelay::new(roots, provider);
            let name = ServerName::try_from(CONTROL).unwrap();
            let seconds = at.unix_timestamp().unsigned_abs();
            let at = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            let judged = verifier.verify_server_cert(certificate, &[], &name, &[], at);
            judged.map(drop).map_err(|error| match error {
                Error::InvalidCertificate(error) => error,
                other => panic!("{other}"),
            })
        }
    }

    type Judgement = Result<(), CertificateError>;

    fn relay(authority: &Authority) -> CertificateDer<'static> {
        authority.issue(&["relay-1", SERVER_NAME], &[ClientAuth, ServerAuth])
    }

    #[test]
    fn control_planes_and_relays_are_accepted() {
        let authority = Authority::new();
        let control = authority.issue(&[CONTROL], &[ServerAuth]);
        assert_eq!(authority.judges(&control, NOW), Ok(()));
        assert_eq!(authority.judges(&relay(&authority), NOW), Ok(()));
    }

    #[test]
    fn an_edge_is_refused_whatever_its_name() {
        let authority = Authority::new();
        for name in ["edge-1", SERVER_NAME, CONTROL] {
            let edge = authority.issue(&[name], &[ClientAuth]);
            let judged = authority.judges(&edge, NOW);
            assert!(
                matches!(
                    judged,
                    Err(CertificateError::InvalidPurpose
                        | CertificateError::InvalidPurposeContext { .. })
                ),
                "{name}: {judged:?}"
            );
        }
    }

    #[test]
    fn a_server_of_another_name_is_refused_as_not_the_control_plane() {
        let authority = Authority::new();
        for name in ["relay-1", "halyard-relay.example", "halyard"] {
            let other = authority.issue(&[name], &[ClientAuth, ServerAuth]);
            let Err(CertificateError::NotValidForNameContext { expected, .. }) =
                authority.judges(&other, NOW)
            else {
                panic!("{name} is accepted, or refused for another reason")
            };
            assert_eq!(expected.to_str(), CONTROL);
        }
    }

    #[test]
    fn a_relay_is_refused_before_and_after_its_time() {
        let authority = Authority::new();
        let relay = relay(&authority);
        for away in [-2, 2] {
            let judged = authority.judges(&relay, NOW + time::Duration::days(away));
            let is_untimely = matches!(
                judged,
                Err(CertificateError::ExpiredContext { .. }
                    | CertificateError::NotValidYetContext { .. })
            );
            assert!(is_untimely, "{away}: {judged:?}");
        }
    }

    #[test]
    fn a_relay_of_another_authority_is_refused() {
        let (ours, theirs) = (Authority::new(), Authority::new());
        let judged = ours.judges(&relay(&theirs), NOW);
        let is_foreign = matches!(
            judged,
            Err(CertificateError::UnknownIssuer | CertificateError::BadSignature)
        );
        assert!(is_foreign, "{judged:?}");
    }
}
