//! From when until when a certificate is valid.

use rustls_pki_types::CertificateDer;

/// A certificate that does not say for how long it is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the certificate of this edge cannot be read")]
pub(crate) struct Unreadable;

/// The time of a certificate, Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Validity {
    pub(crate) from_ms: i64,
    pub(crate) until_ms: i64,
}

impl Validity {
    /// That of a certificate.
    ///
    /// # Errors
    /// When it is none.
    pub(crate) fn of(certificate: &CertificateDer<'_>) -> Result<Self, Unreadable> {
        let (_, parsed) =
            x509_parser::parse_x509_certificate(certificate).map_err(|_| Unreadable)?;
        let validity = parsed.validity();
        Ok(Self {
            from_ms: validity.not_before.timestamp().saturating_mul(1_000),
            until_ms: validity.not_after.timestamp().saturating_mul(1_000),
        })
    }

    pub(super) const fn life_ms(self) -> i64 {
        self.until_ms.saturating_sub(self.from_ms)
    }

    /// Days for which it is valid in all.
    pub(super) fn days(self) -> f64 {
        days(self.life_ms())
    }

    /// Days until it ends; below zero if it has ended.
    pub(crate) fn days_left(self, now_ms: i64) -> f64 {
        days(self.until_ms.saturating_sub(now_ms))
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown to people")]
fn days(ms: i64) -> f64 {
    ms as f64 / 86_400_000.0
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_certificate_says_for_how_long_it_is_valid() {
        let mut params = CertificateParams::new(["edge-1".to_owned()]).unwrap();
        params.not_before = datetime!(2026-05-04 12:00 UTC);
        params.not_after = datetime!(2051-05-04 12:00 UTC);
        let certificate = params.self_signed(&KeyPair::generate().unwrap()).unwrap();
        let validity = Validity::of(certificate.der()).unwrap();
        assert_eq!(validity.from_ms, 1_777_896_000_000);
        assert_eq!(validity.days_left(validity.until_ms - 36 * 3_600_000), 1.5);
        for length in 0..certificate.der().len() {
            let part = CertificateDer::from(&certificate.der()[..length]);
            assert_eq!(Validity::of(&part), Err(Unreadable));
        }
    }
}
