//! An API key as the API shows it, and its text, which is shown only once.

use protocol::{
    api_key::{CLIENT_PREFIX, RANDOM_BYTES, SERVER_PREFIX},
    snapshot::KeyHash,
};
use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use serde::Serialize;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::{ids::ApiKeyId, input::Invalid};

/// Bytes of a key in a compiled environment: hash, id, end, and overhead.
pub const COMPILED_BYTES: i64 = 64;

/// An API key, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The first 12 characters of its text.
    pub key_prefix: String,
    /// What people call it.
    pub name: String,
    /// Who it is for.
    #[serde(rename = "type")]
    pub key_type: KeyType,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was last used, to the minute.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub last_used_at: Option<OffsetDateTime>,
    /// When it ends; `null` for never.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub expires_at: Option<OffsetDateTime>,
    /// When it was revoked.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub revoked_at: Option<OffsetDateTime>,
}

impl ApiKey {
    pub fn new(
        text: &KeyText,
        name: String,
        key_type: KeyType,
        expires_at: Option<OffsetDateTime>,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id: ApiKeyId::new(now),
            key_prefix: text.display_prefix().to_owned(),
            name,
            key_type,
            created_at: now,
            last_used_at: None,
            expires_at,
            revoked_at: None,
        }
    }
}

/// Who a key is for. Both read the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum KeyType {
    /// For servers, which can keep a secret.
    #[default]
    Server,
    /// For browsers and apps, which cannot.
    Client,
}

impl KeyType {
    /// Checks the field `type` of a body; `server` if missing.
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            None | Some("server") => Ok(Self::Server),
            Some("client") => Ok(Self::Client),
            Some(_) => Err(Invalid::new("type must be server or client")),
        }
    }

    const fn prefix(self) -> &'static str {
        match self {
            Self::Server => SERVER_PREFIX,
            Self::Client => CLIENT_PREFIX,
        }
    }
}

/// The text of a key, in the form that [`protocol::api_key`] describes. Without `Debug`, so that it cannot be logged.
pub struct KeyText(String);

impl KeyText {
    pub fn random(key_type: KeyType) -> Self {
        let bytes: [u8; RANDOM_BYTES] = UnwrapErr(SysRng).random();
        Self::new(key_type, bytes)
    }

    /// A key of these bytes, which must be secret.
    pub fn new(key_type: KeyType, bytes: [u8; RANDOM_BYTES]) -> Self {
        Self(format!("{}{}", key_type.prefix(), hex::encode(bytes)))
    }

    /// The stored form. 192 random bits need no slower hash.
    pub fn hash(&self) -> KeyHash {
        Sha256::digest(self.0.as_bytes()).into()
    }

    pub fn display_prefix(&self) -> &str {
        &self.0[..12]
    }

    /// The text, for the only answer that shows it.
    pub fn reveal(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_texts_reveal_only_their_type() {
        let text = KeyText::new(KeyType::Client, [0xab; 24]);
        assert_eq!(text.display_prefix(), "cli_abababab");
        assert_eq!(
            text.hash(),
            <KeyHash>::from(Sha256::digest(format!("cli_{}", "ab".repeat(24))))
        );
        assert_eq!(text.reveal(), format!("cli_{}", "ab".repeat(24)));
    }

    #[test]
    fn no_two_keys_are_equal() {
        let (one, other) = (
            KeyText::random(KeyType::Server).reveal(),
            KeyText::random(KeyType::Server).reveal(),
        );
        assert_ne!(one, other);
        assert!(one.starts_with("srv_"));
        for key in [one, other, KeyText::random(KeyType::Client).reveal()] {
            assert!(protocol::api_key::has_form(key.as_bytes()));
        }
    }
}
