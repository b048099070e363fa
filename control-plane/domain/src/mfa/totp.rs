//! The arithmetic of an authenticator: HMAC-SHA-1, six digits, steps of 30 seconds, one step of drift in either
//! direction.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use time::OffsetDateTime;
use totp_rs::{Builder, Secret, Totp};

const ISSUER: &str = "Halyard";
const SECRET_LENGTH: usize = 20;

/// Everything except the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Computes the same codes as the user's device. Its memory is wiped on drop.
pub(super) struct Authenticator(Totp);

impl Authenticator {
    /// Creates a random secret from the operating system's generator.
    pub(super) fn generate() -> Self {
        Self::with(Secret::generate())
    }

    /// Creates one with this secret; `None` if its length is not ours.
    pub(super) fn new(secret: &[u8]) -> Option<Self> {
        let secret: [u8; SECRET_LENGTH] = secret.try_into().ok()?;
        Some(Self::with(Secret::from(secret)))
    }

    fn with(secret: Secret) -> Self {
        // The library's defaults are those of RFC 6238, which every authenticator assumes.
        let totp = Builder::new().with_secret(secret).build();
        Self(totp.expect("20 bytes are long enough for a secret"))
    }

    pub(super) fn secret(&self) -> &[u8] {
        self.0.secret().as_bytes()
    }

    /// The secret as people type it: base32 without padding.
    pub(super) fn base32(&self) -> String {
        self.0.secret().to_base32()
    }

    /// The URI that authenticators read from a QR code. The library's own function refuses a colon in the account,
    /// which an address may contain.
    pub(super) fn uri(&self, account: &str) -> String {
        let account = utf8_percent_encode(account, ENCODED);
        let secret = self.base32();
        format!("otpauth://totp/{ISSUER}:{account}?secret={secret}&issuer={ISSUER}")
    }

    /// The time step that the code belongs to, within the window around `now`.
    pub(super) fn check(&self, code: &str, now: OffsetDateTime) -> Option<i64> {
        let seconds = u64::try_from(now.unix_timestamp()).ok()?;
        let step = self.0.check(code, seconds)?;
        i64::try_from(step).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Appendix B of RFC 6238, with its last six digits.
    const SECRET: &[u8; SECRET_LENGTH] = b"12345678901234567890";
    const VECTORS: [(i64, &str); 6] = [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ];

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        let authenticator = Authenticator::new(SECRET).unwrap();
        for (seconds, code) in VECTORS {
            assert_eq!(authenticator.check(code, at(seconds)), Some(seconds / 30));
        }
    }

    #[test]
    fn a_code_is_valid_one_step_to_either_side() {
        let authenticator = Authenticator::new(SECRET).unwrap();
        // The code of step 1: seconds 30 to 59.
        let check = |seconds| authenticator.check("287082", at(seconds));
        for accepted in [0, 29, 30, 59, 60, 89] {
            assert_eq!(check(accepted), Some(1), "{accepted}");
        }
        assert_eq!(check(90), None);
        assert_eq!(check(-1), None);
    }

    #[test]
    fn only_six_digits_are_a_code() {
        let authenticator = Authenticator::new(SECRET).unwrap();
        for text in [
            "", "28708", "0287082", "94287082", "28708a", "+87082", " 28708",
        ] {
            assert_eq!(authenticator.check(text, at(59)), None, "{text:?}");
        }
    }

    #[test]
    fn the_uri_has_no_further_parameters_and_encodes_the_account() {
        let authenticator = Authenticator::new(SECRET).unwrap();
        assert_eq!(
            authenticator.uri("a:b+c@example.com"),
            "otpauth://totp/Halyard:a%3Ab%2Bc%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Halyard"
        );
    }

    #[test]
    fn a_secret_is_new_each_time() {
        let (one, other) = (Authenticator::generate(), Authenticator::generate());
        assert_eq!(one.secret().len(), SECRET_LENGTH);
        assert_ne!(one.secret(), other.secret());
        assert!(Authenticator::new(b"short").is_none());
    }
}
