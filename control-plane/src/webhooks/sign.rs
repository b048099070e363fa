//! The signature of a delivery: `sha256=` and the hex digits of HMAC-SHA256 (RFC 2104) over the exact bytes of the body.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The value of `X-Service-Signature`.
pub(super) fn signature(secret: &[u8], body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(body);
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
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
