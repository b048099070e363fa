//! An edge as the operator knows it.

use time::OffsetDateTime;

/// A certificate issued to an edge.
#[derive(Clone, Debug)]
pub struct EdgeCertificate {
    /// SHA-256 of the certificate.
    pub fingerprint: Vec<u8>,
    /// The edge's name, unique among those not revoked.
    pub name: String,
    /// The data region whose organizations the edge may hold; none for all.
    pub region: Option<String>,
    /// When it was issued.
    pub issued_at: OffsetDateTime,
    /// When it stops to count.
    pub expires_at: OffsetDateTime,
    /// When it was last connected, to a minute.
    pub last_seen_at: Option<OffsetDateTime>,
    /// When it was revoked.
    pub revoked_at: Option<OffsetDateTime>,
}

/// Why a certificate does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Issued by the authority, but not in the list.
    #[error("the certificate is unknown")]
    Unknown,
    /// Revoked by the operator.
    #[error("the certificate was revoked")]
    Revoked,
    /// Past its end.
    #[error("the certificate expired")]
    Expired,
}

impl EdgeCertificate {
    /// Whether the edge may connect now.
    ///
    /// # Errors
    /// Why not.
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
