//! Seals secrets that have to be read back: AES-256-GCM with keys derived from `APP_SECRET`.
//!
//! Each purpose has a key of its own, so that data sealed for one cannot be passed off as another's. Secrets that only have to be
//! recognised are hashed instead.

use std::fmt;

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey},
    hkdf::{HKDF_SHA256, KeyType, Salt},
};
use secrecy::{ExposeSecret, SecretString};
use uuid::Uuid;
use zeroize::Zeroizing;

/// Purposes of sealing, each with its own key. `halyard secret rotate` covers all stored data.
pub mod purpose {
    pub const LINK_AUTHORITY: &str = "link authority";
    /// Secrets of authenticators, and the key that backup codes are hashed with once it is kept.
    pub const MFA: &str = "mfa secrets";
    pub const WEBHOOKS: &str = "secrets of webhooks";
    /// Secrets of clients at the providers by which organizations sign in.
    pub const SIGN_IN_PROVIDERS: &str = "secrets of sign-in providers";
    /// Keys that sign what edges are sent.
    pub const SIGNING: &str = "keys that sign";
    pub const MAIL: &str = "mail that waits";
    /// Held by clients only; invalid under another secret.
    pub const LIVE: &str = "positions of events";
}

#[derive(Debug)]
pub struct Sealed {
    pub id: Uuid,
    pub sealed: Vec<u8>,
}

/// `list_sealed` and `update_sealed` of a table with a sealed column: the rows beyond an id in batches, locked, and their new values.
#[macro_export]
macro_rules! sealed_column {
    (list: $list:literal, update: $update:literal $(,)?) => {
        pub async fn list_sealed(
            conn: &mut sqlx::PgConnection,
            after: uuid::Uuid,
            limit: i64,
        ) -> $crate::db::Result<Vec<$crate::sealing::Sealed>> {
            Ok(
                sqlx::query_as!($crate::sealing::Sealed, $list, after, limit)
                    .fetch_all(conn)
                    .await?,
            )
        }

        pub async fn update_sealed(
            conn: &mut sqlx::PgConnection,
            ids: &[uuid::Uuid],
            sealed: &[&[u8]],
        ) -> $crate::db::Result<()> {
            sqlx::query!($update, ids, sealed as &[&[u8]])
                .execute(conn)
                .await?;
            Ok(())
        }
    };
}

/// First byte of sealed data, so that the format can be changed.
const VERSION: u8 = 1;
const KEY_LENGTH: usize = 32;

/// Sealed data cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("sealed under another APP_SECRET, or damaged")]
pub struct OpenError;

pub struct Sealer {
    key: RandomizedNonceKey,
    purpose: &'static str,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealer")
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

struct KeyLength;

impl KeyType for KeyLength {
    fn len(&self) -> usize {
        KEY_LENGTH
    }
}

impl Sealer {
    /// `purpose` names what is sealed; the key is derived from it.
    pub fn new(secret: &SecretString, purpose: &'static str) -> Self {
        let key = derive(secret.expose_secret().as_bytes(), purpose);
        let key = RandomizedNonceKey::new(&AES_256_GCM, key.as_slice())
            .expect("the key has the cipher's length");
        Self { key, purpose }
    }

    /// Seals; the result for the same bytes differs every time.
    pub fn seal(&self, plain: &[u8]) -> Vec<u8> {
        let mut sealed = plain.to_vec();
        let aad = Aad::from(self.purpose.as_bytes());
        let nonce = self
            .key
            .seal_in_place_append_tag(aad, &mut sealed)
            .expect("the operating system gives random bytes, and nothing sealed is near 64 GiB");
        let mut framed = vec![VERSION];
        framed.extend_from_slice(nonce.as_ref());
        framed.append(&mut sealed);
        framed
    }

    /// Opens data sealed for the same purpose with the same secret.
    ///
    /// # Errors
    /// When the secret or purpose differs, or the data was altered.
    pub fn open(&self, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, OpenError> {
        let (nonce, text) = match sealed.split_first() {
            Some((&VERSION, rest)) => rest.split_first_chunk::<NONCE_LEN>().ok_or(OpenError)?,
            _ => return Err(OpenError),
        };
        let mut text = Zeroizing::new(text.to_vec());
        let aad = Aad::from(self.purpose.as_bytes());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let length = self
            .key
            .open_in_place(nonce, aad, &mut text)
            .map_err(|_| OpenError)?
            .len();
        text.truncate(length);
        Ok(text)
    }
}

/// A key for one purpose, from a secret that serves several.
pub fn derive(secret: &[u8], purpose: &str) -> Zeroizing<[u8; KEY_LENGTH]> {
    let mut key = Zeroizing::new([0; KEY_LENGTH]);
    Salt::new(HKDF_SHA256, b"halyard sealing")
        .extract(secret)
        .expand(&[purpose.as_bytes()], KeyLength)
        .and_then(|derived| derived.fill(key.as_mut_slice()))
        .expect("HKDF gives up to 8160 bytes");
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealer(secret: &str, purpose: &'static str) -> Sealer {
        Sealer::new(&SecretString::from(secret), purpose)
    }

    #[test]
    fn what_was_sealed_opens_again() {
        let sealed = sealer("secret", "tests").seal(b"plain");
        assert_eq!(
            sealer("secret", "tests").open(&sealed).unwrap().as_slice(),
            b"plain"
        );
        assert_ne!(sealed, sealer("secret", "tests").seal(b"plain"));
    }

    #[test]
    fn another_secret_or_purpose_does_not_open_it() {
        let sealed = sealer("secret", "tests").seal(b"plain");
        assert!(sealer("other", "tests").open(&sealed).is_err());
        assert!(sealer("secret", "others").open(&sealed).is_err());
    }

    #[test]
    fn damage_is_noticed_wherever_it_is() {
        let sealer = sealer("secret", "tests");
        let sealed = sealer.seal(b"plain");
        for place in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[place] ^= 1;
            assert!(sealer.open(&damaged).is_err(), "byte {place}");
            assert!(sealer.open(&sealed[..place]).is_err(), "cut at {place}");
        }
    }
}
