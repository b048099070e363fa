//! Files that documents and comments name must exist, and so must the tests and lines in them.
//!
//! A text in backticks counts as a path when it ends like a file or a folder of ours, or begins with a folder at the root.
//! Documents write paths from the root, or from the sources of a package where that is clear to a reader, so each of these
//! places may have it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

/// Where a path may begin besides the root and the document's own folder.
const BEGINNINGS: [&str; 20] = [
    "clients/halyardctl/src",
    "control-plane",
    "control-plane/base/src",
    "control-plane/domain/src",
    "control-plane/publish/src",
    "control-plane/api/src",
    "control-plane/halyard/src",
    "edge-node",
    "edge-node/src",
    "protocol",
    "protocol/src",
    "protocol/serving",
    "protocol/serving/src",
    "protocol/fanout",
    "protocol/fanout/src",
    "protocol/relay",
    "protocol/relay/src",
    "protocol/files",
    "protocol/files/src",
    "tests",
];

/// What a path may name in its file, after `::` or `:`.
#[derive(Debug, PartialEq, Eq)]
enum Place<'a> {
    Whole,
    Function(&'a str),
    Line(usize),
}

/// A text in backticks as a path, if it is one.
fn as_path(text: &str) -> Option<(&str, Place<'_>)> {
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[\w.*<>/-]+\.(rs|md|sql|toml|sh|json|mjs|py|proto)$").unwrap()
    });
    static FOLDER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\w*<][\w.*<>/-]*/$").unwrap());
    static WITHIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(\.ci|clients|control-plane|deploy|docs|edge-node|migrations|protocol|tests)/[\w.*<>/-]+$",
        )
        .unwrap()
    });

    let (path, place) = if let Some((path, name)) = text.split_once("::") {
        (path, Place::Function(name))
    } else if let Some((path, line)) = text.split_once(':') {
        (path, Place::Line(line.parse().ok()?))
    } else {
        (text, Place::Whole)
    };
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_path = !path.starts_with('/')
        && [&*FILE, &*FOLDER, &*WITHIN]
            .iter()
            .any(|form| form.is_match(path));
    is_path.then_some((path, place))
}

/// The texts in backticks, without blocks of code.
fn in_backticks(document: &str) -> Vec<&str> {
    static SPAN: LazyLock<Regex> = LazyLock::new(|| Regex::new("`([^`\n]+)`").unwrap());

    document
        .split("```")
        .step_by(2)
        .flat_map(|text| SPAN.captures_iter(text))
        .map(|found| found.get(1).expect("there is one group").as_str())
        .collect()
}

/// What there is at a path below a folder. `*` and a word in angle brackets stand for any part of a name.
fn below(folder: &Path, path: &str) -> Vec<PathBuf> {
    static ANYTHING: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\\\*|<\w+>").unwrap());

    let mut found = vec![folder.to_owned()];
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if !part.contains(['*', '<']) {
            found = found.iter().map(|folder| folder.join(part)).collect();
            found.retain(|path| path.exists());
            continue;
        }
        let pattern = regex::escape(part);
        let pattern = Regex::new(&format!("^{}$", ANYTHING.replace_all(&pattern, ".*"))).unwrap();
        found = found.iter().flat_map(|folder| entries(folder)).collect();
        found.retain(|path| {
            let name = path.file_name().unwrap_or_default();
            pattern.is_match(&name.to_string_lossy())
        });
    }
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| {
            entry
                .expect("a folder of the repository can be read")
                .path()
        })
        .collect()
}

/// Whether a file, or one of the files in a folder, has what is named in it.
fn has(path: &Path, place: &Place<'_>) -> bool {
    if path.is_dir() {
        return *place == Place::Whole
            || entries(path)
                .iter()
                .any(|path| (path.is_dir() || is_rust(path)) && has(path, place));
    }
    match place {
        Place::Whole => true,
        Place::Function(name) => {
            let function = Regex::new(&format!(r"\bfn {}\b", regex::escape(name))).unwrap();
            is_rust(path) && function.is_match(&text_of(path))
        }
        Place::Line(line) => (1..=text_of(path).lines().count()).contains(line),
    }
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs")
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// What there is at a path that a document names.
pub fn named(document: &Source, path: &str) -> Vec<PathBuf> {
    let root = sources::root();
    let beside = Path::new(&document.path).parent().unwrap_or(Path::new(""));
    let mut beginnings = vec![root.clone(), root.join(beside)];
    beginnings.extend(BEGINNINGS.map(|folder| root.join(folder)));
    let found = beginnings.iter().flat_map(|folder| below(folder, path));
    found.collect()
}

/// Paths in the backticks of a document that lead nowhere.
fn missing(document: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    for text in in_backticks(&document.text) {
        let Some((path, place)) = as_path(text) else {
            continue;
        };
        let found = named(document, path);
        if !found.iter().any(|path| has(path, &place)) {
            complaints.push(format!("{}: `{text}` does not exist", document.path));
        }
    }
    complaints
}

/// Documents that comments refer to and that do not exist.
fn missing_documents(source: &Source) -> Vec<String> {
    static DOCUMENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\bdocs/[\w/-]+\.(?:md|json)\b").unwrap());

    DOCUMENT
        .find_iter(&source.text)
        .filter(|found| !sources::root().join(found.as_str()).exists())
        .map(|found| format!("{}: {} does not exist", source.path, found.as_str()))
        .collect()
}

#[test]
fn paths_in_documents_lead_somewhere() {
    let complaints: Vec<_> = sources::documents().iter().flat_map(missing).collect();
    assert_none(&complaints);
}

#[test]
fn documents_that_comments_refer_to_exist() {
    let complaints: Vec<_> = sources::all()
        .iter()
        .filter(|source| !source.path.starts_with("tests/tidy/"))
        .flat_map(missing_documents)
        .collect();
    assert_none(&complaints);
}

#[test]
fn each_check_can_fail() {
    let document = Source::new(
        "docs/testing.md",
        "`docs/none.md` `tests/tidy/main.rs:10000` `tests/tidy/main.rs::no_such_test` `tests/none` `src/none/`\n\
         `tests/n*.rs` `tests/tidy::no_such_test` `migrations/main.rs`\n",
    );
    assert_eq!(
        missing(&document),
        [
            "docs/none.md",
            "tests/tidy/main.rs:10000",
            "tests/tidy/main.rs::no_such_test",
            "tests/none",
            "src/none/",
            "tests/n*.rs",
            "tests/tidy::no_such_test",
            "migrations/main.rs",
        ]
        .map(|path| format!("docs/testing.md: `{path}` does not exist"))
    );

    let comment = Source::new("edge-node/src/lib.rs", "//! See docs/none.md.\n");
    assert_eq!(
        missing_documents(&comment),
        ["edge-node/src/lib.rs: docs/none.md does not exist"]
    );
}

#[test]
fn what_exists_or_is_no_path_is_left_alone() {
    let document = Source::new(
        "docs/testing.md",
        "`docs/testing.md` `testing.md` `./dev` `tests/tidy` `tests/tidy/` `tidy/main.rs:1` `wire/codec.rs` `tests/<name>/main.rs`\n\
         `tests/tidy/paths.rs::each_check_can_fail` `tests/tidy::each_check_can_fail` `migrations/*.sql`\n\
         `mfa/none` `/v1/none` `none.read` `halyard/9` `db::None` `GET docs/none.md` `smtp://none/none.md`\n\
         ```sh\ncat `docs/none.md`\n```\n",
    );
    assert_none(&missing(&document));
}
