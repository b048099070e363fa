//! The dashboard's built files are what its sources make: whoever changes those builds them again. Told without node, by a digest that
//! the build leaves beside them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::{Compression, write::GzEncoder};
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

/// kB of `dist`, as it is, and with each file by `gzip -9`.
const MOST: usize = 1_620;
const MOST_COMPRESSED: usize = 575;
/// kB of all styles, compressed.
const STYLES: usize = 15;
/// kB of scripts that a page needs before it works, compressed. The browser tests count what is really asked for.
const SCRIPTS: [(&str, &[&str], usize); 2] = [
    ("/login", &["app.js", "LoginPage.js"], 135),
    (
        "the flags page",
        &["app.js", "frame.js", "FlagsPage.js"],
        215,
    ),
];

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
        .filter(|host| !NAMED.contains(&host.trim_end_matches('.')) && !host.ends_with(EXAMPLE))
        .collect()
}

/// Hosts that texts name, of libraries and of the import, and nothing loads from: the content policy admits none of them.
const NAMED: [&str; 6] = [
    "react.dev",
    "reactjs.org",
    "tanstack.com",
    "github.com",
    "app.launchdarkly.com",
    "api.flagsmith.com",
];
/// Hosts that cannot exist (RFC 2606), in the hints of fields.
const EXAMPLE: &str = ".example.com";

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

fn compressed(bytes: &[u8]) -> usize {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory").len()
}

/// The files that a script imports at once: `from"./vendor.js"`, `import"./vendor.js"`, and not `import("./page.js")`.
fn imports(script: &str) -> impl Iterator<Item = &str> {
    ["from\"./", "import\"./"]
        .into_iter()
        .flat_map(|word| script.split(word).skip(1))
        .filter_map(|rest| rest.split_once('"').map(|(name, _)| name))
}

/// These scripts and all that they need.
fn closure(dist: &Path, names: &[&str]) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut open: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    while let Some(name) = open.pop() {
        let script = fs::read_to_string(dist.join(&name)).unwrap_or_else(|_| panic!("no {name}"));
        if known.insert(name) {
            open.extend(imports(&script).map(str::to_owned));
        }
    }
    known
}

#[test]
fn the_built_files_stay_small() {
    let read = |path: &PathBuf| fs::read(path).expect("a file that can be read");
    let files = files(&folder().join("dist"));
    let plain: usize = files.iter().map(|path| read(path).len()).sum();
    let small: usize = files.iter().map(|path| compressed(&read(path))).sum();
    let styles = files
        .iter()
        .filter(|path| path.extension().is_some_and(|name| name == "css"));
    let styles: usize = styles.map(|path| compressed(&read(path))).sum();
    for (what, bytes, most) in [
        ("dist", plain, MOST),
        ("dist, compressed", small, MOST_COMPRESSED),
        ("styles", styles, STYLES),
    ] {
        assert!(bytes <= most * 1_000, "{bytes} bytes of {most} kB: {what}");
    }
}

#[test]
fn pages_load_few_scripts() {
    let dist = folder().join("dist");
    for (page, names, most) in SCRIPTS {
        let scripts = closure(&dist, names);
        let sizes = scripts
            .iter()
            .map(|name| compressed(&fs::read(dist.join(name)).expect("it was read")));
        let bytes: usize = sizes.sum();
        assert!(
            bytes <= most * 1_000,
            "{bytes} bytes of {most} kB: {page} with {scripts:?}"
        );
    }
}

#[test]
fn each_check_can_fail() {
    let one = tempfile::tempdir().expect("a folder");
    fs::create_dir(one.path().join("src")).expect("a folder");
    fs::write(one.path().join("src/a.ts"), "a").expect("a file");
    let before = digest_of(one.path());
    fs::write(one.path().join("src/a.ts"), "b").expect("a file");
    assert_ne!(digest_of(one.path()), before);
    let script = r#"import{a}from"./a.js";import"./b.js";const c=()=>import("./c.js");"#;
    assert_eq!(imports(script).collect::<Vec<_>>(), ["a.js", "b.js"]);
    assert!(compressed(&[0; 5_000]) < 100);
    assert_eq!(
        foreign("see https://react.dev/x and https://cdn.evil.test/y"),
        ["cdn.evil.test"]
    );
}
