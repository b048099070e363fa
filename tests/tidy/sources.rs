//! The files the rules look at, and the views of a file that rules need.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// Everything we write lives in one of these.
const FOLDERS: [&str; 8] = [
    ".ci",
    "clients",
    "control-plane",
    "deploy",
    "edge-node",
    "migrations",
    "protocol",
    "tests",
];

pub struct Source {
    /// Relative to the repository, with forward slashes.
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether this file becomes part of a binary that we ship.
    pub fn is_shipped(&self) -> bool {
        self.is_rust()
            && self.path.contains("src/")
            && !self.path.ends_with("/tests.rs")
            && !self.path.contains("/tests/")
    }

    /// The code without comments. The number of lines stays, so that a position in it is a position in the file.
    pub fn code(&self) -> String {
        without_comments(&self.text)
    }

    /// The code without comments and without its tests: what rules about shipped code look at.
    pub fn shipped_code(&self) -> String {
        static TESTS: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?s)#\[cfg\(test\)\]\s*mod \w+ \{.*").unwrap());

        without_comments(&TESTS.replace(&self.text, ""))
    }
}

fn without_comments(text: &str) -> String {
    static COMMENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r#"(?m)(^|[\s;{},])//.*$"#).unwrap());

    COMMENT.replace_all(text, "$1").into_owned()
}

/// The repository's root.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests
        .parent()
        .expect("tests is a folder of the repository")
        .to_owned()
}

/// One file.
pub fn file(path: &str) -> Source {
    let text = fs::read_to_string(root().join(path));
    Source::new(path, &text.expect("a text file of the repository"))
}

/// All text files that we write ourselves.
pub fn all() -> Vec<Source> {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        collect(&root().join(folder), &mut sources);
    }
    assert!(sources.len() > 20, "the rules must see the repository");
    sources
}

/// The documents: those at the root, all below `docs/`, and those beside what they are about.
pub fn documents() -> Vec<Source> {
    let mut documents = all();
    collect(&root().join("docs"), &mut documents);
    documents.retain(|source| source.path.ends_with(".md"));
    for entry in fs::read_dir(root()).expect("the repository can be read") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".md") {
            documents.push(file(&name));
        }
    }
    documents
}

fn collect(folder: &Path, sources: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry
            .expect("a folder of the repository can be read")
            .path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !matches!(
                name.as_str(),
                ".sqlx" | "target" | "conformance" | "dist" | "node_modules"
            ) {
                collect(&path, sources);
            }
        } else if let Ok(text) = fs::read_to_string(&path) {
            let relative = path.strip_prefix(root()).expect("collected under the root");
            sources.push(Source {
                path: relative.to_string_lossy().replace('\\', "/"),
                text,
            });
        }
    }
}
