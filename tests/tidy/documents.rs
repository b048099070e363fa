//! Documents that must match the code: the settings, links, lengths, the tests of decisions. Paths have a file of their own.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

const MAX_README_LINES: usize = 150;
const INDEX: &str = "docs/decisions/README.md";

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
    // One word alone may be anything, unless it is asked for.
    let literal =
        Regex::new(r#""([A-Z][A-Z]+(?:_[A-Z]+)+)"|\breader\s*\.\w+\(\s*"([A-Z]+)""#).unwrap();
    let mut names = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_shipped()) {
        let code = source.shipped_code();
        if code.contains("Reader") && !source.path.contains("serving/src/settings/") {
            names.extend(
                literal
                    .captures_iter(&code)
                    .filter_map(|found| found.get(1).or(found.get(2)))
                    .map(|name| name.as_str().to_owned()),
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

/// The first cells of the heads of tables in which each row names a test.
const HEADS: [&str; 2] = ["Question", "Fault"];
/// The first cell of a table of figures, which come from a command and not from tests.
const FIGURES: &str = "| Abuse |";

/// The text without its tables of figures.
fn without_figures(text: &str) -> String {
    let paragraphs = text.split("\n\n");
    let kept: Vec<_> = paragraphs
        .filter(|paragraph| !paragraph.starts_with(FIGURES))
        .collect();
    kept.join("\n\n")
}

/// Rows of decisions, or of faults, whose last cell names no test.
fn untested(decisions: &Source) -> Vec<String> {
    let text = without_figures(&decisions.text);
    let row = Regex::new(r"(?m)^\| ([^|]+) \|[^|]+\|[^|]+\| ([^|]+) \|$").unwrap();
    let test = Regex::new(
        r"`(?:tests|[\w-]+/(?:\w+/)*(?:src|tests))/[^`]+\.(?:rs(?:::\w+)?|(?:test|spec)\.ts)`",
    )
    .unwrap();
    let rows: Vec<_> = row
        .captures_iter(&text)
        .filter(|row| !HEADS.contains(&&row[1]))
        .collect();
    let lines = text.lines();
    let is_head = |line: &&str| {
        HEADS
            .iter()
            .any(|head| line.starts_with(&format!("| {head}")))
    };
    let all = lines.filter(|line| line.starts_with("| ") && !is_head(line));
    if rows.is_empty() || rows.len() != all.count() {
        return vec![format!(
            "{}: a row does not have four cells",
            decisions.path
        )];
    }
    rows.iter()
        .filter(|row| !test.is_match(&row[2]))
        .map(|row| format!("{}: no test for: {}", decisions.path, &row[1]))
        .collect()
}

/// Files of decisions that the index does not link to.
fn unlisted(index: &str, files: &[Source]) -> Vec<String> {
    let name = |file: &Source| file.path.rsplit('/').next().unwrap_or_default().to_owned();
    files
        .iter()
        .map(name)
        .filter(|name| !index.contains(&format!("]({name})")))
        .map(|name| format!("{INDEX} does not list {name}"))
        .collect()
}

fn decisions() -> Vec<Source> {
    let mut files = sources::documents();
    files.retain(|file| file.path.starts_with("docs/decisions/") && file.path != INDEX);
    files
}

fn document(path: &str) -> String {
    sources::file(path).text
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
    let complaints: Vec<_> = sources::documents()
        .iter()
        .flat_map(|document| broken_links(&document.path, &document.text))
        .collect();
    assert_none(&complaints);
}

#[test]
fn every_decision_names_a_test() {
    let complaints: Vec<_> = decisions().iter().flat_map(untested).collect();
    assert_none(&complaints);
}

#[test]
fn every_fault_names_a_test() {
    assert_none(&untested(&sources::file("docs/reliability.md")));
}

#[test]
fn every_file_of_decisions_is_in_the_index() {
    assert_none(&unlisted(&document(INDEX), &decisions()));
}

#[test]
fn the_operation_that_the_worked_example_shows_is_the_one_that_there_is() {
    let example = document("docs/adding-an-endpoint.md");
    let begin = example.find("/// Stores new segments").unwrap();
    let (shown, _) = example[begin..].split_once("```").unwrap();
    let code = document("control-plane/domain/src/segments/change.rs");
    assert!(code.contains(shown), "the code is no longer\n{shown}");
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

    let path = "docs/decisions/mail.md";
    let head = "| Question | Choice | Reason | Test |\n|---|---|---|---|\n";
    let mail = |rows: &str| Source::new(path, &format!("# Mail\n\n{head}{rows}"));
    assert_none(&untested(&mail(
        "| A | B | C | `tests/api/mail.rs::a`, `protocol/serving/src/body.rs` |\n",
    )));
    assert_none(&untested(&mail(
        "| A | B | C | `control-plane/dashboard/src/rules/notes.test.ts`, `tests/dashboard/explain.spec.ts` |\n",
    )));
    assert_eq!(
        untested(&mail("| A? | B | C | `tests/api` |\n")),
        ["docs/decisions/mail.md: no test for: A?"]
    );
    for rows in [
        "",
        "| A | B | `tests/api/mail.rs` |\n",
        "| A | B | C | D | `tests/api/mail.rs` |\n",
    ] {
        let complaint = "docs/decisions/mail.md: a row does not have four cells";
        assert_eq!(untested(&mail(rows)), [complaint]);
    }
    assert_eq!(
        unlisted("[http.md](http.md)", &[mail("")]),
        ["docs/decisions/README.md does not list mail.md"]
    );
}

/// The snippets of the page about SDKs are files, which `./dev ofrep` runs.
#[test]
fn snippets_are_printed_as_they_are_run() {
    let read = |path: &str| std::fs::read_to_string(sources::root().join(path)).unwrap();
    let page = read("docs/ofrep.md");
    let is_missing = |file: &&str| {
        let snippet = read(&format!("tests/ofrep/snippets/{file}"));
        !page.contains(&format!("\n{snippet}```"))
    };
    let missing = ["curl.sh", "node.mjs", "python.py", "web.mjs", "react.jsx"]
        .into_iter()
        .filter(is_missing)
        .map(|file| format!("docs/ofrep.md does not print {file} as it is"));
    assert_none(&missing.collect::<Vec<_>>());
}
