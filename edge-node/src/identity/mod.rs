//! The folder of this edge's identity, `EDGE_IDENTITY`: a certificate with its key, and whom the edge trusts.
//!
//! `halyard edge enroll` writes it. The edge renews what is its own in it before the certificate ends (`upstream` asks for
//! the new one), and tells in time when it cannot.

mod files;
mod key;
mod schedule;
mod validity;
mod watch;

use std::{
    fs,
    io::{self, ErrorKind},
    path::Path,
};

use rustls::RootCertStore;
use rustls_pki_types::{
    CertificateDer, PrivateKeyDer,
    pem::{self, PemObject},
};
use zeroize::Zeroizing;

pub(crate) use self::{
    files::{Draft, settle},
    key::NewKey,
    schedule::{pause, renewal_begins},
    validity::{Unreadable, Validity},
    watch::watch,
};

pub(crate) const AUTHORITY: &str = "ca.pem";
pub(crate) const CERTIFICATE: &str = "edge.pem";
pub(crate) const KEY: &str = "edge.key";
/// A certificate and its key that have not replaced the two files yet.
const NEXT: &str = "edge.next.pem";

/// Why an identity cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IdentityError {
    /// A file is missing, or is not what its name says.
    #[error("cannot read {file}")]
    File {
        /// Its name in the folder.
        file: &'static str,
        /// What is wrong with it.
        #[source]
        source: pem::Error,
    },
    /// The files do not belong together.
    #[error("the certificates cannot be used")]
    Certificates(#[from] rustls::Error),
    /// The certificate does not say for how long it is valid.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

/// An identity, as both ends of a link need it.
#[derive(Debug)]
pub(crate) struct Credentials {
    pub(crate) pair: Pair,
    /// At least one authority.
    pub(crate) roots: RootCertStore,
}

impl Credentials {
    /// Reads the folder.
    ///
    /// # Errors
    /// When a file is missing or unreadable.
    pub(crate) fn read(folder: &Path) -> Result<Self, IdentityError> {
        let mut roots = RootCertStore::empty();
        for certificate in certificates(folder, AUTHORITY)? {
            roots.add(certificate)?;
        }
        let pair = Pair::read(folder)?;
        Ok(Self { pair, roots })
    }
}

/// A certificate, those that lead from it to the authority, and its key.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) chain: Vec<CertificateDer<'static>>,
    pub(crate) key: PrivateKeyDer<'static>,
}

impl Pair {
    /// What the edge connects with: what renews its identity, if that was not put in its place yet.
    ///
    /// # Errors
    /// When a file is missing or unreadable.
    // A process that ends while the two files are replaced leaves a new key beside an old certificate, but then the pair
    // that replaces them is still there.
    pub(crate) fn read(folder: &Path) -> Result<Self, IdentityError> {
        match Self::read_next(folder)? {
            Some(next) => Ok(next),
            None => Self::read_files(folder),
        }
    }

    fn read_files(folder: &Path) -> Result<Self, IdentityError> {
        let chain = certificates(folder, CERTIFICATE)?;
        let file = KEY;
        let key = PrivateKeyDer::from_pem_file(folder.join(file))
            .map_err(|source| IdentityError::File { file, source })?;
        Ok(Self { chain, key })
    }

    /// The pair that renews the identity, if there is one. Where `edge.pem` begins later, somebody enrolled the edge anew
    /// since.
    fn read_next(folder: &Path) -> Result<Option<Self>, IdentityError> {
        let text = match fs::read(folder.join(NEXT)) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(IdentityError::File {
                    file: NEXT,
                    source: pem::Error::Io(error),
                });
            }
        };
        Ok(Self::parse(&text).filter(|next| {
            let current = certificates(folder, CERTIFICATE).ok();
            let current = current.and_then(|chain| Validity::of(chain.first()?).ok());
            match (next.validity(), current) {
                (Ok(next), Some(current)) => current.from_ms <= next.from_ms,
                (next, _) => next.is_ok(),
            }
        }))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let chain = CertificateDer::pem_slice_iter(text).collect::<Result<_, _>>();
        Some(Self {
            chain: chain.ok()?,
            key: PrivateKeyDer::from_pem_slice(text).ok()?,
        })
    }

    /// From when until when it is valid.
    ///
    /// # Errors
    /// When that cannot be read.
    pub(crate) fn validity(&self) -> Result<Validity, Unreadable> {
        Validity::of(self.chain.first().ok_or(Unreadable)?)
    }
}

/// The certificates of a file, at least one.
///
/// # Errors
/// When there is none, or it cannot be read.
fn certificates(
    folder: &Path,
    file: &'static str,
) -> Result<Vec<CertificateDer<'static>>, IdentityError> {
    let unreadable = |source| IdentityError::File { file, source };
    let certificates: Vec<_> = CertificateDer::pem_file_iter(folder.join(file))
        .map_err(unreadable)?
        .collect::<Result<_, _>>()
        .map_err(unreadable)?;
    if certificates.is_empty() {
        Err(unreadable(pem::Error::NoItemsFound))
    } else {
        Ok(certificates)
    }
}

/// Why an identity was not written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {file}")]
pub(crate) struct WriteError {
    file: &'static str,
    #[source]
    source: io::Error,
}
