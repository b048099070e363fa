//! An authenticator as a phone has it: written from RFC 4226 and RFC 6238 alone, without the library that the service uses.

use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use time::{Duration, OffsetDateTime};

/// Holds the secret of an enrolment.
pub struct Authenticator {
    secret: Vec<u8>,
}

impl Authenticator {
    /// Reads the secret as it is shown: base32 without padding.
    ///
    /// # Panics
    /// When it is something else.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        let secret = BASE32_NOPAD.decode(secret.as_bytes());
        Self {
            secret: secret.expect("base32 without padding"),
        }
    }

    /// The code that the display shows at a time.
    ///
    /// # Panics
    /// Before 1970.
    #[must_use]
    pub fn code(&self, at: OffsetDateTime) -> String {
        let step = u64::try_from(at.unix_timestamp() / 30).expect("a time after 1970");
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.secret).expect("a key of any length");
        mac.update(&step.to_be_bytes());
        let digest = mac.finalize().into_bytes();
        let offset = usize::from(digest[19] & 0xf);
        let chosen = u32::from_be_bytes([0, 1, 2, 3].map(|index| digest[offset + index]));
        format!("{:06}", (chosen & 0x7fff_ffff) % 1_000_000)
    }

    /// A code that is none of those accepted at a time.
    ///
    /// # Panics
    /// Before 1970.
    #[must_use]
    pub fn wrong_code(&self, at: OffsetDateTime) -> String {
        let accepted = [-30, 0, 30].map(|seconds| self.code(at + Duration::seconds(seconds)));
        let mut candidates = (0..4).map(|code| format!("{code:06}"));
        candidates
            .find(|code| !accepted.contains(code))
            .expect("three codes are accepted, of four")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_rfc() {
        let phone = Authenticator {
            secret: b"12345678901234567890".to_vec(),
        };
        let vectors = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (20_000_000_000, "353130"),
        ];
        for (seconds, code) in vectors {
            let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap();
            assert_eq!(phone.code(at), code);
        }
    }
}
