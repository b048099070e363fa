//! A key that this edge makes for its next certificate.

use rcgen::{CertificateParams, KeyPair, PublicKeyData};
use rustls_pki_types::CertificateDer;
use zeroize::Zeroizing;

use super::Unreadable;

/// A key that no certificate is issued for yet. It leaves this process only for the folder of the identity.
#[derive(Debug)]
pub(crate) struct NewKey(KeyPair);

impl NewKey {
    /// Makes one.
    ///
    /// # Errors
    /// When the system's generator fails.
    pub(crate) fn make() -> Result<Self, rcgen::Error> {
        Ok(Self(KeyPair::generate()?))
    }

    /// What proves to the control plane that this edge has the key (PKCS #10, DER). It names nobody: the control plane
    /// knows who asks.
    ///
    /// # Errors
    /// When signing fails.
    pub(crate) fn request(&self) -> Result<Vec<u8>, rcgen::Error> {
        let request = CertificateParams::default().serialize_request(&self.0)?;
        Ok(request.der().to_vec())
    }

    /// Whether a certificate is for this key.
    ///
    /// # Errors
    /// When it is no certificate.
    pub(crate) fn is_of(&self, certificate: &CertificateDer<'_>) -> Result<bool, Unreadable> {
        let (_, parsed) =
            x509_parser::parse_x509_certificate(certificate).map_err(|_| Unreadable)?;
        Ok(*parsed.public_key().subject_public_key.data == *self.0.der_bytes())
    }

    pub(super) fn pem(&self) -> Zeroizing<String> {
        Zeroizing::new(self.0.serialize_pem())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_for_one_key() {
        let (own, other) = (NewKey::make().unwrap(), NewKey::make().unwrap());
        let params = CertificateParams::new(["edge-1".to_owned()]).unwrap();
        let certificate = params.self_signed(&own.0).unwrap();
        assert_eq!(own.is_of(certificate.der()), Ok(true));
        assert_eq!(other.is_of(certificate.der()), Ok(false));
        let nonsense = CertificateDer::from(vec![0xff; 40]);
        assert_eq!(own.is_of(&nonsense), Err(Unreadable));
    }
}
