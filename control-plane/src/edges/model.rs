//! An edge's certificate, as the operator sees it.

use time::OffsetDateTime;

/// A certificate issued to an edge.
#[derive(Clone, Debug)]
pub struct EdgeCertificate {
    /// SHA-256 of the certificate.
    pub fingerprint: Vec<u8>,
    /// The edge's name, unique among those not revoked.
    pub name: String,
    /// The data region whose organizations the edge may hold; `None` for all.
    pub region: Option<String>,
    /// When it was issued.
    pub issued_at: OffsetDateTime,
    /// When it expires.
    pub expires_at: OffsetDateTime,
    /// When its edge was last connected, to the minute.
    pub last_seen_at: Option<OffsetDateTime>,
    /// When it was revoked.
    pub revoked_at: Option<OffsetDateTime>,
}

/// Why a certificate is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the certificate is unknown")]
    Unknown,
    #[error("the certificate was revoked")]
    Revoked,
    #[error("the certificate expired")]
    Expired,
}

impl EdgeCertificate {
    /// Whether the edge may connect now.
    ///
    /// # Errors
    /// Why it may not.
    pub fn check(&self, now: OffsetDateTime) -> Result<(), Refusal> {
        if self.revoked_at.is_some() {
            Err(Refusal::Revoked)
        } else if now >= self.expires_at {
            Err(Refusal::Expired)
        } else {
            Ok(())
        }
    }
}
