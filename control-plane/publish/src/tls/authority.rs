//! The certificate authority of the link: both ends trust it and nothing else.
//!
//! It is created once for all replicas, under a lock, and its key is kept sealed in the database; or it is provided by the
//! operator in a folder. Certificates of edges are valid for as long as an edge may run without being enrolled again; every
//! process issues a new one for control planes. A relay's certificate is valid for an edge and a server.

use std::{fmt, fs, io, path::Path, sync::Arc};

use fanout::{Fingerprint, fingerprint};
use protocol::{signature::SIGNER_NAME, wire::relay};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ED25519, PublicKeyData, SanType, SignatureAlgorithm,
};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject};
use time::{Duration, OffsetDateTime};
use zeroize::Zeroizing;

use super::{request::RequestedKey, store};
use crate::{config::PublishSettings, edges::model::Subject};
use base::{
    db::{self, Db},
    sealing::{OpenError, Sealer, derive, purpose},
};

/// Certificates are valid from slightly before now, because clocks differ: at most by this, and by a tenth of their lifetime.
const LEEWAY: Duration = Duration::hours(1);

/// Why there is no authority.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("the key of the link's authority cannot be opened")]
    Sealed(#[from] OpenError),
    #[error("cannot read {file} in CONTROL_CA_DIR")]
    File {
        file: &'static str,
        #[source]
        source: io::Error,
    },
    #[error("the certificate or the key of the link's authority cannot be used")]
    Certificate(#[from] rcgen::Error),
    #[error("the certificate of the link's authority is not PEM")]
    Pem(#[from] rustls_pki_types::pem::Error),
}

/// Issues certificates for the link.
#[derive(Clone)]
pub struct Authority {
    issuer: Arc<Issuer<'static, KeyPair>>,
    certificate_pem: Arc<str>,
    certificate: CertificateDer<'static>,
    /// The name of control planes on the link.
    server_name: Arc<str>,
    /// Shared by all processes of the installation.
    secret: Arc<Zeroizing<Vec<u8>>>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority(..)")
    }
}

/// An edge's proof of identity.
pub struct EdgeIdentity {
    /// `edge.pem`.
    pub certificate_pem: String,
    /// `edge.key`.
    pub key_pem: Zeroizing<String>,
    /// SHA-256 of the certificate.
    pub fingerprint: Fingerprint,
    /// When it expires.
    pub expires_at: OffsetDateTime,
}

/// A certificate for a key that an edge made itself.
pub struct IssuedCertificate {
    pub certificate: CertificateDer<'static>,
    pub fingerprint: Fingerprint,
    pub expires_at: OffsetDateTime,
}

impl Authority {
    /// The authority of this installation, created now if there is none.
    ///
    /// # Errors
    /// When there is one but it cannot be used, for example because it was sealed with another `APP_SECRET`.
    pub async fn load(
        db: &Db,
        settings: &PublishSettings,
        now: OffsetDateTime,
    ) -> Result<Self, AuthorityError> {
        // The operator's authority takes precedence, and nothing is stored.
        if let Some(folder) = &settings.ca_dir {
            let certificate_pem = read(folder, "ca.pem")?;
            let key_pem = Zeroizing::new(read(folder, "ca.key")?);
            return Self::parse(&certificate_pem, &key_pem, settings);
        }
        let sealer = Sealer::new(&settings.app_secret, purpose::LINK_AUTHORITY);
        let mut tx = db.begin().await?;
        store::lock_authority(&mut tx).await?;
        if let Some(stored) = store::find_authority(&mut tx).await? {
            let key = sealer.open(&stored.sealed_key)?;
            let key_pem = String::from_utf8_lossy(&key);
            return Self::parse(&stored.certificate_pem, &key_pem, settings);
        }
        let (certificate_pem, key_pem) = make(now)?;
        let sealed = sealer.seal(key_pem.as_bytes());
        store::insert_authority(&mut tx, &certificate_pem, &sealed, now).await?;
        tx.commit().await?;
        tracing::info!("made the certificate authority of the link to edges");
        Self::parse(&certificate_pem, &key_pem, settings)
    }

    fn parse(
        certificate_pem: &str,
        key_pem: &str,
        settings: &PublishSettings,
    ) -> Result<Self, AuthorityError> {
        let key = KeyPair::from_pem(key_pem)?;
        Ok(Self {
            secret: Arc::new(Zeroizing::new(key.serialize_der())),
            issuer: Arc::new(Issuer::from_ca_cert_pem(certificate_pem, key)?),
            certificate: CertificateDer::from_pem_slice(certificate_pem.as_bytes())?,
            certificate_pem: certificate_pem.into(),
            server_name: settings.quic_name.as_str().into(),
        })
    }

    /// `ca.pem`, which edges trust.
    pub fn certificate_pem(&self) -> &str {
        &self.certificate_pem
    }

    /// Whether this is the name of control planes, of relays or of keys that sign, by which edges recognise them.
    /// Case-insensitive, like all names in certificates.
    pub fn is_server_name(&self, name: &str) -> bool {
        [&*self.server_name, relay::SERVER_NAME, SIGNER_NAME]
            .iter()
            .any(|server| server.eq_ignore_ascii_case(name))
    }

    /// A key that all processes of the installation share.
    pub fn derive(&self, purpose: &str) -> Zeroizing<[u8; 32]> {
        derive(&self.secret, purpose)
    }

    pub const fn certificate(&self) -> &CertificateDer<'static> {
        &self.certificate
    }

    /// A new key and certificate for an edge. Its name has to be a valid DNS name.
    ///
    /// # Errors
    /// When the name is not valid, or the authority cannot be used.
    pub(crate) fn issue_edge(
        &self,
        edge: Subject<'_>,
        now: OffsetDateTime,
        life: Duration,
    ) -> Result<EdgeIdentity, AuthorityError> {
        let expires_at = now + life;
        let key = KeyPair::generate()?;
        let certificate = edge_params(edge, now, expires_at)?.signed_by(&key, &*self.issuer)?;
        Ok(EdgeIdentity {
            certificate_pem: certificate.pem(),
            key_pem: Zeroizing::new(key.serialize_pem()),
            fingerprint: fingerprint(certificate.der()),
            expires_at,
        })
    }

    /// A new certificate for an edge that made the key itself. Nothing else that it asked for is used.
    ///
    /// # Errors
    /// When the authority cannot be used.
    pub(crate) fn renew_edge(
        &self,
        edge: Subject<'_>,
        key: &RequestedKey,
        now: OffsetDateTime,
        life: Duration,
    ) -> Result<IssuedCertificate, AuthorityError> {
        let expires_at = now + life;
        let params = edge_params(edge, now, expires_at)?;
        let issued = params.signed_by(key.public_key(), &*self.issuer)?;
        let certificate: CertificateDer<'static> = issued.into();
        Ok(IssuedCertificate {
            fingerprint: fingerprint(&certificate),
            certificate,
            expires_at,
        })
    }

    /// A certificate for a key that signs what edges are sent (Ed25519).
    ///
    /// # Errors
    /// When the authority cannot be used.
    pub(crate) fn issue_signer(
        &self,
        public_key: &[u8],
        now: OffsetDateTime,
        until: OffsetDateTime,
    ) -> Result<CertificateDer<'static>, AuthorityError> {
        let mut params = leaf(SIGNER_NAME, now, until)?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        Ok(params
            .signed_by(&Ed25519(public_key), &*self.issuer)?
            .into())
    }

    pub(crate) fn issue_server(
        &self,
        name: &str,
        now: OffsetDateTime,
    ) -> Result<(CertificateDer<'static>, PrivateKeyDer<'static>), AuthorityError> {
        // Short, because a new one is cheap.
        let mut params = leaf(name, now, now + Duration::days(30))?;
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &*self.issuer)?.into();
        Ok((
            certificate,
            PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
        ))
    }
}

/// The public key of a key that signs.
struct Ed25519<'a>(&'a [u8]);

impl PublicKeyData for Ed25519<'_> {
    fn der_bytes(&self) -> &[u8] {
        self.0
    }

    fn algorithm(&self) -> &'static SignatureAlgorithm {
        &PKCS_ED25519
    }
}

fn make(now: OffsetDateTime) -> Result<(String, Zeroizing<String>), rcgen::Error> {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "Halyard link authority");
    params.not_before = now - LEEWAY;
    params.not_after = now + Duration::days(20 * 365);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    let key = KeyPair::generate()?;
    let certificate = params.self_signed(&key)?;
    Ok((certificate.pem(), Zeroizing::new(key.serialize_pem())))
}

fn edge_params(
    edge: Subject<'_>,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = leaf(edge.name, now, until)?;
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    if edge.is_relay {
        params
            .extended_key_usages
            .push(ExtendedKeyUsagePurpose::ServerAuth);
        let shared = relay::SERVER_NAME.try_into()?;
        params.subject_alt_names.push(SanType::DnsName(shared));
    }
    Ok(params)
}

fn leaf(
    name: &str,
    now: OffsetDateTime,
    until: OffsetDateTime,
) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new([name.to_owned()])?;
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_before = now - LEEWAY.min((until - now) / 10);
    params.not_after = until;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

fn read(folder: &Path, file: &'static str) -> Result<String, AuthorityError> {
    fs::read_to_string(folder.join(file)).map_err(|source| AuthorityError::File { file, source })
}
