//! Why the cache cannot be used, and whether that says anything about what is stored.

use std::io::{self, ErrorKind};

use protocol::wire::merge::Damaged;

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// sled reported an error.
    #[error("the store refused")]
    Store(#[from] sled::Error),
    /// sled panicked.
    #[error("the store panicked")]
    Panicked,
    /// The file system reported an error.
    #[error("the folder refused")]
    Folder(#[from] io::Error),
    /// What was read is not what was written.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// What is stored was received as another edge, or for more regions than this one may hold.
    #[error("filled under another certificate or for another region")]
    Foreign,
    /// Another process has its cache in this folder.
    #[error("the folder is in use by another process")]
    InUse,
}

impl From<Damaged> for CacheError {
    fn from(Damaged(what): Damaged) -> Self {
        Self::Damaged(what)
    }
}

impl CacheError {
    /// Whether what is on disk cannot be used, however often it is read. A disk that is full, read-only or broken says
    /// nothing about its contents: they stay until it works again.
    pub(super) fn is_final(&self) -> bool {
        match self {
            Self::Store(sled::Error::Io(error)) => is_contradiction(error.kind()),
            Self::Store(_) | Self::Panicked | Self::Damaged(_) | Self::Foreign => true,
            Self::Folder(_) | Self::InUse => false,
        }
    }
}

/// Kinds that sled's reads end with when files are shorter than others of its files say, or missing.
fn is_contradiction(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnexpectedEof
            | ErrorKind::InvalidData
            | ErrorKind::InvalidInput
            | ErrorKind::NotFound
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_fails_is_not_damage() {
        for kind in [
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::FileTooLarge,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::PermissionDenied,
            ErrorKind::TimedOut,
            // EIO has no kind of its own.
            io::Error::from_raw_os_error(5).kind(),
            ErrorKind::Other,
        ] {
            let by_store = CacheError::Store(sled::Error::Io(kind.into()));
            assert!(!by_store.is_final(), "{kind}");
            assert!(!CacheError::Folder(kind.into()).is_final(), "{kind}");
        }
        assert!(!CacheError::InUse.is_final());
    }

    #[test]
    fn contents_that_contradict_each_other_are_damage() {
        for kind in [ErrorKind::UnexpectedEof, ErrorKind::NotFound] {
            let error = CacheError::Store(sled::Error::Io(kind.into()));
            assert!(error.is_final(), "{kind}");
        }
        let corrupt = sled::Error::Corruption { at: None, bt: () };
        assert!(CacheError::Store(corrupt).is_final());
        assert!(CacheError::Damaged("a header").is_final());
    }
}
