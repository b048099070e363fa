//! An edge's request to renew its certificate (PKCS #10).
//!
//! Only the public key is used; the signature proves possession of the private one.

use rcgen::{CertificateSigningRequestParams, PKCS_ECDSA_P256_SHA256, PublicKey, PublicKeyData};

/// Bytes of a request. Ours have about 250.
const LONGEST: usize = 4_096;
/// Bytes of a public key on the curve P-256, uncompressed.
const KEY_LENGTH: usize = 65;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("the certificate request cannot be read, or its signature is wrong")]
    Unreadable,
    #[error("the key of a certificate request is on the curve P-256")]
    Key,
}

/// A public key from a signed request.
#[derive(Debug)]
pub struct RequestedKey(PublicKey);

impl RequestedKey {
    /// The key of a request (DER).
    ///
    /// # Errors
    /// When the request cannot be read, is not signed with its key, or the key is of another kind than ours.
    pub fn of(request: &[u8]) -> Result<Self, RequestError> {
        if request.len() > LONGEST {
            return Err(RequestError::Unreadable);
        }
        let request = CertificateSigningRequestParams::from_der(&request.into())
            .map_err(|_| RequestError::Unreadable)?;
        let key = request.public_key;
        if *key.algorithm() != PKCS_ECDSA_P256_SHA256 || key.der_bytes().len() != KEY_LENGTH {
            return Err(RequestError::Key);
        }
        Ok(Self(key))
    }

    pub(super) const fn public_key(&self) -> &PublicKey {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P384_SHA384, PKCS_ED25519};

    use super::*;

    fn request(key: &KeyPair) -> Vec<u8> {
        let params = CertificateParams::new(["edge-1".to_owned()]).unwrap();
        params.serialize_request(key).unwrap().der().to_vec()
    }

    #[test]
    fn the_key_of_a_request_is_its_own() {
        let key = KeyPair::generate().unwrap();
        let requested = RequestedKey::of(&request(&key)).unwrap();
        assert_eq!(requested.public_key().der_bytes(), key.der_bytes());
    }

    #[test]
    fn keys_of_other_kinds_are_refused() {
        for kind in [&PKCS_ECDSA_P384_SHA384, &PKCS_ED25519] {
            let key = KeyPair::generate_for(kind).unwrap();
            let refused = RequestedKey::of(&request(&key)).unwrap_err();
            assert_eq!(refused, RequestError::Key);
        }
    }

    #[test]
    fn bytes_that_are_no_request_are_refused_and_never_panic() {
        let whole = request(&KeyPair::generate().unwrap());
        for length in 0..whole.len() {
            assert!(RequestedKey::of(&whole[..length]).is_err(), "{length}");
        }
        for place in 0..whole.len() {
            for bit in 0..8 {
                let mut changed = whole.clone();
                changed[place] ^= 1 << bit;
                // Changing the encoding of a length may leave the signed data unchanged.
                if let Ok(requested) = RequestedKey::of(&changed) {
                    assert_eq!(requested.public_key().der_bytes().len(), KEY_LENGTH);
                }
            }
        }
        assert!(RequestedKey::of(&vec![0x30; LONGEST + 1]).is_err());
        assert!(RequestedKey::of(&vec![0x30; LONGEST]).is_err());
    }
}
