//! What can go wrong when a client is made. Nothing else fails.

use std::path::{Path, PathBuf};

use protocol::wire::merge::Damaged;

use crate::copy::CopyError;

/// Why a client did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A setting cannot be used.
    #[error("{0}")]
    Settings(String),
    /// The edge refuses the API key.
    #[error("the API key is refused: {0}")]
    Refused(String),
    /// The edge gave no environment in time, and there is no local copy.
    #[error("there are no flags in time: {0}")]
    Timeout(String),
    /// There is no Tokio runtime here.
    #[error("a client starts in a Tokio runtime")]
    Runtime,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct FileError {
    path: PathBuf,
    why: String,
}

impl FileError {
    pub(crate) fn new(path: &Path, why: &CopyError) -> Self {
        Self {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}

/// Contents that no environment can have.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SnapshotError(#[from] Damaged);
