//! Documents that must match the code: the settings, links, lengths.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::assert_none;
use crate::sources::{self, Source};

const MAX_README_LINES: usize = 150;

/// The names in the first column of tables of settings.
fn documented(document: &str) -> BTreeSet<String> {
    let row = Regex::new(r"(?m)^\| (`[A-Z][A-Z_]+`(?:, `[A-Z][A-Z_]+`)*) \|").unwrap();
    let name = Regex::new("[A-Z][A-Z_]+").unwrap();
    row.captures_iter(document)
        .flat_map(|row| name.find_iter(row.get(1).unwrap().as_str()))
        .map(|name| name.as_str().to_owned())
        .collect()
}

/// The names that shipped code asks a `Reader` for.
fn read(sources: &[Source]) -> BTreeSet<String> {
    let literal = Regex::new(r#""([A-Z][A-Z]+(?:_[A-Z]+)+)""#).unwrap();
    let mut names = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_shipped()) {
        let code = source.shipped_code();
        if code.contains("Reader") && !source.path.contains("serving/src/settings/") {
            names.extend(
                literal
                    .captures_iter(&code)
                    .map(|found| found[1].to_owned()),
            );
        }
    }
    names
}

fn compare(documented: &BTreeSet<String>, read: &BTreeSet<String>) -> Vec<String> {
    let missing = read.difference(documented);
    let stale = documented.difference(read);
    missing
        .map(|name| format!("docs/settings.md does not explain {name}"))
        .chain(stale.map(|name| format!("docs/settings.md explains {name}, which nothing reads")))
        .collect()
}

fn broken_links(document: &str, text: &str) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    let path = sources::root().join(document);
    let folder = path.parent().expect("a document lies in a folder");
    link.captures_iter(text)
        .filter(|found| !folder.join(&found[1]).exists())
        .map(|found| format!("{document}: {} does not exist", &found[1]))
        .collect()
}

fn document(path: &str) -> String {
    fs::read_to_string(sources::root().join(path)).unwrap()
}

#[test]
fn exactly_the_settings_that_are_read_are_explained() {
    assert_none(&compare(
        &documented(&document("docs/settings.md")),
        &read(&sources::all()),
    ));
}

#[test]
fn the_readme_stays_short() {
    let lines = document("README.md").lines().count();
    assert!(lines <= MAX_README_LINES, "README.md has {lines} lines");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = vec!["README.md".to_owned(), "ARCHITECTURE.md".to_owned()];
    for entry in fs::read_dir(sources::root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            documents.push(format!("docs/{name}"));
        }
    }
    let complaints: Vec<_> = documents
        .iter()
        .flat_map(|path| broken_links(path, &document(path)))
        .collect();
    assert_none(&complaints);
}

#[test]
fn each_check_can_fail() {
    let settings = "| `APP_ENV`, `OLD_NAME` | `development` | |\n| `halyard` | |\n";
    let code = "//! Doc.\nfn load(r: &mut Reader<'_>) {\n    r.text(\"APP_ENV\", \"\");\n    r.text(\n        \"NEW_NAME\");\n}\n";
    let sources = [Source::new("edge-node/src/config.rs", code)];
    assert_eq!(
        compare(&documented(settings), &read(&sources)),
        [
            "docs/settings.md does not explain NEW_NAME",
            "docs/settings.md explains OLD_NAME, which nothing reads"
        ]
    );
    assert_eq!(
        broken_links("README.md", "[x](docs/none.md#y) [y](https://a.test/b)").len(),
        1
    );
}
