//! A user as the API shows it, and the names at sign-up.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    ids::UserId,
    input::{Invalid, is_longer_than},
};

/// A user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Trimmed and lower-cased.
    pub email: String,
    /// What people call them.
    pub name: String,
    /// Whether the address was proven.
    pub email_verified: bool,
    /// When the account was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

const MAX_NAME: usize = 255;

/// Checks the name of a person or of an organization in the field `field`: 1 to 255 characters, not blank, without line
/// breaks and control characters, since it is put into mails.
///
/// # Errors
/// When it breaks the rule.
pub fn signup_name(field: &'static str, text: Option<String>) -> Result<String, Invalid> {
    let text = text
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Invalid::new(format!("{field} is required")))?;
    if is_longer_than(&text, MAX_NAME) {
        return Err(Invalid::new(format!(
            "{field} must have at most 255 characters"
        )));
    }
    if text.chars().any(breaks_a_line) {
        return Err(Invalid::new(format!(
            "{field} must not contain control characters"
        )));
    }
    Ok(text)
}

/// Control characters, and what Unicode counts as the end of a line or paragraph.
fn breaks_a_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line_of_text() {
        assert!(signup_name("name", Some("Ada Lovelace".to_owned())).is_ok());
        assert!(signup_name("name", Some("ü".repeat(255))).is_ok());
        for text in [None, Some(String::new()), Some(" ".to_owned())] {
            assert_eq!(
                signup_name("org_name", text),
                Err(Invalid::new("org_name is required"))
            );
        }
        for text in [
            "Ada\r\nBcc: x@y.z".to_owned(),
            "Ada\u{2028}Eve".to_owned(),
            "Ada\u{7f}".to_owned(),
            "ü".repeat(256),
        ] {
            assert!(signup_name("name", Some(text)).is_err());
        }
    }
}
