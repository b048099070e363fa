//! The signature of an event: `t=<unix seconds>,v1=<hex>`, where the hex is an HMAC-SHA-256 of `<t>.<body>`. While the secret
//! is rotated there may be several `v1`, one of which must match.

use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use time::{Duration, OffsetDateTime};

/// Whether the gateway has signed the body within five minutes. Compared in constant time.
pub fn is_genuine(header: &str, body: &[u8], secret: &SecretString, now: OffsetDateTime) -> bool {
    let Some((time, signatures)) = parse(header) else {
        return false;
    };
    let Some(signed_at) = time
        .parse()
        .ok()
        .and_then(|seconds| OffsetDateTime::from_unix_timestamp(seconds).ok())
    else {
        return false;
    };
    if (now - signed_at).abs() > Duration::minutes(5) {
        return false;
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes())
        .expect("a key of any length");
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    signatures
        .iter()
        .any(|signature| mac.clone().verify_slice(signature).is_ok())
}

/// The time in its notation, and the signatures.
fn parse(header: &str) -> Option<(&str, Vec<Vec<u8>>)> {
    let mut time = None;
    let mut signatures = Vec::new();
    for part in header.split(',') {
        match part.trim().split_once('=')? {
            ("t", text) => time = Some(text),
            // Further signatures are ignored.
            ("v1", text) if signatures.len() < 16 => {
                signatures.extend(hex::decode(text).ok());
            }
            // Other schemes are weaker or unknown.
            _ => {}
        }
    }
    Some((time?, signatures))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);
    const BODY: &[u8] = br#"{"id": "evt_1"}"#;

    fn secret() -> SecretString {
        "whsec_test".into()
    }

    fn sign(at: OffsetDateTime) -> (i64, String) {
        let time = at.unix_timestamp();
        let mut mac = Hmac::<Sha256>::new_from_slice(b"whsec_test").unwrap();
        mac.update(format!("{time}.").as_bytes());
        mac.update(BODY);
        (time, hex::encode(mac.finalize().into_bytes()))
    }

    fn is_good(header: &str) -> bool {
        is_genuine(header, BODY, &secret(), NOW)
    }

    #[test]
    fn one_of_several_signatures_has_to_fit() {
        let (time, good) = sign(NOW);
        let bad = "00".repeat(32);
        assert!(is_good(&format!("t={time},v1={good}")));
        assert!(is_good(&format!("t={time},v1={bad},v1={good},v0=abc")));
        assert!(is_good(&format!("v1={good}, t={time}")));
        assert!(!is_good(&format!("t={time},v1={bad}")));
        assert!(!is_good(&format!("t={time},v0={good}")));
    }

    #[test]
    fn signatures_are_good_for_five_minutes() {
        for (offset, is_fresh) in [(-301, false), (-300, true), (300, true), (301, false)] {
            let (time, good) = sign(NOW + Duration::seconds(offset));
            assert_eq!(
                is_good(&format!("t={time},v1={good}")),
                is_fresh,
                "{offset}"
            );
        }
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        let (time, good) = sign(NOW);
        for header in [
            String::new(),
            "t".to_owned(),
            format!("v1={good}"),
            format!("t={time}"),
            format!("t=,v1={good}"),
            format!("t=99999999999999999999,v1={good}"),
            format!("t={},v1={good}", time + 1),
            format!("t={time},v1={}", &good[..62]),
        ] {
            assert!(!is_good(&header), "{header}");
        }
        let (time, good) = sign(NOW);
        let header = format!("t={time},v1={good}");
        assert!(!is_genuine(&header, b"{}", &secret(), NOW));
        assert!(!is_genuine(&header, BODY, &"other".into(), NOW));
    }
}
