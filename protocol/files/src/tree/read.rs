//! Reading the files of a folder.

use std::{
    fs::{self, FileType},
    io::Read as _,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

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
        Ok(about) => {
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            reading.file(path.to_owned(), name, about.file_type());
        }
    }
    reading.contents();
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
    /// Files whose contents are still to be read.
    found: Vec<Found>,
    files: Vec<File>,
    problems: Vec<Problem>,
    looked_at: usize,
}

/// A file that is to be read.
struct Found {
    path: PathBuf,
    name: String,
}

impl Reading {
    fn fail(&mut self, name: &str, message: impl Into<String>) {
        self.problems.push(Problem::of_file(name, message));
    }

    fn root(&mut self, dir: &Path) {
        for (name, _) in self.names(dir, "") {
            let path = dir.join(&name);
            let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
            if FOLDERS.contains(&&*name) && path.is_dir() {
                self.folder(&path, &name, 1);
            } else if stem == ROOT_FILE && is_ours(&name) && !path.is_dir() {
                self.look_at(path, name, None, 0);
            }
        }
    }

    /// The names in a folder that do not begin with a dot, and what they are as far as the folder says.
    fn names(&mut self, dir: &Path, folder: &str) -> Vec<(String, Option<FileType>)> {
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
            let (name, kind) = match entry {
                Ok(entry) => (entry.file_name(), entry.file_type().ok()),
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
                Ok(name) => names.push((name, kind)),
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
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        names
    }

    fn folder(&mut self, dir: &Path, folder: &str, depth: usize) {
        if depth > MAX_FOLDERS {
            return self.fail(
                folder,
                format!("more than {MAX_FOLDERS} folders in one another"),
            );
        }
        for (name, kind) in self.names(dir, folder) {
            if self.is_full() {
                return;
            }
            let path = dir.join(&name);
            self.look_at(path, format!("{folder}/{name}"), kind, depth + 1);
        }
    }

    /// A file or a folder. What is neither is told if it has a name of ours.
    fn look_at(&mut self, path: PathBuf, name: String, kind: Option<FileType>, depth: usize) {
        let kind = match kind.filter(|kind| !kind.is_symlink()) {
            Some(kind) => Ok(kind),
            None => fs::metadata(&path).map(|about| about.file_type()),
        };
        match kind {
            Ok(kind) if kind.is_dir() => self.folder(&path, &name, depth),
            Ok(kind) if is_ours(&name) => self.file(path, name, kind),
            Err(error) if is_ours(&name) => self.fail(&name, error.to_string()),
            Ok(_) | Err(_) => {}
        }
    }

    fn file(&mut self, path: PathBuf, name: String, kind: FileType) {
        // Not opened: opening a pipe waits for its other end.
        if !kind.is_file() {
            return self.fail(&name, "is no file");
        }
        self.found.push(Found { path, name });
    }

    /// Reads the files that were found, on all processors.
    fn contents(&mut self) {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let share = self.found.len().div_ceil(threads).max(64);
        let total = AtomicUsize::new(0);
        let total = &total;
        let found = std::mem::take(&mut self.found);
        let read: Vec<_> = thread::scope(|scope| {
            let shares = found.chunks(share);
            let others: Vec<_> = shares
                .map(|share| scope.spawn(move || (share, texts(share, total))))
                .collect();
            let read = others.into_iter().map(thread::ScopedJoinHandle::join);
            read.map(|share| share.expect("reading a file does not panic"))
                .collect()
        });
        let mut is_too_much = false;
        for (share, texts) in read {
            for (Found { name, .. }, (more, text)) in share.iter().zip(texts) {
                is_too_much |= more;
                match text {
                    Ok(text) => self.files.push(File {
                        name: name.clone(),
                        text,
                    }),
                    Err(message) => self.fail(name, message),
                }
            }
        }
        if is_too_much {
            self.fail("", format!("more than {} MiB in all", MAX_TOTAL >> 20));
        }
    }

    /// Whether a bound was passed, which is said once.
    fn is_full(&mut self) -> bool {
        if self.looked_at == MAX_FILES + 1 {
            self.fail("", format!("more than {MAX_FILES} files and folders"));
            self.looked_at += 1;
        }
        self.looked_at > MAX_FILES
    }
}

/// Whether a name is that of a YAML or JSON file.
fn is_ours(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("yaml" | "yml" | "json"))
}

/// The texts of files, up to one with which there are too many bytes in all: whether it is one.
fn texts(found: &[Found], total: &AtomicUsize) -> Vec<(bool, Result<String, String>)> {
    let mut texts = Vec::with_capacity(found.len());
    let mut room = Vec::new();
    for found in found {
        let text = contents(&found.path, &mut room);
        let bytes = text.as_ref().map_or(0, String::len);
        let is_too_much = total.fetch_add(bytes, Ordering::Relaxed) + bytes > MAX_TOTAL;
        texts.push((is_too_much, text));
        if is_too_much {
            break;
        }
    }
    texts
}

/// The text of a file, which is read into `room` first: how long it is shows only then.
fn contents(path: &Path, room: &mut Vec<u8>) -> Result<String, String> {
    let describe = |error: std::io::Error| error.to_string();
    let file = fs::File::open(path).map_err(describe)?;
    room.clear();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    file.take(limit + 1).read_to_end(room).map_err(describe)?;
    if room.len() > MAX_BYTES {
        return Err(format!("has more than {MAX_BYTES} bytes"));
    }
    match str::from_utf8(room) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => Err(format!("is no UTF-8 from byte {} on", error.valid_up_to())),
    }
}
