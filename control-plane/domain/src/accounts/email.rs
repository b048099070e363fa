//! E-mail addresses that identify accounts.

use std::{fmt, str::FromStr};

use base::{
    input::{Invalid, is_longer_than},
    mail,
};

/// An address: trimmed and lower-cased, so that one person has one account.
#[derive(Clone, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Checks the field `email` of a body: an address that mail can be sent to.
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        let email = Self::of_login(text)?;
        if !email.is_reachable() {
            return Err(Invalid::new("invalid email"));
        }
        Ok(email)
    }

    /// Checks the address of a login, which sends no mail: an unreachable address is answered as an unknown one.
    pub fn of_login(text: Option<&str>) -> Result<Self, Invalid> {
        let text = text.unwrap_or_default().trim().to_lowercase();
        if text.is_empty() {
            return Err(Invalid::new("email is required"));
        }
        if is_longer_than(&text, 254) || !is_address(&text) {
            return Err(Invalid::new("invalid email"));
        }
        Ok(Self(text))
    }

    pub fn is_reachable(&self) -> bool {
        mail::is_reachable(&self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn domain(&self) -> &str {
        self.0.split_once('@').map_or("", |(_, domain)| domain)
    }
}

impl FromStr for Email {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        Self::parse(Some(text))
    }
}

impl From<Email> for String {
    fn from(email: Email) -> Self {
        email.0
    }
}

/// Addresses are personal data: they stay out of logs.
impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Email(..)")
    }
}

fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else {
        return false;
    };
    let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && c != '@';
    let labels_are_named = domain.contains('.') && domain.split('.').all(|label| !label.is_empty());
    !local.is_empty() && labels_are_named && local.chars().chain(domain.chars()).all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_trimmed_and_lower_cased() {
        let email = Email::parse(Some(" Ada.Lovelace+flags@Example.COM\n")).unwrap();
        assert_eq!(email.as_str(), "ada.lovelace+flags@example.com");
        assert!(!format!("{email:?}").contains("ada"));
    }

    #[test]
    fn addresses_that_no_mail_can_reach_are_refused_except_at_login() {
        for text in [
            "a..b@x.de",
            ".a@x.de",
            "a.@x.de",
            "\"x@x.de",
            "a(b@x.de",
            "a@-x.de",
            "a,b@x.de",
            "<a@x.de>",
        ] {
            let refused = Err(Invalid::new("invalid email"));
            assert_eq!(Email::parse(Some(text)), refused, "{text}");
            assert!(Email::of_login(Some(text)).is_ok(), "{text}");
        }
        for text in ["o'neil+flags@x.de", "a@b.c.de", "jörg@bücher.example"] {
            assert!(Email::parse(Some(text)).is_ok(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let long = format!("{}@example.com", "a".repeat(243));
        for text in [
            "ada",
            "ada@",
            "@example.com",
            "ada@example",
            "a@b@example.com",
            "a b@example.com",
            "a@exam\u{1}ple.com",
            "a@.com",
            "a@example.",
            "a@example..com",
            &long,
        ] {
            assert_eq!(
                Email::parse(Some(text)),
                Err(Invalid::new("invalid email")),
                "{text}"
            );
        }
        for text in [None, Some(""), Some(" \t")] {
            assert_eq!(Email::parse(text), Err(Invalid::new("email is required")));
        }
        assert!(Email::of_login(Some(&long[1..])).is_ok());
        // The mail library rejects a longer local part.
        let longest = format!("{}@example.com", "a".repeat(64));
        assert!(Email::parse(Some(&longest)).is_ok());
        assert!(Email::parse(Some(&format!("a{longest}"))).is_err());
    }
}
