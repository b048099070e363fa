//! Signatures of environments: proof that the control plane compiled what is held, whoever passed it on.
//!
//! A signature (Ed25519, RFC 8032) covers the environment, the version, everything in it, and when it was signed; not the way
//! there. So relays and edges that merge changes, or leave out the API keys, hand it on as it is, and cannot make one.

use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair as _, ParsedPublicKey};
use sha2::{Digest as _, Sha256};

use crate::{
    digest::ItemDigest,
    ids::EnvId,
    snapshot::Version,
    wire::codec::{Decode, Encode},
};

/// Bytes of a public key.
pub const PUBLIC_KEY: usize = 32;

/// The name in certificates of keys that sign. No edge is enrolled under it.
pub const SIGNER_NAME: &str = "halyard-signer";

/// What is signed begins with this, so that the signature is valid for nothing else.
const PURPOSE: &[u8; 24] = b"halyard environment v1\0\0";

/// How much earlier than what is held other contents may be signed: clocks of control planes differ.
const TOLERANCE_MS: i64 = 5 * 60 * 1_000;

/// What a signature covers, besides its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Which environment.
    pub env_id: EnvId,
    /// Its version.
    pub version: Version,
    /// Of everything but the API keys, see [`Lattice`](crate::lattice::Lattice).
    pub items: [u8; 32],
    /// Of the API keys, see [`keys_digest`].
    pub keys: [u8; 32],
}

/// Names a key: the first bytes of its SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Encode, Decode)]
pub struct KeyId(pub [u8; 8]);

/// The signature of one version of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Signature {
    /// The key that it was made with.
    pub key: KeyId,
    /// When, in Unix milliseconds by the database's clock.
    pub signed_at_ms: i64,
    /// The digest of the API keys, for those who are not given them.
    pub keys: [u8; 32],
    /// Ed25519.
    pub bytes: [u8; 64],
}

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is none.
    #[error("there is no signature")]
    Missing,
    /// None of the trusted keys made it.
    #[error("the signature is by a key that is not trusted")]
    Unknown,
    /// The contents are others, or those of another version or environment.
    #[error("the signature is not that of the contents")]
    Wrong,
    /// What is held was signed later.
    #[error("it was signed before what is held")]
    Older,
}

impl SignatureError {
    /// Its name in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::Wrong => "wrong",
            Self::Older => "older",
        }
    }
}

/// A key that makes signatures.
#[derive(Debug)]
pub struct SigningKey {
    pair: Ed25519KeyPair,
    id: KeyId,
}

/// A key that signatures are verified with.
#[derive(Clone, Debug)]
pub struct PublicKey {
    bytes: [u8; PUBLIC_KEY],
    parsed: ParsedPublicKey,
    id: KeyId,
}

/// The bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an Ed25519 key")]
pub struct BadKey;

impl SigningKey {
    /// The key that a seed of 32 random bytes stands for.
    ///
    /// # Errors
    /// When it has another length.
    pub fn from_seed(seed: &[u8]) -> Result<Self, BadKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| BadKey)?;
        let id = KeyId::of(pair.public_key().as_ref());
        Ok(Self { pair, id })
    }

    /// What verifies its signatures.
    #[must_use]
    pub fn public_key(&self) -> [u8; PUBLIC_KEY] {
        let bytes = self.pair.public_key().as_ref();
        bytes.try_into().expect("public keys have 32 bytes")
    }

    /// Its name.
    pub(crate) const fn id(&self) -> KeyId {
        self.id
    }

    /// Signs.
    #[must_use]
    pub fn sign(&self, contents: &Contents, now_ms: i64) -> Signature {
        Signature {
            key: self.id,
            signed_at_ms: now_ms,
            keys: contents.keys,
            bytes: self.sign_statement(&statement(contents, now_ms)),
        }
    }

    /// Signs bytes that say what they are.
    pub(crate) fn sign_statement(&self, statement: &[u8]) -> [u8; 64] {
        let signed = self.pair.sign(statement);
        let bytes = signed.as_ref().try_into();
        bytes.expect("signatures have 64 bytes")
    }
}

impl PublicKey {
    /// Reads a key.
    ///
    /// # Errors
    /// When the bytes are none.
    pub fn new(bytes: &[u8]) -> Result<Self, BadKey> {
        let parsed = ParsedPublicKey::new(&ED25519, bytes).map_err(|_| BadKey)?;
        let id = KeyId::of(bytes);
        let bytes = bytes.try_into().map_err(|_| BadKey)?;
        Ok(Self { bytes, parsed, id })
    }

    /// Its bytes.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; PUBLIC_KEY] {
        &self.bytes
    }

    /// Its name.
    #[must_use]
    pub const fn id(&self) -> KeyId {
        self.id
    }

    /// Whether the named one of some keys signed a statement.
    pub(crate) fn verify_statement(
        keys: &[Self],
        by: KeyId,
        statement: &[u8],
        bytes: &[u8; 64],
    ) -> Result<(), SignatureError> {
        let mut named = keys.iter().filter(|key| key.id == by).peekable();
        named.peek().ok_or(SignatureError::Unknown)?;
        named
            .any(|key| key.parsed.verify_sig(statement, bytes).is_ok())
            .then_some(())
            .ok_or(SignatureError::Wrong)
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for PublicKey {}

impl KeyId {
    fn of(public_key: &[u8]) -> Self {
        let hash: [u8; 32] = Sha256::digest(public_key).into();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        Self(first)
    }
}

impl Signature {
    /// Whether one of the keys signed the contents. Who holds no API keys takes [their digest](Self::keys) from here.
    ///
    /// # Errors
    /// When none did.
    pub fn verify(&self, contents: &Contents, keys: &[PublicKey]) -> Result<(), SignatureError> {
        let statement = statement(contents, self.signed_at_ms);
        PublicKey::verify_statement(keys, self.key, &statement, &self.bytes)
    }

    /// Whether contents with this signature may take the place of those with another one: nobody can go back to what was
    /// signed long before.
    ///
    /// # Errors
    /// When they were signed before, by more than clocks may differ.
    pub const fn may_replace(&self, held: &Self) -> Result<(), SignatureError> {
        if self.signed_at_ms >= held.signed_at_ms.saturating_sub(TOLERANCE_MS) {
            Ok(())
        } else {
            Err(SignatureError::Older)
        }
    }
}

/// The digest of API keys: SHA-256 of their hashes, in ascending order.
pub fn keys_digest(keys: impl IntoIterator<Item = ItemDigest>) -> [u8; 32] {
    let mut all: Vec<_> = keys.into_iter().map(ItemDigest::bytes).collect();
    all.sort_unstable();
    let hash = all
        .iter()
        .fold(Sha256::new(), |hash, key| hash.chain_update(key));
    hash.finalize().into()
}

/// What is signed.
fn statement(contents: &Contents, signed_at_ms: i64) -> [u8; 120] {
    let mut statement = [0; 120];
    let env_id = contents.env_id.uuid();
    let version = contents.version.to_le_bytes();
    let time = signed_at_ms.to_le_bytes();
    let parts: [&[u8]; 6] = [
        PURPOSE,
        env_id.as_bytes(),
        &version,
        &time,
        &contents.items,
        &contents.keys,
    ];
    let mut rest = &mut statement[..];
    for part in parts {
        let (place, after) = rest.split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = after;
    }
    statement
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_780_000_000_000;

    fn key(number: u8) -> SigningKey {
        SigningKey::from_seed(&[number; 32]).unwrap()
    }

    fn public(key: &SigningKey) -> PublicKey {
        PublicKey::new(&key.public_key()).unwrap()
    }

    fn contents() -> Contents {
        Contents {
            env_id: Uuid::from_u128(7).into(),
            version: 9,
            items: [1; 32],
            keys: [2; 32],
        }
    }

    /// RFC 8032, 7.1, the first test.
    #[test]
    fn keys_are_those_of_the_standard() {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = SigningKey::from_seed(&hex::decode(seed).unwrap()).unwrap();
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(hex::encode(key.public_key()), public);
        assert!(SigningKey::from_seed(&[1; 31]).is_err());
        assert_eq!(PublicKey::new(&[1; 31]).unwrap_err(), BadKey);
    }

    #[test]
    fn what_was_signed_is_accepted_by_the_key_alone() {
        let (ours, theirs) = (key(1), key(2));
        let signature = ours.sign(&contents(), NOW);
        let keys = [public(&theirs), public(&ours)];
        assert_eq!(signature.verify(&contents(), &keys), Ok(()));
        let others = signature.verify(&contents(), &keys[..1]);
        assert_eq!(others, Err(SignatureError::Unknown));
        let posing = Signature {
            key: keys[0].id(),
            ..signature
        };
        assert_eq!(
            posing.verify(&contents(), &keys),
            Err(SignatureError::Wrong)
        );
    }

    #[test]
    fn everything_that_is_signed_matters() {
        let signature = key(1).sign(&contents(), NOW);
        let keys = [public(&key(1))];
        let other_env = Contents {
            env_id: Uuid::from_u128(8).into(),
            ..contents()
        };
        let other_version = Contents {
            version: 8,
            ..contents()
        };
        let other_items = Contents {
            items: [3; 32],
            ..contents()
        };
        let other_keys = Contents {
            keys: [3; 32],
            ..contents()
        };
        for other in [other_env, other_version, other_items, other_keys] {
            let refused = signature.verify(&other, &keys);
            assert_eq!(refused, Err(SignatureError::Wrong), "{other:?}");
        }
        let later = Signature {
            signed_at_ms: NOW + 1,
            ..signature
        };
        assert_eq!(later.verify(&contents(), &keys), Err(SignatureError::Wrong));
    }

    #[test]
    fn what_was_signed_long_before_does_not_replace_anything() {
        let held = key(1).sign(&contents(), NOW);
        for (ago, may) in [
            (-1_000, Ok(())),
            (TOLERANCE_MS, Ok(())),
            (TOLERANCE_MS + 1, Err(SignatureError::Older)),
        ] {
            let next = key(2).sign(&contents(), NOW - ago);
            assert_eq!(next.may_replace(&held), may, "{ago}");
        }
    }
}
