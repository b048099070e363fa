//! Mail as files, for development and tests: one `<id>.eml` each, readable only by the owner.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use super::{SendError, StartError};
use crate::ids::MailId;

pub(in crate::mail) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new(path: PathBuf) -> Result<Self, StartError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
            .map_err(StartError::Folder)?;
        Ok(Self { path })
    }

    /// Writes an email atomically: readers of the folder see only complete files. Names are in order of creation.
    pub(super) async fn write(&self, id: MailId, message: Vec<u8>) -> Result<(), SendError> {
        let unfinished = self.path.join(format!(".{id}"));
        let file = self.path.join(format!("{id}.eml"));
        let write = move || {
            write_private(&unfinished, &message)?;
            fs::rename(&unfinished, &file)
        };
        let written = tokio::task::spawn_blocking(write).await;
        written
            .unwrap_or_else(|panic| Err(io::Error::other(panic)))
            .map_err(|error| SendError::Failed(error.into()))
    }
}

fn write_private(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(content)
}
