//! An authority of tests, and certificates from it.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::{RootCertStore, client::WebPkiServerVerifier};
use rustls_pki_types::CertificateDer;
use time::{OffsetDateTime, macros::datetime};

use super::trust;

pub(super) const NOW: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

pub(super) struct Authority(Issuer<'static, KeyPair>, CertificateDer<'static>);

impl Authority {
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().into();
        Self(Issuer::new(params, key), certificate)
    }

    /// A certificate for these names and purposes, from yesterday until tomorrow.
    pub(super) fn issue(
        &self,
        names: &[&str],
        purposes: &[ExtendedKeyUsagePurpose],
    ) -> CertificateDer<'static> {
        self.issue_for(&KeyPair::generate().unwrap(), names, purposes)
    }

    /// The same for this key.
    pub(super) fn issue_for(
        &self,
        key: &KeyPair,
        names: &[&str],
        purposes: &[ExtendedKeyUsagePurpose],
    ) -> CertificateDer<'static> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = NOW - time::Duration::DAY;
        params.not_after = NOW + time::Duration::DAY;
        params.extended_key_usages = purposes.to_vec();
        params.signed_by(key, &self.0).unwrap().into()
    }

    /// Who trusts nobody else.
    pub(super) fn verifier(&self) -> Arc<WebPkiServerVerifier> {
        let mut roots = RootCertStore::empty();
        roots.add(self.1.clone()).unwrap();
        let provider = rustls::crypto::aws_lc_rs::default_provider();
        trust::verifier(roots, Arc::new(provider))
    }
}
