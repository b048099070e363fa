//! Tells other processes where this one listens.
//!
//! A process that is told to listen on port 0 gets a port from the system that nobody else has. Whoever started it learns
//! the port from a file, which has a line `name=address` for each address. The file appears with all its lines at once and
//! stays when the process has ended: remove it before a start whose addresses you wait for.

use std::{
    ffi::OsString,
    fmt::Write,
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

/// The file could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write ADDRESS_FILE {}", path.display())]
pub struct CannotWrite {
    path: PathBuf,
    source: io::Error,
}

/// Writes `addresses`, by name, to `path`, in place of what is there.
///
/// # Errors
/// When the folder does not exist or cannot be written to, or `path` is a folder itself; nothing is left behind then.
pub fn write(path: &Path, addresses: &[(&str, SocketAddr)]) -> Result<(), CannotWrite> {
    let mut lines = String::new();
    for (name, address) in addresses {
        writeln!(lines, "{name}={address}").expect("writing to a string cannot fail");
    }
    let mut unfinished = OsString::from(path);
    unfinished.push(".unfinished");
    fs::write(&unfinished, lines)
        .and_then(|()| fs::rename(&unfinished, path))
        .map_err(|source| {
            // What failed is told below; that nothing could be removed after it would only distract.
            drop(fs::remove_file(&unfinished));
            CannotWrite {
                path: path.to_owned(),
                source,
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::chain;

    fn names_in(folder: &Path) -> Vec<OsString> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect()
    }

    #[test]
    fn each_address_has_its_line_and_older_ones_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("addresses");
        fs::write(&path, "quic=127.0.0.1:1\nhttp=127.0.0.1:2\n").unwrap();
        let addresses = [
            ("http", "127.0.0.1:4711".parse().unwrap()),
            ("admin", "[::1]:4712".parse().unwrap()),
        ];
        write(&path, &addresses).unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "http=127.0.0.1:4711\nadmin=[::1]:4712\n"
        );
        assert_eq!(names_in(folder.path()), ["addresses"]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing/addresses");
        let told = chain(&write(&path, &[]).unwrap_err());
        let begin = format!("cannot write ADDRESS_FILE {}: ", path.display());
        assert!(told.starts_with(&begin), "{told}");
        assert!(told.contains("No such file"), "{told}");
    }

    #[test]
    fn nothing_is_left_behind_where_a_folder_is_in_the_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("addresses");
        fs::create_dir(&path).unwrap();
        let address = "127.0.0.1:4711".parse().unwrap();
        assert!(write(&path, &[("http", address)]).is_err());
        assert_eq!(names_in(folder.path()), ["addresses"]);
    }
}
