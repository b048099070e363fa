//! Signatures of gateways, from their documentation alone.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha512};
use time::OffsetDateTime;

/// The header of an event of `gateway_redirect`, signed at that time.
///
/// # Panics
/// Never: a key has any length.
#[must_use]
pub fn of_event(body: &str, secret: &str, at: OffsetDateTime) -> String {
    let seconds = at.unix_timestamp();
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(format!("{seconds}.{body}").as_bytes());
    let digest = hex::encode(mac.finalize().into_bytes());
    format!("t={seconds},v1={digest}")
}

/// The hash of `gateway_form` over values with bars between.
#[must_use]
pub fn of_values(values: &[&str]) -> String {
    hex::encode(Sha512::digest(values.join("|")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the gateway's documentation of how a hash is made.
    #[test]
    fn the_hash_of_a_request_is_the_documented_one() {
        let hash = of_values(&[
            "C0Dr8m",
            "12345",
            "10",
            "Shopping",
            "Test",
            "test@test.com",
            "",
            "abc",
            "",
            "15",
            "",
            "",
            "",
            "",
            "",
            "",
            "3sf0jURk",
        ]);
        let documented = concat!(
            "ffcdbf04fa5beefdcc2dd476c18bc410f02b3968e7f4f54e8f43f1e1a310bb32",
            "e3b4dec9305232bb89db5b1d0c009a53bcace6f4bd8ec2f695baf3d43ba730ce"
        );
        assert_eq!(hash, documented);
    }

    #[test]
    fn the_signature_of_an_event_names_its_time() {
        let at = OffsetDateTime::from_unix_timestamp(1_700_000_000).unwrap();
        let header = of_event("{}", "whsec_test", at);
        let digest = header.strip_prefix("t=1700000000,v1=").unwrap();
        assert_eq!(digest.len(), 64);
        assert_ne!(header, of_event("{ }", "whsec_test", at));
    }
}
