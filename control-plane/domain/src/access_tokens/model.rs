//! An access token as the API shows it, and its text, which is shown only once.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use serde::Serialize;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::members::model::Role;
use base::ids::{AccessTokenId, EnvId, ProjectId};

/// An access token, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccessToken {
    /// Its id.
    pub id: AccessTokenId,
    /// What people call it.
    pub name: String,
    /// The most that it may do; `null` for all that its member may.
    #[schema(required)]
    pub role: Option<Role>,
    /// The projects that it is limited to; `null` for all.
    #[schema(required)]
    pub project_ids: Option<Vec<ProjectId>>,
    /// The environments that it is limited to; `null` for all.
    #[schema(required)]
    pub env_ids: Option<Vec<EnvId>>,
    /// Whether it only reads.
    pub read_only: bool,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it ends.
    #[serde(with = "time::serde::rfc3339")]
    pub expires_at: OffsetDateTime,
    /// When it was last used, to the minute.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub last_used_at: Option<OffsetDateTime>,
    /// The address that it was last used from.
    #[schema(required)]
    pub last_used_ip: Option<String>,
}

pub type TokenHash = [u8; 32];

/// The text of a token: `halp_`, 48 random hex digits, and the CRC-32 of all that as 8 more, so that a scanner of leaked secrets
/// can tell a token from other text. Without `Debug`, so that it cannot be logged.
pub struct TokenText(String);

impl TokenText {
    const PREFIX: &str = "halp_";
    const RANDOM_BYTES: usize = 24;
    const LENGTH: usize = Self::PREFIX.len() + 2 * Self::RANDOM_BYTES + 8;

    pub fn random() -> Self {
        let bytes: [u8; Self::RANDOM_BYTES] = UnwrapErr(SysRng).random();
        let body = format!("{}{}", Self::PREFIX, hex::encode(bytes));
        let checksum = checksum(&body);
        Self(body + &checksum)
    }

    /// A text of the form of a token, whatever its checksum: other credentials have other forms.
    pub fn has_form(text: &str) -> bool {
        text.starts_with(Self::PREFIX)
    }

    /// `None` for what no token can be, which needs no look-up.
    pub fn parse(text: &str) -> Option<Self> {
        let (body, sum) = text.split_at_checked(Self::LENGTH - 8)?;
        (Self::has_form(body) && checksum(body) == sum).then(|| Self(text.to_owned()))
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

fn checksum(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_shown() {
        let text = TokenText::random();
        let hash = text.hash();
        let shown = text.reveal();
        assert_eq!(shown.len(), TokenText::LENGTH);
        assert!(TokenText::parse(&shown).is_some_and(|read| read.hash() == hash));
        assert_ne!(shown, TokenText::random().reveal());
    }

    #[test]
    fn a_token_has_a_checksum_that_others_can_compute() {
        let body = format!("halp_{}", "0123456789abcdef".repeat(3));
        assert_eq!(checksum(&body), "dc53c3d5");
        assert!(TokenText::parse(&format!("{body}dc53c3d5")).is_some());
    }

    #[test]
    fn other_texts_are_no_tokens() {
        let shown = TokenText::random().reveal();
        let mut wrong_digit = shown.clone();
        let changed = if wrong_digit.ends_with('0') { "1" } else { "0" };
        wrong_digit.replace_range(shown.len() - 1.., changed);
        for text in [
            "",
            "halp_",
            &shown[1..],
            &shown[..shown.len() - 1],
            &format!("{shown}0"),
            &shown.to_uppercase(),
            &wrong_digit,
            &"ä".repeat(60),
        ] {
            assert!(TokenText::parse(text).is_none(), "{text}");
        }
    }
}
