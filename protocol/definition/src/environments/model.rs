//! An environment as the API shows it, and its colour.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{ids::EnvId, input::Invalid};

/// An environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Environment {
    /// Its id.
    pub id: EnvId,
    /// What people call it.
    pub name: String,
    /// Unique in the project; the environment key of evaluation paths.
    pub slug: String,
    /// `#` and six hex digits.
    pub color: String,
    /// Whether its flag states change by approved requests alone, except for kills.
    pub protected: bool,
    /// How many people must approve a request before it is applied, 1 to 5.
    pub required_approvals: i32,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Value of the `ETag`: the number of changes, creation included.
    #[serde(skip)]
    pub version: i64,
}

/// A colour: `#` and six hex digits, kept as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Color(String);

impl Color {
    /// Checks the field `color` of a body.
    pub fn parse(text: String) -> Result<Self, Invalid> {
        let is_valid = text.strip_prefix('#').is_some_and(|digits| {
            digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        if is_valid {
            Ok(Self(text))
        } else {
            Err(Invalid::new("color must be '#' and 6 hex digits"))
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Color {
    fn default() -> Self {
        Self("#6B7280".to_owned())
    }
}

impl From<Color> for String {
    fn from(color: Color) -> Self {
        color.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_a_hash_and_six_hex_digits() {
        for text in ["#6B7280", "#abcdef", "#000000"] {
            assert_eq!(String::from(Color::parse(text.to_owned()).unwrap()), text);
        }
        for text in [
            "", "6B7280", "#6B728", "#6B72800", "#6B728g", "#é1234", "# 12345",
        ] {
            assert!(Color::parse(text.to_owned()).is_err(), "{text:?}");
        }
        assert_eq!(String::from(Color::default()), "#6B7280");
    }
}
