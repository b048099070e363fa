//! The dashboard's built files are what its sources make: whoever changes those builds them again. Told without node, by a digest that
//! the build leaves beside them.

use std::fs;
use std::path::{Path, PathBuf};

use harness::places;
use sha2::{Digest, Sha256};

use crate::assert_none;

/// What the digest is made of, below the dashboard's folder.
const SOURCES: [&str; 8] = [
    "biome.json",
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "tsconfig.json",
    "vite.config.ts",
];

/// kB of `dist`, as it is.
const MOST: u64 = 1_600;

fn folder() -> PathBuf {
    places::repository().join("control-plane/dashboard")
}

/// All files at or below a path.
fn files(at: &Path) -> Vec<PathBuf> {
    if !at.is_dir() {
        return vec![at.to_owned()];
    }
    let entries = fs::read_dir(at).expect("a folder that can be read");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.flat_map(|path| files(&path)).collect()
}

/// The SHA-256 of each file's path, length and bytes, in the order of the paths.
fn digest_of(folder: &Path) -> String {
    let mut named: Vec<_> = SOURCES
        .iter()
        .map(|name| folder.join(name))
        .filter(|path| path.exists())
        .flat_map(|path| files(&path))
        .map(|path| {
            let name = path.strip_prefix(folder).expect("it is below");
            (name.to_str().expect("UTF-8").to_owned(), path)
        })
        .collect();
    named.sort();
    let mut digest = Sha256::new();
    for (name, path) in named {
        let bytes = fs::read(path).expect("a file that can be read");
        digest.update(format!("{name}\0{}\0", bytes.len()));
        digest.update(bytes);
    }
    hex::encode(digest.finalize())
}

/// Addresses in a text that a browser could load something from.
fn foreign(text: &str) -> Vec<&str> {
    text.split("https://")
        .skip(1)
        .map(|rest| rest.split(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c))))
        .filter_map(|mut parts| parts.next())
        .filter(|host| !NAMED.contains(host))
        .collect()
}

/// Hosts that texts of libraries name, and nothing loads from.
const NAMED: [&str; 4] = ["react.dev", "reactjs.org", "tanstack.com", "github.com"];

#[test]
fn the_built_files_are_of_these_sources() {
    let built = fs::read_to_string(folder().join("dist/digest")).expect("the build leaves it");
    assert_eq!(
        built.trim(),
        digest_of(&folder()),
        "control-plane/dashboard has changed: `./dev dashboard build`, and commit dist"
    );
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let complaints: Vec<_> = files(&folder().join("dist"))
        .into_iter()
        .filter_map(|path| {
            let text = fs::read_to_string(&path).ok()?;
            let hosts = foreign(&text).join(", ");
            (!hosts.is_empty()).then(|| format!("{} names {hosts}", path.display()))
        })
        .collect();
    assert_none(&complaints);
}

#[test]
fn the_built_files_stay_small() {
    let sizes = files(&folder().join("dist"))
        .into_iter()
        .map(|path| path.metadata().expect("a file").len());
    let total = sizes.sum::<u64>() / 1_000;
    assert!(total <= MOST, "{total} kB in dist");
}

#[test]
fn each_check_can_fail() {
    let one = tempfile::tempdir().expect("a folder");
    fs::create_dir(one.path().join("src")).expect("a folder");
    fs::write(one.path().join("src/a.ts"), "a").expect("a file");
    let before = digest_of(one.path());
    fs::write(one.path().join("src/a.ts"), "b").expect("a file");
    assert_ne!(digest_of(one.path()), before);
    assert_eq!(
        foreign("see https://react.dev/x and https://cdn.evil.test/y"),
        ["cdn.evil.test"]
    );
}
