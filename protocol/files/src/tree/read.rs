//! Reading the files of a folder.

use std::{fs, io::Read as _, path::Path};

use crate::{
    document::{Document, MAX_BYTES},
    problem::Problem,
};

/// How many files and folders are looked at.
const MAX_FILES: usize = 200_000;

/// How many bytes are read in all: 256 MiB.
const MAX_TOTAL: usize = 256 << 20;

/// How deep folders may be nested, so that links in a circle come to an end.
const MAX_FOLDERS: usize = 32;

/// Folders at the root whose files are read.
const FOLDERS: &[&str] = &["flags", "segments", "tests"];

/// The file at the root that is read, without its extension.
const ROOT_FILE: &str = "environments";

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Relative to the folder, with `/` between folders.
    pub name: String,
    pub text: String,
}

impl File {
    /// What the file says.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with its name.
    pub fn parse(&self) -> Result<Document, Vec<Problem>> {
        Document::parse_named(&self.name, &self.text)
    }
}

/// Reads the YAML and JSON files of a folder, sorted by name: those in `flags`, `segments` and `tests` and in folders below them,
/// and `environments`. Of the path to a single file, just that.
///
/// Names that begin with a dot are passed over, links are followed: a mounted ConfigMap is a folder of links into `..data`. Other
/// files are left alone. At most 200,000 files and folders are looked at, 1 MiB of a file is read and 256 MiB of all.
///
/// # Errors
///
/// What cannot be read, each with the name of its file: no text in UTF-8, too large, too many, too deep, or what the system says.
pub fn read(path: &Path) -> Result<Vec<File>, Vec<Problem>> {
    let mut reading = Reading::default();
    match fs::metadata(path) {
        Err(error) => reading.fail(&path.to_string_lossy(), error.to_string()),
        Ok(about) if about.is_dir() => reading.root(path),
        Ok(_) => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            reading.file(path, name.to_string_lossy().into_owned());
        }
    }
    if reading.problems.is_empty() {
        reading
            .files
            .sort_by(|one, other| one.name.cmp(&other.name));
        Ok(reading.files)
    } else {
        reading.problems.sort();
        Err(reading.problems)
    }
}

#[derive(Default)]
struct Reading {
    files: Vec<File>,
    problems: Vec<Problem>,
    looked_at: usize,
    bytes: usize,
}

impl Reading {
    fn fail(&mut self, name: &str, message: impl Into<String>) {
        self.problems.push(Problem::of_file(name, message));
    }

    fn root(&mut self, dir: &Path) {
        for name in self.names(dir, "") {
            let path = dir.join(&name);
            let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
            if FOLDERS.contains(&&*name) && path.is_dir() {
                self.folder(&path, &name, 1);
            } else if stem == ROOT_FILE && is_ours(&name) && !path.is_dir() {
                self.file(&path, name);
            }
        }
    }

    /// The names in a folder that do not begin with a dot.
    fn names(&mut self, dir: &Path, folder: &str) -> Vec<String> {
        let shown = if folder.is_empty() {
            dir.to_string_lossy().into_owned()
        } else {
            folder.to_owned()
        };
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) => {
                self.fail(&shown, error.to_string());
                return Vec::new();
            }
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = match entry {
                Ok(entry) => entry.file_name(),
                Err(error) => {
                    self.fail(&shown, error.to_string());
                    break;
                }
            };
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            self.looked_at += 1;
            match name.into_string() {
                _ if self.is_full() => break,
                Ok(name) => names.push(name),
                // Another's file, perhaps; ours have names that are text.
                Err(name) if is_ours(&name.to_string_lossy()) => {
                    self.fail(
                        &shown,
                        format!("the name {} is no UTF-8", name.to_string_lossy()),
                    );
                }
                Err(_) => {}
            }
        }
        names.sort();
        names
    }

    fn folder(&mut self, dir: &Path, folder: &str, depth: usize) {
        if depth > MAX_FOLDERS {
            return self.fail(
                folder,
                format!("more than {MAX_FOLDERS} folders in one another"),
            );
        }
        for name in self.names(dir, folder) {
            if self.is_full() {
                return;
            }
            let path = dir.join(&name);
            let name = format!("{folder}/{name}");
            if path.is_dir() {
                self.folder(&path, &name, depth + 1);
            } else if is_ours(&name) {
                self.file(&path, name);
            }
        }
    }

    fn file(&mut self, path: &Path, name: String) {
        match contents(path) {
            Err(message) => self.fail(&name, message),
            Ok(text) => {
                self.bytes += text.len();
                self.files.push(File { name, text });
            }
        }
        if self.bytes > MAX_TOTAL {
            self.fail("", format!("more than {} MiB in all", MAX_TOTAL >> 20));
        }
    }

    /// Whether a bound was passed, which is said once.
    fn is_full(&mut self) -> bool {
        if self.looked_at == MAX_FILES + 1 {
            self.fail("", format!("more than {MAX_FILES} files and folders"));
            self.looked_at += 1;
        }
        self.looked_at > MAX_FILES || self.bytes > MAX_TOTAL
    }
}

/// Whether a name is that of a YAML or JSON file.
fn is_ours(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("yaml" | "yml" | "json"))
}

fn contents(path: &Path) -> Result<String, String> {
    let describe = |error: std::io::Error| error.to_string();
    // Asked first: opening a pipe waits for its other end.
    if !fs::metadata(path).map_err(describe)?.is_file() {
        return Err("is no file".to_owned());
    }
    let file = fs::File::open(path).map_err(describe)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(describe)?;
    if bytes.len() > MAX_BYTES {
        return Err(format!("has more than {MAX_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("is no UTF-8 from byte {place} on")
    })
}
