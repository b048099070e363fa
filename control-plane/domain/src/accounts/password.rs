//! The requirements for a new password.

use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use secrecy::SecretString;

use base::input::{Invalid, is_longer_than, required};

const MAX: usize = 1024;

/// A password that may be set. Its `Debug` does not show it.
#[derive(Debug)]
pub struct NewPassword(SecretString);

impl NewPassword {
    /// Checks the field `field` of a body.
    pub fn parse(field: &str, text: Option<String>) -> Result<Self, Invalid> {
        let text = required(field, text)?;
        if is_longer_than(&text, MAX) {
            return Err(Invalid::new(format!(
                "{field} must have at most 1024 characters"
            )));
        }
        if text.chars().count() < 8 || !has_every_kind(&text) {
            return Err(Invalid::new(format!(
                "{field} must have at least 8 characters with 1 upper-case, 1 lower-case, 1 digit and 1 special",
            )));
        }
        Ok(Self(text.into()))
    }

    pub fn into_secret(self) -> SecretString {
        self.0
    }
}

/// A random password with a character of every kind.
pub fn generate() -> String {
    let bytes: [u8; 16] = UnwrapErr(SysRng).random();
    format!("Hy1-{}", hex::encode(bytes))
}

/// A password to compare with a stored one. Over-long passwords are replaced by the empty one, which never matches.
pub fn to_compare(text: String) -> SecretString {
    if is_longer_than(&text, MAX) {
        SecretString::default()
    } else {
        text.into()
    }
}

/// A special character is any that is neither alphanumeric nor a space.
fn has_every_kind(text: &str) -> bool {
    let has = |is_of_kind: fn(char) -> bool| text.chars().any(is_of_kind);
    has(char::is_uppercase)
        && has(char::is_lowercase)
        && has(|c| c.is_ascii_digit())
        && has(|c| !c.is_alphanumeric() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    fn is_accepted(text: &str) -> bool {
        NewPassword::parse("password", Some(text.to_owned())).is_ok()
    }

    #[test]
    fn a_generated_password_may_be_set() {
        let (one, other) = (generate(), generate());
        assert!(is_accepted(&one) && is_accepted(&other));
        assert_ne!(one, other);
    }

    #[test]
    fn every_kind_of_character_is_needed() {
        for text in ["Passw0rd!", "Ünïcöd3€", "Aa1 bcd_"] {
            assert!(is_accepted(text), "{text}");
        }
        for text in [
            "passw0rd!",
            "PASSW0RD!",
            "Password!",
            "Passw0rdd",
            "Passw0rd ",
            "Pa1!",
            "Pa1!567",
        ] {
            assert!(!is_accepted(text), "{text}");
        }
    }

    #[test]
    fn length_is_counted_in_characters() {
        let of = |length: usize| format!("Aa1!{}", "é".repeat(length - 4));
        assert!(is_accepted(&of(8)));
        assert!(is_accepted(&of(MAX)));
        assert!(!is_accepted(&of(MAX + 1)));
    }

    #[test]
    fn a_password_that_is_too_long_is_not_kept_to_be_compared() {
        let compared = |length| to_compare("é".repeat(length)).expose_secret().len();
        assert_eq!(compared(MAX), 2 * MAX);
        assert_eq!(compared(MAX + 1), 0);
    }

    #[test]
    fn a_blank_password_counts_as_missing() {
        for text in [None, Some("   ".to_owned())] {
            assert_eq!(
                NewPassword::parse("new_password", text).unwrap_err(),
                Invalid::new("new_password is required")
            );
        }
    }
}
