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
pub(super) struct ControlOrRelay(pub(super) Arc<WebPkiServerVerifier>);

/// Trusts these authorities, at least one.
pub(super) fn verifier(
    authorities: RootCertStore,
    provider: Arc<CryptoProvider>,
) -> Arc<WebPkiServerVerifier> {
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(authorities), provider);
    let verifier = verifier.build();
    verifier.expect("an identity names an authority, and there are no revocation lists")
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

    use rcgen::ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
    use time::OffsetDateTime;

    use super::*;
    use crate::upstream::authority::{Authority, NOW};

    const CONTROL: &str = "halyard-control";

    fn judges(
        authority: &Authority,
        certificate: &CertificateDer<'_>,
        at: OffsetDateTime,
    ) -> Judgement {
        let verifier = ControlOrRelay(authority.verifier());
        let name = ServerName::try_from(CONTROL).unwrap();
        let seconds = at.unix_timestamp().unsigned_abs();
        let at = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let judged = verifier.verify_server_cert(certificate, &[], &name, &[], at);
        judged.map(drop).map_err(|error| match error {
            Error::InvalidCertificate(error) => error,
            other => panic!("{other}"),
        })
    }

    type Judgement = Result<(), CertificateError>;

    fn relay(authority: &Authority) -> CertificateDer<'static> {
        authority.issue(&["relay-1", SERVER_NAME], &[ClientAuth, ServerAuth])
    }

    #[test]
    fn control_planes_and_relays_are_accepted() {
        let authority = Authority::new();
        let control = authority.issue(&[CONTROL], &[ServerAuth]);
        assert_eq!(judges(&authority, &control, NOW), Ok(()));
        assert_eq!(judges(&authority, &relay(&authority), NOW), Ok(()));
    }

    #[test]
    fn an_edge_is_refused_whatever_its_name() {
        let authority = Authority::new();
        for name in ["edge-1", SERVER_NAME, CONTROL] {
            let edge = authority.issue(&[name], &[ClientAuth]);
            let judged = judges(&authority, &edge, NOW);
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
                judges(&authority, &other, NOW)
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
            let judged = judges(&authority, &relay, NOW + time::Duration::days(away));
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
        let judged = judges(&ours, &relay(&theirs), NOW);
        let is_foreign = matches!(
            judged,
            Err(CertificateError::UnknownIssuer | CertificateError::BadSignature)
        );
        assert!(is_foreign, "{judged:?}");
    }
}
