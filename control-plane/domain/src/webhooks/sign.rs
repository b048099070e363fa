//! The signatures of a delivery, HMAC-SHA256 (RFC 2104) in hex digits: one over the exact bytes of the body, and one with the
//! time of sending and the delivery's id before them, which detects replays.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use time::OffsetDateTime;

use base::ids::WebhookDeliveryId;

/// The value of `X-Service-Signature`.
pub(super) fn signature(secret: &[u8], body: &[u8]) -> String {
    format!("sha256={}", mac(secret, &[body]))
}

/// The value of `X-Service-Signature-V2`, over `<t>.<id>.<body>`.
pub(super) fn timed(
    secret: &[u8],
    sent_at: OffsetDateTime,
    id: WebhookDeliveryId,
    body: &[u8],
) -> String {
    let sent_at = sent_at.unix_timestamp();
    let prefix = format!("{sent_at}.{id}.");
    let mac = mac(secret, &[prefix.as_bytes(), body]);
    format!("t={sent_at},id={id},v1={mac}")
}

fn mac(secret: &[u8], parts: &[&[u8]]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    for part in parts {
        mac.update(part);
    }
    hex::encode(mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2.
    #[test]
    fn the_documented_vector_comes_out() {
        assert_eq!(
            signature(b"Jefe", b"what do ya want for nothing?"),
            "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }
}
