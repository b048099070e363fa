//! Codes for a lost authenticator: shown once, stored as keyed hashes, valid for one use each.

use hmac::{Hmac, KeyInit, Mac};
use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use zeroize::Zeroizing;

use base::sealing;

pub const PURPOSE: &str = "mfa backup codes";

const LENGTH: usize = 8;
const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// A backup code: eight lower-case letters and digits.
pub(super) struct BackupCode(String);

impl BackupCode {
    /// The codes of one enrolment.
    ///
    /// # Panics
    /// When the operating system cannot provide random numbers.
    pub(super) fn generate_set() -> Vec<Self> {
        (0..10).map(|_| Self::generate()).collect()
    }

    fn generate() -> Self {
        let mut random = UnwrapErr(SysRng);
        let characters = (0..LENGTH).map(|_| ALPHABET[random.random_range(0..ALPHABET.len())]);
        Self(characters.map(char::from).collect())
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let is_code = text.len() == LENGTH && text.bytes().all(|byte| ALPHABET.contains(&byte));
        is_code.then(|| Self(text.to_owned()))
    }
}

impl From<BackupCode> for String {
    fn from(code: BackupCode) -> Self {
        code.0
    }
}

/// Hashes backup codes with a key derived from `APP_SECRET`: with only 41 bits, they could otherwise be brute-forced from a
/// stolen hash.
#[derive(Clone)]
pub(super) struct BackupCodes {
    key: Zeroizing<[u8; 32]>,
}

impl BackupCodes {
    pub(super) fn new(app_secret: &SecretString) -> Self {
        let key = sealing::derive(app_secret.expose_secret().as_bytes(), PURPOSE);
        Self { key }
    }

    /// With a previously derived key. `None` if malformed.
    pub(super) fn kept(key: &[u8]) -> Option<Self> {
        let key = Zeroizing::new(key.try_into().ok()?);
        Some(Self { key })
    }

    /// The stored form of a code. Looked up without a constant-time comparison: without the key its prefix cannot be chosen.
    pub(super) fn hash(&self, code: &BackupCode) -> Vec<u8> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_slice())
            .expect("HMAC takes keys of any length");
        mac.update(code.0.as_bytes());
        mac.finalize().into_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_set_is_ten_different_codes_that_can_be_read_again() {
        let texts: BTreeSet<String> = BackupCode::generate_set()
            .into_iter()
            .map(String::from)
            .collect();
        assert_eq!(texts.len(), 10);
        for text in &texts {
            assert!(BackupCode::parse(text).is_some(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_codes() {
        for text in [
            "",
            "abcdefg",
            "abcdefgh9",
            "ABCDEFGH",
            "abcd-efg",
            "äbcdefg",
        ] {
            assert!(BackupCode::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_hash_depends_on_code_and_secret() {
        let hash = |secret: &str, code: &str| {
            let codes = BackupCodes::new(&SecretString::from(secret));
            codes.hash(&BackupCode::parse(code).unwrap())
        };
        let one = hash("secret", "abcdefgh");
        assert_eq!(one, hash("secret", "abcdefgh"));
        assert_ne!(one, hash("other", "abcdefgh"));
        assert_ne!(one, hash("secret", "abcdefg1"));
    }
}
