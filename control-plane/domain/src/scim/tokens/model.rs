//! A SCIM token as the API shows it, and its text, which is shown only once.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use serde::Serialize;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::ScimTokenId;

/// A SCIM token, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScimToken {
    /// Its id.
    pub id: ScimTokenId,
    /// What people call it.
    #[schema(required)]
    pub name: Option<String>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ends; `null` for never.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub expires_at: Option<OffsetDateTime>,
}

pub type TokenHash = [u8; 32];

/// The text of a token: `scim_` and 48 hex digits. Without `Debug`, so that it cannot be logged.
pub struct TokenText(String);

impl TokenText {
    const PREFIX: &str = "scim_";
    const DIGITS: usize = 48;

    pub fn random() -> Self {
        let bytes: [u8; Self::DIGITS / 2] = UnwrapErr(SysRng).random();
        Self(format!("{}{}", Self::PREFIX, hex::encode(bytes)))
    }

    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(Self::PREFIX)?;
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (digits.len() == Self::DIGITS && digits.bytes().all(is_digit))
            .then(|| Self(text.to_owned()))
    }

    /// The stored form. 192 random bits need neither a key nor a slower hash.
    pub fn hash(&self) -> TokenHash {
        Sha256::digest(self.0.as_bytes()).into()
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
    fn a_token_is_read_as_it_was_shown() {
        let text = TokenText::random();
        let hash = text.hash();
        let shown = text.reveal();
        assert_eq!(shown.len(), 53);
        assert!(TokenText::parse(&shown).is_some_and(|read| read.hash() == hash));
        assert_ne!(shown, TokenText::random().reveal());
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let digits = "0123456789abcdef".repeat(3);
        assert!(TokenText::parse(&format!("scim_{digits}")).is_some());
        for text in [
            String::new(),
            digits.clone(),
            format!("srv_{digits}"),
            format!("scim_{digits}0"),
            format!("scim_{}", &digits[1..]),
            format!("scim_{}", digits.to_uppercase()),
            format!("SCIM_{digits}"),
        ] {
            assert!(TokenText::parse(&text).is_none(), "{text}");
        }
    }
}
