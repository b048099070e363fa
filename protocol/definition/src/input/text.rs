//! Names, descriptions, and the keys of flags and segments.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Invalid, is_longer_than, required};

/// A name for people to read: 1 to 255 characters, not blank. Stored as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Checks the field `name` of a body.
    pub fn parse(text: Option<String>) -> Result<Self, Invalid> {
        let text = required("name", text)?;
        if is_longer_than(&text, 255) {
            return Err(Invalid::new("name must have at most 255 characters"));
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0
    }
}

/// A description: at most 2000 characters, may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

impl Description {
    /// Checks the field `description` of a body; empty if missing.
    pub fn parse(text: Option<String>) -> Result<Self, Invalid> {
        let text = text.unwrap_or_default();
        if is_longer_than(&text, 2_000) {
            return Err(Invalid::new(
                "description must have at most 2000 characters",
            ));
        }
        Ok(Self(text))
    }
}

impl From<Description> for String {
    fn from(description: Description) -> Self {
        description.0
    }
}

/// The key of a flag or a segment: `[A-Za-z0-9][A-Za-z0-9._~-]{0,254}`, case-sensitive, never changed.
///
/// In a path, a text that is not a key names nothing: [`serving::params::Path`] answers 404.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(String);

impl Key {
    /// Checks the field `key` of a body.
    pub fn parse(text: Option<String>) -> Result<Self, Invalid> {
        required("key", text)?.try_into()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Key {
    type Error = Invalid;

    fn try_from(text: String) -> Result<Self, Invalid> {
        let starts_well = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._~-".contains(&byte);
        if starts_well && text.len() <= 255 && text.bytes().all(is_allowed) {
            Ok(Self(text))
        } else {
            Err(Invalid::new(
                "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'",
            ))
        }
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Result<Name, Invalid> {
        Name::parse(Some(text.to_owned()))
    }

    fn key(text: &str) -> Result<Key, Invalid> {
        Key::parse(Some(text.to_owned()))
    }

    #[test]
    fn a_blank_name_counts_as_missing() {
        let missing = Err(Invalid::new("name is required"));
        assert_eq!(Name::parse(None), missing);
        assert_eq!(name(""), missing);
        assert_eq!(name(" \t\u{a0}"), missing);
    }

    #[test]
    fn lengths_are_counted_in_characters() {
        assert_eq!(name(&"ü".repeat(255)).unwrap().as_str().len(), 510);
        assert!(name(&"ü".repeat(256)).is_err());
        assert!(Description::parse(Some("ü".repeat(2000))).is_ok());
        assert!(Description::parse(Some("ü".repeat(2001))).is_err());
    }

    #[test]
    fn a_missing_description_is_empty() {
        assert_eq!(Description::parse(None), Ok(Description::default()));
    }

    #[test]
    fn keys_have_a_narrow_form() {
        for text in ["a", "0", "New-Checkout.v2_~", &"k".repeat(255)] {
            assert_eq!(key(text).unwrap().as_str(), text);
        }
        for text in [
            "",
            " ",
            "-a",
            ".a",
            "_a",
            "~",
            "a b",
            "a/b",
            "é",
            "a\n",
            &"k".repeat(256),
        ] {
            assert!(key(text).is_err(), "{text:?}");
        }
    }
}
