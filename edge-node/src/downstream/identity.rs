//! The identity of a relay: its certificate is also that of a server.

use std::path::Path;

use protocol::wire::relay::SERVER_NAME;
use rustls_pki_types::CertificateDer;
use x509_parser::{certificate::X509Certificate, extensions::GeneralName};

use crate::identity::{Credentials, IdentityError, Unreadable};

/// Why an identity does not serve other edges.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotServer {
    /// It cannot be read.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Other edges would not accept it as a server.
    #[error("the certificate is not that of a relay")]
    NotRelay,
}

/// The identity with which this edge serves the link to others, who have to show a certificate of one of the same
/// authorities.
///
/// # Errors
/// When it cannot be read, or the certificate is not that of a relay.
pub(crate) fn server_identity(folder: &Path) -> Result<Credentials, NotServer> {
    let credentials = Credentials::read(folder)?;
    let own = credentials.pair.chain.first();
    let is_of_relay = own.ok_or(Unreadable).and_then(is_of_relay);
    if is_of_relay.map_err(IdentityError::from)? {
        Ok(credentials)
    } else {
        Err(NotServer::NotRelay)
    }
}

/// Whether edges accept a certificate as that of a relay, as far as its contents decide this.
fn is_of_relay(certificate: &CertificateDer<'_>) -> Result<bool, Unreadable> {
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate).map_err(|_| Unreadable)?;
    Ok(is_for_servers(&parsed)? && has_name_of_relays(&parsed)?)
}

fn is_for_servers(certificate: &X509Certificate<'_>) -> Result<bool, Unreadable> {
    let purposes = certificate.extended_key_usage().map_err(|_| Unreadable)?;
    Ok(purposes.is_some_and(|purposes| purposes.value.server_auth))
}

fn has_name_of_relays(certificate: &X509Certificate<'_>) -> Result<bool, Unreadable> {
    let names = certificate
        .subject_alternative_name()
        .map_err(|_| Unreadable)?;
    let is_name_of_relays = |name: &GeneralName<'_>| matches!(name, GeneralName::DNSName(name) if name.eq_ignore_ascii_case(SERVER_NAME));
    Ok(names.is_some_and(|names| names.value.general_names.iter().any(is_name_of_relays)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rcgen::{
        CertificateParams,
        ExtendedKeyUsagePurpose::{self, ClientAuth, ServerAuth},
        KeyPair,
    };
    use tempfile::TempDir;

    use super::*;
    use crate::identity::{AUTHORITY, CERTIFICATE, KEY};

    /// A folder with a certificate for these names and purposes.
    fn enrolled(names: &[&str], purposes: &[ExtendedKeyUsagePurpose]) -> TempDir {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.extended_key_usages = purposes.to_vec();
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let folder = TempDir::new().unwrap();
        for (file, text) in [
            (AUTHORITY, certificate.pem()),
            (CERTIFICATE, certificate.pem()),
            (KEY, key.serialize_pem()),
        ] {
            fs::write(folder.path().join(file), text).unwrap();
        }
        folder
    }

    #[test]
    fn a_relay_has_what_a_server_needs() {
        for name in [SERVER_NAME, "HALYARD-relay"] {
            let folder = enrolled(&["relay-1", name], &[ClientAuth, ServerAuth]);
            let Credentials { pair, roots } = server_identity(folder.path()).unwrap();
            assert_eq!((pair.chain.len(), roots.len()), (1, 1));
        }
    }

    #[test]
    fn an_edge_cannot_serve_the_link() {
        for (names, purposes) in [
            (&["edge-1"][..], &[ClientAuth][..]),
            (&["edge-1", SERVER_NAME], &[ClientAuth]),
            (&["edge-1", SERVER_NAME], &[]),
            (&["edge-1"], &[ClientAuth, ServerAuth]),
            (&["edge-1", "halyard-relay.example"], &[ServerAuth]),
            (&[], &[ServerAuth]),
        ] {
            let folder = enrolled(names, purposes);
            let refused = server_identity(folder.path()).unwrap_err();
            assert!(
                matches!(refused, NotServer::NotRelay),
                "{names:?} {purposes:?}: {refused}"
            );
            Credentials::read(folder.path()).unwrap();
        }
    }

    #[test]
    fn a_certificate_that_cannot_be_read_is_no_relays() {
        let nonsense = CertificateDer::from(vec![0xff; 40]);
        assert_eq!(is_of_relay(&nonsense), Err(Unreadable));
    }
}
