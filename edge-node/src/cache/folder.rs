//! The folder of a cache: one generation beside the other, of which the newest is current.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::CacheError;

/// Generations are named after the format of their contents, then numbered.
const PREFIX: &str = "v1-";

/// Locks the folder for this process, for as long as the returned file is open.
pub(super) fn lock(folder: &Path) -> Result<fs::File, CacheError> {
    fs::create_dir_all(folder)?;
    let lock = fs::File::create(folder.join("lock"))?;
    lock.try_lock().map_err(|error| match error {
        fs::TryLockError::WouldBlock => CacheError::InUse,
        fs::TryLockError::Error(error) => error.into(),
    })?;
    Ok(lock)
}

pub(super) fn generation(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number:06}"))
}

pub(super) fn generations(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok());
        numbers.extend(number);
    }
    Ok(numbers)
}

/// Removes all generations but one, as far as possible.
pub(super) fn keep_only(folder: &Path, current: u64) -> io::Result<()> {
    for old in generations(folder)?
        .into_iter()
        .filter(|&old| old != current)
    {
        if let Err(error) = fs::remove_dir_all(generation(folder, old)) {
            tracing::warn!(%error, "cannot remove an old cache generation");
        }
    }
    Ok(())
}

/// Bytes of all files below a path.
pub(super) fn size(path: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut total = 0;
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() {
            size(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(total)
}
