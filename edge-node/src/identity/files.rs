//! Replaces a certificate and its key so that at every moment one of the two pairs is complete.
//!
//! 1. Before anything is asked for, a [`Draft`] is written with the new key: where the folder cannot be written to, no
//!    certificate is issued in vain.
//! 2. The certificate is added, everything reaches the disk, and the draft becomes `edge.next.pem` by a rename. From then
//!    on it is what is read ([`Pair::read`]), whatever the other two files say.
//! 3. `edge.key`, then `edge.pem`, are replaced by a rename each, and `edge.next.pem` is removed. A process that ends in
//!    between continues here when it starts again ([`settle`]).

use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use data_encoding::BASE64;
use rustls_pki_types::CertificateDer;
use zeroize::Zeroizing;

use super::{CERTIFICATE, KEY, NEXT, NewKey, Pair, WriteError};

const DRAFT: &str = "edge.next.draft";
const PART: &str = "edge.part";
const BEGIN: &str = "-----BEGIN CERTIFICATE-----";

/// A pair whose certificate is missing yet.
#[derive(Debug)]
pub(crate) struct Draft {
    folder: PathBuf,
    file: File,
}

impl Draft {
    /// Writes the key.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub(crate) fn begin(folder: &Path, key: &NewKey) -> Result<Self, WriteError> {
        let write = || {
            remove(&folder.join(DRAFT))?;
            let mut file = create(&folder.join(DRAFT), 0o600)?;
            file.write_all(key.pem().as_bytes())?;
            file.sync_all()?;
            Ok(file)
        };
        let file = write().map_err(|source| WriteError {
            file: DRAFT,
            source,
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            file,
        })
    }

    /// Adds the certificate. From now on the edge connects with it.
    ///
    /// # Errors
    /// When it cannot be written; the identity is the old one then.
    pub(crate) fn complete(mut self, certificate: &CertificateDer<'_>) -> Result<(), WriteError> {
        let mut write = || {
            self.file.write_all(pem(certificate).as_bytes())?;
            self.file.sync_all()?;
            fs::rename(self.folder.join(DRAFT), self.folder.join(NEXT))?;
            sync(&self.folder)
        };
        write().map_err(|source| WriteError { file: NEXT, source })?;
        settle(&self.folder)
    }
}

/// Puts a pair that renews the identity in its place, if there is one.
///
/// # Errors
/// When a file cannot be written; the pair stays beside the others and is used all the same.
pub(crate) fn settle(folder: &Path) -> Result<(), WriteError> {
    let failed = |file| move |source| WriteError { file, source };
    let next = Pair::read_next(folder).map_err(|error| failed(NEXT)(io::Error::other(error)))?;
    if let Some(next) = next {
        let key = key_pem(&folder.join(NEXT)).map_err(failed(NEXT))?;
        replace(folder, KEY, 0o600, key.as_bytes()).map_err(failed(KEY))?;
        let chain: String = next.chain.iter().map(pem).collect();
        replace(folder, CERTIFICATE, 0o644, chain.as_bytes()).map_err(failed(CERTIFICATE))?;
    }
    for file in [NEXT, DRAFT] {
        remove(&folder.join(file)).map_err(failed(file))?;
    }
    Ok(())
}

/// The key of a pair, as it was written.
fn key_pem(pair: &Path) -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(fs::read_to_string(pair)?);
    let end = text.find(BEGIN).unwrap_or(text.len());
    text.truncate(end);
    Ok(text)
}

fn pem(certificate: &CertificateDer<'_>) -> String {
    let text = BASE64.encode(certificate);
    let mut pem = String::from(BEGIN);
    for (place, letter) in text.chars().enumerate() {
        // A line of a PEM file has 64 letters.
        if place % 64 == 0 {
            pem.push('\n');
        }
        pem.push(letter);
    }
    pem + "\n-----END CERTIFICATE-----\n"
}

fn replace(folder: &Path, name: &str, mode: u32, contents: &[u8]) -> io::Result<()> {
    let part = folder.join(PART);
    remove(&part)?;
    let mut file = create(&part, mode)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(&part, folder.join(name))?;
    sync(folder)
}

fn create(path: &Path, mode: u32) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
}

fn remove(path: &Path) -> io::Result<()> {
    // A file system that is read-only refuses to remove even what is not there.
    match fs::symlink_metadata(path) {
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// A rename is on disk once its folder is.
fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use rcgen::{CertificateParams, Issuer, KeyPair, PublicKeyData};
    use tempfile::TempDir;
    use time::{Duration, OffsetDateTime, macros::datetime};

    use super::*;

    const ENROLLED: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    fn issue(key: &impl PublicKeyData, from: OffsetDateTime) -> CertificateDer<'static> {
        let mut params = CertificateParams::new(["edge-1".to_owned()]).unwrap();
        params.not_before = from;
        params.not_after = from + Duration::days(90);
        let issuer = Issuer::new(CertificateParams::default(), KeyPair::generate().unwrap());
        params.signed_by(key, &issuer).unwrap().into()
    }

    /// A folder as an operator enrolled it.
    fn enrolled() -> (TempDir, CertificateDer<'static>) {
        let folder = TempDir::new().unwrap();
        let key = KeyPair::generate().unwrap();
        let certificate = issue(&key, ENROLLED);
        fs::write(folder.path().join(KEY), key.serialize_pem()).unwrap();
        fs::write(folder.path().join(CERTIFICATE), pem(&certificate)).unwrap();
        (folder, certificate)
    }

    /// A pair that was written, and a certificate that is its.
    fn renewed(folder: &Path, from: OffsetDateTime) -> CertificateDer<'static> {
        let key = NewKey::make().unwrap();
        let draft = Draft::begin(folder, &key).unwrap();
        let certificate = issue(&rcgen_key(&key), from);
        draft.complete(&certificate).unwrap();
        certificate
    }

    fn rcgen_key(key: &NewKey) -> KeyPair {
        KeyPair::from_pem(&key.pem()).unwrap()
    }

    /// The certificate that is connected with, of which the key has to be.
    fn read(folder: &Path) -> CertificateDer<'static> {
        let Pair { mut chain, key } = Pair::read(folder).unwrap();
        let key = KeyPair::try_from(key.secret_der()).unwrap();
        let (_, parsed) = x509_parser::parse_x509_certificate(&chain[0]).unwrap();
        assert_eq!(
            *parsed.public_key().subject_public_key.data,
            *key.der_bytes(),
            "the key is of the certificate"
        );
        chain.remove(0)
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_renewed_identity_replaces_the_files_and_its_key_is_for_its_owner_alone() {
        let (folder, _) = enrolled();
        let folder = folder.path();
        let certificate = renewed(folder, ENROLLED + Duration::days(60));
        assert_eq!(read(folder), certificate);
        assert_eq!(files(folder), [KEY, CERTIFICATE]);
        let mode = fs::metadata(folder.join(KEY)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn whenever_the_process_ends_one_complete_identity_is_left() {
        let (folder, old) = enrolled();
        let folder = folder.path();
        let key = NewKey::make().unwrap();
        let new = issue(&rcgen_key(&key), ENROLLED + Duration::days(60));
        let pair = key.pem().to_string() + &pem(&new);
        let is_new = |expected: bool, when: &str| {
            let expected = if expected { &new } else { &old };
            assert_eq!(read(folder), *expected, "{when}");
        };

        drop(Draft::begin(folder, &key).unwrap());
        is_new(false, "while the certificate is asked for");
        fs::write(folder.join(DRAFT), &pair[..pair.len() - 30]).unwrap();
        is_new(false, "while the draft is written");

        fs::rename(folder.join(DRAFT), folder.join("torn")).unwrap();
        fs::write(folder.join(NEXT), &pair).unwrap();
        fs::remove_file(folder.join("torn")).unwrap();
        is_new(true, "before the files are replaced");
        fs::write(folder.join(PART), "half of a").unwrap();
        is_new(true, "while the key is written");
        fs::write(folder.join(KEY), key.pem().as_bytes()).unwrap();
        is_new(true, "between the two files");
        fs::write(folder.join(CERTIFICATE), pem(&new)).unwrap();
        is_new(true, "before the pair is removed");

        settle(folder).unwrap();
        is_new(true, "at last");
        fs::remove_file(folder.join(PART)).unwrap_or_default();
        assert_eq!(files(folder), [KEY, CERTIFICATE]);
    }

    #[test]
    fn a_start_continues_what_was_cut_off() {
        let (folder, _) = enrolled();
        let folder = folder.path();
        let key = NewKey::make().unwrap();
        let new = issue(&rcgen_key(&key), ENROLLED + Duration::days(60));
        fs::write(folder.join(NEXT), key.pem().to_string() + &pem(&new)).unwrap();
        fs::write(folder.join(KEY), key.pem().as_bytes()).unwrap();
        settle(folder).unwrap();
        assert_eq!(read(folder), new);
        assert_eq!(files(folder), [KEY, CERTIFICATE]);
        settle(folder).unwrap();
        assert_eq!(read(folder), new);
    }

    #[test]
    fn who_enrolls_the_edge_anew_is_not_overruled_by_an_older_renewal() {
        let (folder, newer) = enrolled();
        let folder = folder.path();
        let key = NewKey::make().unwrap();
        let older = issue(&rcgen_key(&key), ENROLLED - Duration::days(1));
        fs::write(folder.join(NEXT), key.pem().to_string() + &pem(&older)).unwrap();
        assert_eq!(read(folder), newer);
        settle(folder).unwrap();
        assert_eq!(read(folder), newer);
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_noticed_before_anything_is_asked_for() {
        let (folder, old) = enrolled();
        let key = NewKey::make().unwrap();
        fs::create_dir(folder.path().join(DRAFT)).unwrap();
        let refused = Draft::begin(folder.path(), &key).unwrap_err();
        assert_eq!(refused.to_string(), "cannot write edge.next.draft");
        assert!(Draft::begin(&folder.path().join("missing"), &key).is_err());
        assert_eq!(read(folder.path()), old);
    }
}
