//! Tokens without content: 64 hex digits of 32 random bytes, stored as their hash.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use sha2::{Digest, Sha256};

/// Without `Debug`, so that it cannot be logged.
pub(super) struct OpaqueToken(String);

impl OpaqueToken {
    pub(super) fn random() -> Self {
        let bytes: [u8; 32] = UnwrapErr(SysRng).random();
        Self(hex::encode(bytes))
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The stored form.
    pub(super) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

/// The stored form of a token. Looking it up is not timing-sensitive: 256 random bits need neither a key nor a slower hash.
pub(super) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
