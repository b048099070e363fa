//! The folder of a cache: one generation beside the other, of which the newest complete one is current.
//!
//! A generation is made under a name that does not count, and renamed once it is complete and on disk. A crash at any
//! point therefore leaves a complete one, and whatever else it leaves is removed at the next start.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use super::CacheError;

/// Generations are named after the format of their contents, then numbered.
const PREFIX: &str = "v1-";
/// What is appended to the name of one that is being made.
const UNFINISHED: &str = ".new";

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

/// The name of a generation until it is [finished](finish).
pub(super) fn unfinished(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number:06}{UNFINISHED}"))
}

/// The complete generations.
pub(super) fn generations(folder: &Path) -> io::Result<Vec<u64>> {
    let number = |name: &str| name.strip_prefix(PREFIX)?.parse::<u64>().ok();
    Ok(names(folder)?
        .iter()
        .filter_map(|name| number(name))
        .collect())
}

/// Gives a generation that is complete the name by which it counts, and makes that durable.
pub(super) fn finish(folder: &Path, number: u64) -> io::Result<()> {
    fs::rename(unfinished(folder, number), generation(folder, number))?;
    fs::File::open(folder)?.sync_all()
}

/// Removes what was begun and never finished, as far as possible.
pub(super) fn remove_unfinished(folder: &Path) -> io::Result<()> {
    for name in names(folder)? {
        if name.starts_with(PREFIX) && name.ends_with(UNFINISHED) {
            remove(&folder.join(name));
        }
    }
    Ok(())
}

/// Removes all generations but one, as far as possible.
pub(super) fn keep_only(folder: &Path, current: u64) -> io::Result<()> {
    let mut others = generations(folder)?;
    others.retain(|&other| other != current);
    for other in others {
        remove(&generation(folder, other));
    }
    Ok(())
}

/// Whether something can be written and made durable: the error if not.
pub(crate) fn try_writing(folder: &Path) -> io::Result<()> {
    let path = folder.join("trial");
    let write = || {
        fs::create_dir_all(folder)?;
        let mut file = fs::File::create(&path)?;
        // As much as the store allocates at a time: with less it would fail soon. Not zeros, which some file systems store
        // without using space.
        file.write_all(&vec![0xa5; 512 << 10])?;
        file.sync_all()
    };
    let written = write();
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => written.and(Err(error)),
        _ => written,
    }
}

/// Bytes of all files below a path.
pub(super) fn size(path: &Path) -> io::Result<u64> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
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

fn remove(generation: &Path) {
    if let Err(error) = fs::remove_dir_all(generation) {
        tracing::warn!(%error, "cannot remove an old cache generation");
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}
