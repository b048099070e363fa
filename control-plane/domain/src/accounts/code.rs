//! Six-digit codes that prove an address: generated, stored as keyed hashes, and tried a limited number of times.
//!
//! With a plain hash, all million codes could be tried in no time; hence the key. The hash also covers the purpose of
//! the code and its address, so that it is useless in another row.

use std::time::Duration;

use aws_lc_rs::hmac;
use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use secrecy::{ExposeSecret, SecretString};
use time::OffsetDateTime;

use super::email::Email;
use base::{refusal::Refusal, sealing};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Signup,
    PasswordReset,
}

impl Purpose {
    const fn tag(self) -> &'static [u8] {
        match self {
            Self::Signup => b"sign-up\0",
            Self::PasswordReset => b"password reset\0",
        }
    }

    pub(super) fn refusal(self, error: CodeError) -> Refusal {
        match (error, self) {
            (CodeError::Exhausted { retry_after }, _) => Refusal::TooMany {
                words: "too many wrong codes, please ask for another code",
                retry_after,
            },
            (CodeError::Expired, Self::Signup) => Refusal::invalid("expired otp"),
            (CodeError::Wrong, Self::Signup) => Refusal::invalid("invalid otp"),
            (CodeError::Expired | CodeError::Wrong, Self::PasswordReset) => {
                Refusal::invalid("invalid or expired otp")
            }
        }
    }
}

/// A code as it is mailed. Without `Debug`, so that it cannot be logged.
pub struct Code(String);

impl Code {
    /// # Panics
    ///
    /// When the operating system cannot provide random numbers.
    pub fn random() -> Self {
        let number: u32 = UnwrapErr(SysRng).random_range(0..1_000_000);
        Self(format!("{number:06}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Debug)]
pub struct SentCode {
    pub code_hash: Vec<u8>,
    pub expires_at: OffsetDateTime,
    pub failed_attempts: i32,
}

/// Only [`CodeError::Wrong`] counts as an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeError {
    Expired,
    Exhausted {
        /// When the code expires, and this refusal with it.
        retry_after: Duration,
    },
    Wrong,
}

pub struct CodeKey(hmac::Key);

impl CodeKey {
    pub fn new(app_secret: &SecretString) -> Self {
        let key = sealing::derive(app_secret.expose_secret().as_bytes(), "mailed codes");
        Self(hmac::Key::new(hmac::HMAC_SHA256, key.as_slice()))
    }

    pub fn hash(&self, purpose: Purpose, email: &Email, code: &Code) -> Vec<u8> {
        let message = message(purpose, email, &code.0);
        hmac::sign(&self.0, &message).as_ref().to_vec()
    }

    /// Checks an entered code in constant time. If several errors apply, the first in the order of [`CodeError`] is returned.
    pub fn check(
        &self,
        purpose: Purpose,
        email: &Email,
        typed: &str,
        sent: &SentCode,
        max_attempts: u32,
        now: OffsetDateTime,
    ) -> Result<(), CodeError> {
        if sent.expires_at <= now {
            return Err(CodeError::Expired);
        }
        if i64::from(sent.failed_attempts) >= i64::from(max_attempts) {
            let retry_after = (sent.expires_at - now).unsigned_abs();
            return Err(CodeError::Exhausted { retry_after });
        }
        hmac::verify(&self.0, &message(purpose, email, typed), &sent.code_hash)
            .map_err(|_| CodeError::Wrong)
    }
}

/// Unambiguous: neither purposes nor addresses contain NUL.
fn message(purpose: Purpose, email: &Email, code: &str) -> Vec<u8> {
    [
        purpose.tag(),
        email.as_str().as_bytes(),
        b"\0",
        code.as_bytes(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn key() -> CodeKey {
        CodeKey::new(&SecretString::from("secret"))
    }

    fn email(text: &str) -> Email {
        Email::parse(Some(text)).unwrap()
    }

    fn sent(code: &str) -> SentCode {
        let code = Code(code.to_owned());
        SentCode {
            code_hash: key().hash(Purpose::Signup, &email("ada@example.com"), &code),
            expires_at: NOW + Duration::from_secs(600),
            failed_attempts: 0,
        }
    }

    fn check(sent: &SentCode, typed: &str, now: OffsetDateTime) -> Result<(), CodeError> {
        let ada = email("ada@example.com");
        key().check(Purpose::Signup, &ada, typed, sent, 5, now)
    }

    #[test]
    fn codes_are_six_digits() {
        for _ in 0..100 {
            let code = Code::random();
            assert_eq!(code.as_str().len(), 6);
            assert!(code.as_str().bytes().all(|byte| byte.is_ascii_digit()));
        }
    }

    #[test]
    fn only_the_code_that_was_sent_is_good() {
        let sent = sent("012345");
        assert_eq!(check(&sent, "012345", NOW), Ok(()));
        for typed in ["012346", "12345", "0123450", "", "\0"] {
            assert_eq!(check(&sent, typed, NOW), Err(CodeError::Wrong), "{typed:?}");
        }
    }

    #[test]
    fn a_hash_is_useless_elsewhere() {
        let sent = sent("012345");
        let elsewhere = [
            (key(), Purpose::PasswordReset, "ada@example.com"),
            (key(), Purpose::Signup, "eve@example.com"),
            (
                CodeKey::new(&SecretString::from("other")),
                Purpose::Signup,
                "ada@example.com",
            ),
        ];
        for (key, purpose, address) in elsewhere {
            let checked = key.check(purpose, &email(address), "012345", &sent, 5, NOW);
            assert_eq!(checked, Err(CodeError::Wrong));
        }
    }

    #[test]
    fn expiry_comes_before_attempts_and_attempts_before_the_code() {
        let mut sent = sent("012345");
        sent.failed_attempts = 5;
        let a_second_left = sent.expires_at - Duration::from_secs(1);
        let exhausted = CodeError::Exhausted {
            retry_after: Duration::from_secs(1),
        };
        assert_eq!(check(&sent, "012345", a_second_left), Err(exhausted));
        assert_eq!(
            check(&sent, "012345", sent.expires_at),
            Err(CodeError::Expired)
        );
    }
}
