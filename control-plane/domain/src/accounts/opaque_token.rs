//! Tokens without content: 64 hex digits of 32 random bytes, stored as their hash.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use sha2::{Digest, Sha256};

/// A token as it is handed out. Without `Debug`, so that it cannot be logged.
pub(super) struct OpaqueToken(String);

impl OpaqueToken {
    /// Generates one.
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

/// The stored form of a token with this text. The time of looking it up reveals nothing: 256 random bits need neither a
/// key nor a slower hash.
pub(super) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
