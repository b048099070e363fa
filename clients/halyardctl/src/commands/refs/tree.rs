//! Walks a tree of files on all processors, and looks for flags in each. What is found has one order, whoever was first.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use definition::input::breaks_a_line;
use ignore::{WalkBuilder, WalkState, gitignore::Gitignore};

use super::{
    bound::{MAX_REFERENCES, bound},
    patterns::Patterns,
};
use crate::api::Error;

/// A larger file is no source text: 1 MiB.
const MAX_BYTES: u64 = 1 << 20;

/// The longest path that the service takes, in bytes.
const MAX_PATH: usize = 1024;

/// How many references are held before those are left out that would not be sent: memory is bounded by it.
const SWEEP: usize = 200_000;

/// How many are kept then; more than are sent, so that the same ones are sent in whichever order files are read.
const KEPT: usize = 2 * MAX_REFERENCES;

/// A reference of a flag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    /// The flag's place among the keys.
    pub(super) key: usize,
    /// Relative to the root, with `/` between folders.
    pub(super) path: Arc<str>,
    /// Counts from 1.
    pub(super) line: u32,
    /// In characters, counts from 1.
    pub(super) column: u32,
    /// The name, unless it is the key.
    pub(super) alias: Option<String>,
}

/// What was found in a tree.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// By key, path and line; one for each line.
    pub(super) references: Vec<Reference>,
    /// How many files were looked at.
    pub(super) files: usize,
    /// How many references were found and not kept.
    pub(super) left_out: usize,
}

/// Which files are looked at.
#[derive(Debug)]
pub(super) struct Tree {
    /// What paths are relative to.
    pub(super) root: PathBuf,
    /// What is walked: the root, or something in it.
    pub(super) path: PathBuf,
    /// Only these; all if there are none.
    pub(super) include: Gitignore,
    /// None of these.
    pub(super) exclude: Gitignore,
    /// Not these files, and not what is in these folders.
    pub(super) without: Vec<PathBuf>,
}

/// Looks for flags in a tree. Ignored and hidden files are left out, and binary ones, those over 1 MiB, and what `generate` made.
/// At most [`MAX_REFERENCES`] are kept.
///
/// # Errors
/// When the tree, or a file in it, cannot be read.
pub(super) fn scan(tree: &Tree, patterns: &Patterns) -> Result<Scanned, Error> {
    let scanned = Mutex::new(Scanned::default());
    let failed = Mutex::new(None);
    let walk = WalkBuilder::new(&tree.path)
        .add_custom_ignore_filename(".halyardignore")
        .require_git(false)
        // What is ignored must not depend on the machine.
        .git_global(false)
        .git_exclude(false)
        .threads(0)
        .build_parallel();
    walk.run(|| {
        let (scanned, failed) = (&scanned, &failed);
        let mut buffer = Vec::new();
        Box::new(move |entry| {
            let found = match entry {
                Ok(entry) => look_at(tree, patterns, &entry, &mut buffer)
                    .map_err(|why| format!("{}: {why}", entry.path().display())),
                Err(why) => Err(why.to_string()),
            };
            let found = match found {
                Ok(found) => found,
                Err(why) => {
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.get_or_insert(Error::while_doing("the tree cannot be walked", why));
                    return WalkState::Quit;
                }
            };
            if let Some(found) = found {
                let mut scanned = scanned.lock().unwrap_or_else(PoisonError::into_inner);
                scanned.files += 1;
                scanned.left_out += found.left_out;
                scanned.references.extend(found.references);
                if scanned.references.len() > SWEEP {
                    scanned.references.sort();
                    bound(&mut scanned, patterns.keys().len(), KEPT);
                }
            }
            WalkState::Continue
        })
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut scanned = scanned.into_inner().unwrap_or_else(PoisonError::into_inner);
    scanned.references.sort();
    bound(&mut scanned, patterns.keys().len(), MAX_REFERENCES);
    Ok(scanned)
}

/// What one file has; `None` for what is not looked at. What cannot be read is an error: it would be forgotten with the scan before.
fn look_at(
    tree: &Tree,
    patterns: &Patterns,
    entry: &ignore::DirEntry,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Scanned>> {
    let path = entry.path();
    let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
    if !is_file || tree.without.iter().any(|other| path.starts_with(other)) {
        return Ok(None);
    }
    let relative = path.strip_prefix(&tree.root).unwrap_or(path);
    let matches = |globs: &Gitignore| {
        let matched = globs.matched_path_or_any_parents(relative, false);
        matched.is_ignore()
    };
    if matches(&tree.exclude) || (!tree.include.is_empty() && !matches(&tree.include)) {
        return Ok(None);
    }
    let file = match File::open(path) {
        // It went meanwhile.
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    buffer.clear();
    file.take(MAX_BYTES + 1).read_to_end(buffer)?;
    let is_large = buffer.len() as u64 > MAX_BYTES;
    let Some(name) = name(relative) else {
        return Ok(None);
    };
    if is_large || buffer.contains(&0) || is_generated(buffer) {
        return Ok(None);
    }
    let mut found = of_text(patterns, &name, buffer);
    found.files = 1;
    Ok(Some(found))
}

/// A path with `/` between folders; `None` for one that is no text.
fn name(path: &Path) -> Option<Arc<str>> {
    let parts: Option<Vec<_>> = path.iter().map(|part| part.to_str()).collect();
    Some(parts?.join("/").into())
}

/// Whether `halyardctl generate` made it: it names every flag, used or not.
fn is_generated(text: &[u8]) -> bool {
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mark = b"Code generated by `halyardctl generate";
    line.windows(mark.len()).any(|window| window == mark)
}

/// The references of a text, one for each flag and line: the key itself rather than an alias.
fn of_text(patterns: &Patterns, path: &Arc<str>, text: &[u8]) -> Scanned {
    let mut found: BTreeMap<(usize, u32), Reference> = BTreeMap::new();
    let mut line = 1;
    let mut line_start = 0;
    let mut hits: Vec<_> = patterns.find(text).collect();
    hits.sort_by_key(|hit| (hit.start, hit.key, hit.alias));
    let mut at = 0;
    for hit in hits {
        while let Some(end) = text[at..hit.start].iter().position(|byte| *byte == b'\n') {
            at += end + 1;
            line_start = at;
            line += 1;
        }
        at = hit.start;
        let before = String::from_utf8_lossy(&text[line_start..hit.start]);
        let reference = Reference {
            key: hit.key,
            path: path.clone(),
            line,
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
            alias: hit.alias.map(str::to_owned),
        };
        let kept = found
            .entry((hit.key, line))
            .or_insert_with(|| reference.clone());
        if kept.alias.is_some() && reference.alias.is_none() {
            *kept = reference;
        }
    }
    let references: Vec<_> = found.into_values().collect();
    if path.len() > MAX_PATH || path.contains(breaks_a_line) {
        return Scanned {
            left_out: references.len(),
            ..Scanned::default()
        };
    }
    Scanned {
        references,
        ..Scanned::default()
    }
}
