//! A connected edge renews its certificate.
//!
//! The request contains a public key and proves possession of the private one. Name, region, time and whether it is a relay come
//! from the certificate with which it is connected, so an edge cannot take another identity.

use rustls_pki_types::CertificateDer;
use time::OffsetDateTime;

use super::{
    model::{self, EdgeCertificate, MAX_VALID},
    store,
};
use crate::{
    Fingerprint,
    tls::{Authority, AuthorityError, RequestError, RequestedKey},
};
use base::{
    db::{self, Db},
    refusal::Refusal,
};

/// Why a certificate was not renewed.
#[derive(Debug, thiserror::Error)]
pub enum RenewError {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error(transparent)]
    Refused(#[from] model::Refusal),
    #[error("more than half of the certificate's time is left")]
    Early,
    #[error("the edge has {MAX_VALID} valid certificates already")]
    Many,
    #[error(transparent)]
    Insert(#[from] Refusal),
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Authority(#[from] AuthorityError),
}

impl RenewError {
    /// Whether it is the control plane's fault, whose details are not sent to the edge.
    pub(crate) fn is_fault(&self) -> bool {
        matches!(
            self,
            Self::Insert(_) | Self::Database(_) | Self::Authority(_)
        )
    }
}

#[derive(Debug)]
pub struct Renewed {
    /// The record of it.
    pub edge: EdgeCertificate,
    pub certificate: CertificateDer<'static>,
}

/// Issues a certificate for the key of a request (PKCS #10, DER) to the edge that is connected with another one. That one stays
/// valid.
///
/// # Errors
/// The reason for refusal. Nothing was changed then.
pub async fn renew(
    db: &Db,
    authority: &Authority,
    connected_with: &Fingerprint,
    request: &[u8],
    now: OffsetDateTime,
) -> Result<Renewed, RenewError> {
    let key = RequestedKey::of(request)?;
    let mut tx = db.begin().await?;
    let edge = store::lock(&mut tx, connected_with).await?;
    let edge = edge.ok_or(model::Refusal::Unknown)?;
    edge.check(now)?;
    if !edge.may_be_renewed(now) {
        return Err(RenewError::Early);
    }
    if store::count_valid(&mut tx, &edge.name, now).await? >= MAX_VALID {
        return Err(RenewError::Many);
    }
    let issued = authority.renew_edge(edge.subject(), &key, now, edge.life())?;
    let renewed = EdgeCertificate {
        fingerprint: issued.fingerprint.to_vec(),
        issued_at: now,
        expires_at: issued.expires_at,
        last_seen_at: None,
        revoked_at: None,
        renews: Some(edge.fingerprint),
        name: edge.name,
        region: edge.region,
        is_relay: edge.is_relay,
    };
    store::insert(&mut tx, &renewed).await?;
    tx.commit().await?;
    Ok(Renewed {
        edge: renewed,
        certificate: issued.certificate,
    })
}
