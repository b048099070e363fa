//! Tokens that mean nothing by themselves: 64 hex digits of 32 random bytes, kept as their hash.

use rand::{TryRng, rngs::SysRng};
use sha2::{Digest, Sha256};

/// A token as it is handed out. It has no `Debug`, so that no log gets it.
pub(super) struct OpaqueToken(String);

impl OpaqueToken {
    /// A new one, from the operating system's generator.
    pub(super) fn random() -> Self {
        let mut bytes = [0; 32];
        SysRng
            .try_fill_bytes(&mut bytes)
            .expect("the operating system has random numbers");
        Self(hex::encode(bytes))
    }

    /// The text, for whom the token is made.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    pub(super) fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

/// What would be kept of a token with this text. Looking this up tells nothing by its time: 256 random bits need neither
/// a key nor a slower hash.
pub(super) fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}
