//! An edge's certificate: its data, its subject, and when it may be renewed.

pub use protocol::wire::relay::Refusal;
use time::{Duration, OffsetDateTime};

/// Default validity of a certificate.
pub const DEFAULT_LIFE: Duration = Duration::days(2 * 365);
/// Valid certificates of one edge. It needs two; answers may be lost, and files restored from a copy.
pub const MAX_VALID: i64 = 16;

#[derive(Clone, Debug)]
pub struct EdgeCertificate {
    /// SHA-256 of the certificate.
    pub fingerprint: Vec<u8>,
    /// The edge's name, unique among enrolled edges that are not revoked.
    pub name: String,
    /// The data region whose organizations the edge may hold; `None` for all.
    pub region: Option<String>,
    pub(crate) issued_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    /// When its edge was last connected, to the minute.
    pub last_seen_at: Option<OffsetDateTime>,
    pub revoked_at: Option<OffsetDateTime>,
    /// The certificate that it renews; `None` if it was enrolled.
    pub renews: Option<Vec<u8>>,
    pub is_relay: bool,
}

/// The subject of a certificate.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    pub name: &'a str,
    /// Whether other edges accept it as a server's.
    pub is_relay: bool,
}

impl EdgeCertificate {
    /// Whether the edge may connect now.
    ///
    /// # Errors
    /// The reason, if it may not.
    pub fn check(&self, now: OffsetDateTime) -> Result<(), Refusal> {
        if self.revoked_at.is_some() {
            Err(Refusal::Revoked)
        } else if now >= self.expires_at {
            Err(Refusal::Expired)
        } else {
            Ok(())
        }
    }

    /// The subject, which a renewed certificate shares.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            name: &self.name,
            is_relay: self.is_relay,
        }
    }

    /// The total validity, which a renewed certificate shares.
    pub fn life(&self) -> Duration {
        self.expires_at - self.issued_at
    }

    /// Whether less than half of its time is left. Edges begin later: this only limits a broken edge that keeps asking.
    pub(crate) fn may_be_renewed(&self, now: OffsetDateTime) -> bool {
        (self.expires_at - now) * 2 <= self.life()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_certificate_may_be_renewed_in_its_second_half() {
        let issued_at = datetime!(2026-05-04 12:00 UTC);
        let certificate = EdgeCertificate {
            fingerprint: Vec::new(),
            name: "fra-1".to_owned(),
            region: None,
            issued_at,
            expires_at: issued_at + Duration::days(90),
            last_seen_at: None,
            revoked_at: None,
            renews: None,
            is_relay: false,
        };
        assert_eq!(certificate.life(), Duration::days(90));
        let half = issued_at + Duration::days(45);
        assert!(!certificate.may_be_renewed(half - Duration::SECOND));
        assert!(certificate.may_be_renewed(half));
    }
}
