//! Writing the files of a folder.

use std::{
    fs, io,
    io::Write as _,
    path::{Component, Path, PathBuf},
};

use crate::problem::Problem;

/// What was done to a folder. Names are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Files that were made, or had other bytes.
    pub written: Vec<String>,
    /// Files that were there and are gone.
    pub removed: Vec<String>,
}

/// Writes the files that have other bytes than these texts, and removes others. Names are relative to the folder, with `/`
/// between folders, which are made where they are missing. A file appears whole or not at all, and keeps its permissions; a link
/// in its place is replaced by it.
///
/// # Errors
///
/// The first name that leads out of the folder, before anything is written; the first file that cannot be written or removed,
/// after which those before it are as wanted.
pub fn write_changed<N: AsRef<str>, T: AsRef<str>>(
    dir: &Path,
    files: &[(N, T)],
    removed: &[N],
) -> Result<Written, Problem> {
    let names = files.iter().map(|(name, _)| name).chain(removed);
    for name in names.map(AsRef::as_ref) {
        if !stays_within(name) {
            return Err(Problem::of_file(name, "is no name of a file in the folder"));
        }
    }
    let failed = |name: &str, error: io::Error| Problem::of_file(name, error.to_string());
    let shown = dir.to_string_lossy();
    fs::create_dir_all(dir).map_err(|error| failed(&shown, error))?;
    let root = dir.canonicalize().map_err(|error| failed(&shown, error))?;
    let mut done = Written::default();
    for (name, text) in files {
        let name = name.as_ref();
        if write(&root, name, text.as_ref()).map_err(|error| failed(name, error))? {
            done.written.push(name.to_owned());
        }
    }
    for name in removed {
        let name = name.as_ref();
        if remove(&root, name).map_err(|error| failed(name, error))? {
            done.removed.push(name.to_owned());
        }
    }
    done.written.sort();
    done.removed.sort();
    Ok(done)
}

/// Whether a name is one of a file below a folder, to any system.
fn stays_within(name: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let has_odd = name.contains(['\\', ':', '\0']);
    let all_normal = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    !has_odd && all_normal && name.split('/').all(is_part)
}

/// Writes a file if it has other bytes; whether it had.
fn write(root: &Path, name: &str, text: &str) -> io::Result<bool> {
    let path = root.join(name);
    if has_bytes(&path, text.as_bytes())? {
        return Ok(false);
    }
    let parent = path.parent().unwrap_or(root);
    make_folder(root, parent)?;
    let permissions = match fs::metadata(&path) {
        Ok(about) if about.is_file() => Some(about.permissions()),
        _ => None,
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(parent)?;
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(&path)?;
    Ok(true)
}

fn has_bytes(path: &Path, wanted: &[u8]) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(about) if about.is_file() && usize::try_from(about.len()) == Ok(wanted.len()) => {
            Ok(fs::read(path)? == wanted)
        }
        Ok(_) => Ok(false),
        // Also of a link that leads nowhere.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a folder below the root, unless a link on the way leads out of it.
fn make_folder(root: &Path, folder: &Path) -> io::Result<()> {
    let mut made = PathBuf::from(root);
    for part in folder.strip_prefix(root).map_err(io::Error::other)? {
        made.push(part);
        match fs::create_dir(&made) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => stay(root, &made)?,
        }
    }
    Ok(())
}

fn stay(root: &Path, folder: &Path) -> io::Result<()> {
    if folder.canonicalize()?.starts_with(root) {
        return Ok(());
    }
    Err(io::Error::other("a link leads out of the folder"))
}

/// Removes a file; whether it was there.
fn remove(root: &Path, name: &str) -> io::Result<bool> {
    let path = root.join(name);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
        Ok(_) => stay(root, path.parent().unwrap_or(root))?,
    }
    fs::remove_file(path).map(|()| true)
}
