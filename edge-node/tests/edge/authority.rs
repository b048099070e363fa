//! Who issues the certificates of both ends of a link, and of those who sign.

use std::{fs, path::Path};

use protocol::{
    eval::Environment,
    signature::{PublicKey, SIGNER_NAME, Signature, SigningKey},
    snapshot::Snapshot,
    wire::{frame, message::Push, signed},
};
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose::ServerAuth, IsCa, Issuer,
    KeyPair, PKCS_ED25519, PublicKeyData, SignatureAlgorithm,
};

/// A certificate authority.
pub(crate) struct Authority {
    params: CertificateParams,
    key: KeyPair,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self {
            params,
            key: KeyPair::generate().unwrap(),
        }
    }

    pub(crate) fn certificate(&self) -> rcgen::Certificate {
        self.params.self_signed(&self.key).unwrap()
    }

    /// A certificate for anybody's key.
    pub(crate) fn sign(
        &self,
        params: &CertificateParams,
        key: &impl PublicKeyData,
    ) -> rcgen::Certificate {
        let issuer = Issuer::from_params(&self.params, &self.key);
        params.signed_by(key, &issuer).unwrap()
    }

    /// What `halyard edge enroll` would write, from this authority.
    pub(crate) fn enroll(&self, folder: &Path) {
        let params = CertificateParams::new(vec!["edge-1".to_owned()]).unwrap();
        self.enroll_as(folder, &params);
    }

    /// The same with a certificate that says this.
    pub(crate) fn enroll_as(&self, folder: &Path, params: &CertificateParams) {
        let key = KeyPair::generate().unwrap();
        let certificate = self.sign(params, &key);
        fs::write(folder.join("ca.pem"), self.certificate().pem()).unwrap();
        fs::write(folder.join("edge.pem"), certificate.pem()).unwrap();
        fs::write(folder.join("edge.key"), key.serialize_pem()).unwrap();
    }
}

/// Somebody who signs contents, and the certificate (DER) that says so.
pub(crate) struct Signer {
    pub(crate) key: SigningKey,
    pub(crate) certificate: Vec<u8>,
}

struct PublicPart([u8; 32]);

impl PublicKeyData for PublicPart {
    fn der_bytes(&self) -> &[u8] {
        &self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ED25519
    }
}

impl Signer {
    pub(crate) fn new(authority: &Authority, seed: u8) -> Self {
        Self::named(authority, seed, SIGNER_NAME)
    }

    pub(crate) fn named(authority: &Authority, seed: u8, name: &str) -> Self {
        let key = SigningKey::from_seed(&[seed; 32]).unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ServerAuth];
        let certificate = authority.sign(&params, &PublicPart(key.public_key()));
        Self {
            key,
            certificate: certificate.der().to_vec(),
        }
    }

    pub(crate) fn public_key(&self) -> PublicKey {
        PublicKey::new(&self.key.public_key()).unwrap()
    }

    pub(crate) fn sign(&self, contents: &Snapshot, at_ms: i64) -> Signature {
        let environment = Environment::prepare(contents).unwrap();
        self.key.sign(&environment.contents(), at_ms)
    }

    /// A push with the signature of what it leads to.
    pub(crate) fn push(&self, push: &Push, leads_to: &Snapshot, at_ms: i64) -> Vec<u8> {
        with(push, &self.sign(leads_to, at_ms))
    }
}

/// A push with a signature.
pub(crate) fn with(push: &Push, signature: &Signature) -> Vec<u8> {
    signed::with(frame::encode(push).unwrap(), Some(signature))
}
